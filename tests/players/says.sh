# Replies $1 (as printf writes it, no newline added) to its first turn, then waits for the end.
read -r init && echo ok
read -r turn && printf "$1"
cat > /dev/null
