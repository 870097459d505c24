# One byte at a time for ever, faster than any limit of a single read.
read -r init && echo ok
read -r turn
while :; do
    printf 3
    sleep 0.1
done
