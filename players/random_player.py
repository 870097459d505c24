#!/usr/bin/env python3
"""A player for Watch Your Back! that picks a legal action at random.

This is the smallest useful player. The referee sends one JSON object a line and
lists the legal actions with every turn, so it needs no rules at all.
"""

import json
import random
import sys

rng = random.Random()

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        rng.seed(message["seed"])  # the same seed always plays the same game
        reply = {"id": message["id"], "name": "random_player.py", "want": ["legal"]}
        print(json.dumps(reply), flush=True)
    elif message["type"] == "turn":
        action = rng.choice(message["legal"])
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    elif message["type"] == "quit":
        break
