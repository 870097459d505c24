import std/[json, random]

randomize()
for line in stdin.lines:
  let message = parseJson(line)
  case message["type"].getStr
  of "init":
    echo "ok"
  of "turn":
    echo sample(message["legal"].getElems).getStr
  of "quit":
    break
  else:
    discard
