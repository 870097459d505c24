# A chess engine in words of UCI. Its argument says how it fails.
quiet() { while read -r line; do :; done; }
fails=$1
moves=
score=34
case $fails in
exits-at-once) exit 3 ;;
silent) quiet ;;
wrong-greeting) echo hello; quiet ;;
esac
owed=
while read -r line; do
    # What it had to say about its last search comes late.
    test -z "$owed" || echo "$owed"
    owed=
    case $line in
    uci)
        echo "id name Fake 1"
        echo "option name Hash type spin default 16 min 1 max 1024"
        echo "option name Style type combo default Normal var Solid var Normal"
        echo "option name Clear Hash type button"
        echo "option name EvalFile type string default <empty>"
        echo uciok
        ;;
    isready) test "$fails" = not-ready || echo readyok ;;
    "setoption name EvalFile"*) read -r score <"${line#*value }" ;;
    setoption*) set=${line#setoption name } ;;
    position*) moves=${line#position startpos}; moves=${moves# moves } ;;
    go*)
        case $fails in
        no-move) echo "bestmove (none)" ;;
        null-move) echo "bestmove 0000" ;;
        empty) echo "bestmove" ;;
        san) echo "bestmove Nf3" ;;
        illegal) echo "bestmove a1a8" ;;
        segv) kill -SEGV $$ ;;
        exits) exit 4 ;;
        late) quiet ;;
        garbage) echo "thinking ..."; echo "best is e4"; quiet ;;
        closes) exec >&-; quiet ;;
        long) head -c 70000 /dev/zero | tr '\0' x; quiet ;;
        flood) yes "info string $(head -c 2000 /dev/zero | tr '\0' x)" ;;
        *)
            test "$fails" != slow || sleep 0.1
            echo "info depth 1 score cp 10 nodes 20 pv a2a3"
            echo "info depth 2 score cp $score nodes 45 time 2 pv e2e4 e7e5"
            echo "info string $set, $line"
            case $moves in
            "") echo "bestmove e2e4 ponder e7e5" ;;
            e2e4) echo "bestmove e7e5" ;;
            *) echo "bestmove g1f3" ;;
            esac
            echo "info string a last word"
            case $fails in
            two-moves) owed="bestmove a2a3" ;;
            late-score) owed="info depth 9 score cp 900" ;;
            esac
            ;;
        esac
        ;;
    quit) exit ;;
    esac
done
