# Names itself after its process and the games it began.
games=0
while read -r line; do
    id=${line#*'"id":'}
    case $line in
    *'"type":"init"'*)
        games=$((games + 1))
        echo "{\"id\":${id%%,*},\"name\":\"$$ game $games\"}" ;;
    *'"type":"turn"'*) legal=${line#*'"legal":["'}; echo "${legal%%\"*}" ;;
    *'"type":"quit"'*) exit 0 ;;
    esac
done
