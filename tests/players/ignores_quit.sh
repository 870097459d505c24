# Plays on, but neither `quit`, the end of its input nor a polite signal makes it leave.
trap '' TERM HUP INT
while :; do
    read -r line || sleep 60
    case $line in
    *'"type":"init"'*) echo ok ;;
    *'"type":"turn"'*) legal=${line#*'"legal":["'}; echo "${legal%%\"*}" ;;
    esac
done
