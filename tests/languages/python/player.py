import json
import random

while True:
    message = json.loads(input())
    if message["type"] == "init":
        print("ok", flush=True)
    elif message["type"] == "turn":
        print(random.choice(message["legal"]), flush=True)
    elif message["type"] == "quit":
        break
