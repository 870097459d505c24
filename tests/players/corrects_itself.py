# Makes as many errors at its second turn as its argument says, and writes its messages into a file
# in the folder TOLD.
import json
import os
import sys

errors = int(sys.argv[1])
turns = 0
with open(os.path.join(os.environ["TOLD"], f"{os.getpid()}.jsonl"), "w") as told:
    for line in sys.stdin:
        told.write(line)
        told.flush()
        message = json.loads(line)
        if message["type"] == "quit":
            break
        reply = {"id": message.get("id")}
        if message["type"] == "turn":
            turns += "retry" not in message
            err = turns == 2 and message.get("retry", 0) < errors
            reply["action"] = "9,9" if err else message["legal"][0]
        if "id" in message:
            print(json.dumps(reply), flush=True)
