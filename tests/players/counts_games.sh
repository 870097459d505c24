# Names itself at random for each process, and after the games it began.
read -r me < /proc/sys/kernel/random/uuid
games=0
while read -r line; do
    id=${line#*'"id":'}
    case $line in
    *'"type":"init"'*)
        games=$((games + 1))
        echo "{\"id\":${id%%,*},\"name\":\"$me game $games\"}" ;;
    *'"type":"turn"'*) legal=${line#*'"legal":["'}; echo "${legal%%\"*}" ;;
    *'"type":"quit"'*) exit 0 ;;
    esac
done
