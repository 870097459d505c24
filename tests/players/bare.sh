# A whole player: the first legal action, bare replies. $1: what ends a line beside \n; $2 is done
# before anything else.
eval "$2"
while read -r line; do
    case $line in
    *'"type":"init"'*) printf 'ok%b\n' "$1" ;;
    *'"type":"turn"'*) legal=${line#*'"legal":["'}; printf '%s%b\n' "${legal%%\"*}" "$1" ;;
    *'"type":"quit"'*) exit 0 ;;
    esac
done
