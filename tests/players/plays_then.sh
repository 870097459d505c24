# Greets, plays the first legal action of its first turn, then does $1.
read -r init && echo ok
read -r turn && legal=${turn#*'"legal":["'}
echo "${legal%%\"*}"
eval "$1"
