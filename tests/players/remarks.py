# Plays any legal action, with the remarks of its argument, a JSON object.
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if "id" in message:
        reply = {"id": message["id"]}
        if message["type"] == "turn":
            reply["action"] = message["legal"][0]
            if message["ply"] < 2:
                reply.update(json.loads(sys.argv[1]))
        print(json.dumps(reply), flush=True)
