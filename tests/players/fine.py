# A whole player: any legal action, JSON both ways.
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
        print(json.dumps(reply), flush=True)
