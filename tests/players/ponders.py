# Computes in a thread while its opponent is on turn; replies at once.
import json
import sys
import threading

waiting = threading.Event()


def burn():
    while waiting.wait():
        sum(range(10000))


threading.Thread(target=burn, daemon=True).start()
for line in sys.stdin:
    waiting.clear()
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "init":
        print("ok", flush=True)
    if message["type"] == "turn":
        print(message["legal"][0], flush=True)
        waiting.set()
