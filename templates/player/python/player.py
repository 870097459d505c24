#!/usr/bin/env python3
"""A player for @GAME@."""

import json
import random
import sys


def choose(message, rng):
    """Chooses the action. Start here: `message` is the whole turn, with its state and events."""
<<rows>>
    # The position is in message["state"]: message["state"]["@ROWS@"][row][column] is a square.
<<end>>
    legal = message["legal"]
<<list>>
    return rng.choice(legal)
<<factored>>
    directions = [rng.choice(legal["directions"]) for _piece in range(2)]
    walls = rng.sample(legal["squares"], legal["walls"])
    return " ".join(directions + walls)
<<end>>


def main():
    rng = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "init" and message["game"] != "@GAME@":
            reply = {"id": message["id"], "error": "@REFUSAL@"}
        elif message["type"] == "init":
            rng.seed(message["seed"])
            reply = {"id": message["id"], "name": "@NAME@"}
        elif message["type"] == "turn":
            reply = {"id": message["id"], "action": choose(message, rng)}
        elif message["type"] == "quit":
            break
        else:
            continue  # `error` and `end` ask for no reply
        # Without the flush, the referee would never see the line.
        print(json.dumps(reply), flush=True)


main()
