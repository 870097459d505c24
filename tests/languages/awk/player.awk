BEGIN { srand() }
/"type":"init"/ { print "ok" }
/"type":"turn"/ {
    sub(/.*"legal":\["/, "")
    sub(/"\].*/, "")
    count = split($0, legal, "\",\"")
    print legal[1 + int(rand() * count)]
}
/"type":"quit"/ { exit }
{ fflush() }
