# Sleeps at its first turns for the seconds of its argument. With a second argument, the name of a
# file, only at its second turn, and only if there is no such file yet; then it makes one.
import json
import os
import sys
import time


def sleeps(ply):
    if len(sys.argv) < 3:
        return ply < 6
    if ply not in (2, 3) or os.path.exists(sys.argv[2]):
        return False
    open(sys.argv[2], "w").close()
    return True


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "init":
        print("ok", flush=True)
    if message["type"] == "turn":
        if sleeps(message["ply"]):
            time.sleep(float(sys.argv[1]))
        print(message["legal"][0], flush=True)
