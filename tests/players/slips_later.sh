# Plays its first game well, and answers with nonsense in its second one. It greets each game on
# stderr.
games=0
while read -r line; do
    id=${line#*'"id":'}
    case $line in
    *'"type":"init"'*)
        games=$((games + 1))
        echo "game $games begins" >&2
        echo "{\"id\":${id%%,*},\"name\":\"slips\"}" ;;
    *'"type":"turn"'*)
        legal=${line#*'"legal":["'}
        if [ "$games" -eq 1 ]; then echo "${legal%%\"*}"; else echo nonsense; fi ;;
    *'"type":"quit"'*) exit 0 ;;
    esac
done
