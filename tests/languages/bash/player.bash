while read -r line; do
    case $line in
        *'"type":"init"'*)
            echo ok
            ;;
        *'"type":"turn"'*)
            list=${line##*'"legal":["'}
            list=${list%%'"]'*}
            IFS=' ' read -ra legal <<< "${list//'","'/ }"
            echo "${legal[RANDOM % ${#legal[@]}]}"
            ;;
        *'"type":"quit"'*)
            break
            ;;
    esac
done
