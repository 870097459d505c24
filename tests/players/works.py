# Uses this many milliseconds of its own CPU time for each move.
import json
import sys
import time

for line in sys.stdin:
    began = time.thread_time()
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "init":
        print("ok", flush=True)
    if message["type"] == "turn":
        while time.thread_time() - began < int(sys.argv[1]) / 1000:
            pass
        print(message["legal"][0], flush=True)
