"""A rules program whose positions are drawn as `drawings.json` lists them, one after the other."""

import json
import sys

with open("drawings.json", encoding="utf-8") as file:
    DRAWINGS = json.load(file)
SEATS = ["first", "second"]
GAME = {"protocol": 1, "name": "drawings", "title": "Drawings", "seats": SEATS}


def shown(number):
    position = {"state": number, "rows": [f"position {number}"], "svg": DRAWINGS[number]}
    if number == len(DRAWINGS) - 1:
        return {**position, "turn": {"over": "draw", "reason": "done"}}
    return {**position, "turn": {"move": SEATS[number % 2]}, "legal": ["on"]}


for request in map(json.loads, sys.stdin):
    kind = request["type"]
    if kind == "quit":
        break
    if kind == "game":
        answer = GAME
    elif kind == "start":
        answer = {**shown(0), "max_plies": len(DRAWINGS)}
    elif kind == "play":
        answer = shown(request["state"] + 1)
    else:
        answer = {"refused": "go on", "malformed": True}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
