# Replies at once, and lets children compute on its opponent's turns. Arguments: the number of
# children, the milliseconds that each computes after a reply (0: endlessly), and the first ply at
# which they do. The children are started before the first turn and wait in a pipe.
import json
import os
import sys
import time

children, burst, first_ply = (int(word) for word in sys.argv[1:])


def burn(end):
    while end is None or time.monotonic() < end:
        pass


def child(pipe):
    while os.read(pipe, 1):
        burn(time.monotonic() + burst / 1000 if burst else None)


pipes = [os.pipe() for _ in range(children)]
for read, _ in pipes:
    if os.fork() == 0:
        for _, write in pipes:
            os.close(write)
        child(read)
        os._exit(0)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "init":
        print("ok", flush=True)
    if message["type"] == "turn":
        print(message["legal"][0], flush=True)
        if message["ply"] >= first_ply:
            for _, write in pipes:
                os.write(write, b"x")
