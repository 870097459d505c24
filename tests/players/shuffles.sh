# A chess engine that moves its king's knight to and fro. Its arguments are the score it reports,
# such as `cp 5` or `mate -3`.
while read -r line; do
    case $line in
    uci) echo "id name Shuffles"; echo uciok ;;
    isready) echo readyok ;;
    position*) plies=$(($(echo "${line#position startpos}" | wc -w) - 1)) ;;
    go*)
        echo "info depth 9 score $*"
        case $((plies % 4)) in
        1) echo "bestmove g8f6" ;;
        2) echo "bestmove f3g1" ;;
        3) echo "bestmove f6g8" ;;
        *) echo "bestmove g1f3" ;;
        esac
        ;;
    quit) exit ;;
    esac
done
