#!/bin/sh
# A player for @GAME@.

# The items of the list under the key $2 in the line $1, one per line.
items() {
    rest=${1#*\"$2\":\[}
    printf '%s\n' "${rest%%]*}" | sed 's/^"//; s/"$//; s/","/\n/g'
}

seed=1

# Computes the next random number.
draw() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
}

# $1 of the lines read, chosen by `seed`.
some() {
    awk -v most="$1" -v seed="$seed" '
        BEGIN { srand(seed) }
        { line[NR] = $0 }
        END {
            for (left = NR; left > 0 && most > 0; most--) {
                at = int(rand() * left) + 1
                print line[at]
                line[at] = line[left--]
            }
        }'
}

# Chooses the action. Start here: $1 is the whole turn, with its state and events.
choose() {
<<rows>>
    # The position is under "state": items "$1" @ROWS@ | sed -n "3p" is the third row of its board.
<<end>>
<<list>>
    items "$1" legal | some 1
<<factored>>
    legal=${1#*\"legal\":} # the state has lists with these names too
    walls=${legal#*\"walls\":}
    {
        items "$legal" directions | some 1
        draw
        items "$legal" directions | some 1
        draw
        items "$legal" squares | some "${walls%%,*}"
    } | paste -s -d ' ' -
<<end>>
}

while read -r line; do
    case $line in
    '{"type":"init"'*)
        seed=${line#*\"seed\":}
        seed=$((${seed%%,*} % 2147483648))
        case $line in
        *'"game":"@GAME@"'*) echo ok ;;
        *) echo '{"error":"@REFUSAL@"}' ;;
        esac
        ;;
    '{"type":"turn"'*)
        draw
        choose "$line"
        ;;
    '{"type":"quit"'*) exit 0 ;;
    esac # `error` and `end` ask for no reply
done
