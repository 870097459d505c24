#!/usr/bin/env python3
"""A player for every game of the referee that picks a legal action at random.

This is the smallest useful player. The referee sends one JSON object a line and
lists the legal actions with every turn, so it needs no rules at all.
"""

import json
import random
import sys

rng = random.Random()


def choose(legal):
    """One of the legal actions, as a text."""
    if isinstance(legal, list):
        return rng.choice(legal)
    # Back to the Wall: a direction for each of two pieces, and this many of the squares.
    directions = rng.choices(legal["directions"], k=2)
    return " ".join(directions + rng.sample(legal["squares"], legal["walls"]))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        rng.seed(message["seed"])  # the same seed always plays the same game
        reply = {"id": message["id"], "name": "random_player.py", "want": ["legal"]}
        print(json.dumps(reply), flush=True)
    elif message["type"] == "turn":
        action = choose(message["legal"])
        print(json.dumps({"id": message["id"], "action": action}), flush=True)
    elif message["type"] == "quit":
        break
