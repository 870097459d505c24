# Places its pieces on the first legal squares; replies $1 in the moving phase.
while read -r line; do
    case $line in
    *'"type":"init"'*) echo ok ;;
    *'"type":"quit"'*) exit 0 ;;
    *'"phase":"placing"'*'"legal":["'*) legal=${line#*'"legal":["'}; echo "${legal%%\"*}" ;;
    *'"type":"turn"'*) echo "$1" ;;
    esac
done
