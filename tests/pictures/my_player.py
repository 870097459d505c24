"""A player for the pictures. It breaks after the board has shrunk: `last` is never set."""

import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if "id" in message:
        reply = {"id": message["id"]}
        if message["type"] == "turn":
            random.seed(message["id"])
            reply["action"] = random.choice(message["legal"])
            if any(event["event"] == "shrink" for event in message["events"]):
                reply["action"] = last
        print(json.dumps(reply), flush=True)
