# Replies $1 (as printf writes it, no newline added) to init, then waits for the end.
read -r init && printf "$1"
cat > /dev/null
