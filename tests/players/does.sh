# Greets, reads its first turn, then does $1.
read -r init && echo ok
read -r turn
eval "$1"
