"""A rules program for three seats with a mistake, which its argument names.

The game: all seats that are in name 1 or 2 at the same time, and the one that is alone with its number
is out. Of two that are alone, the first seat is out. The game is over after four rounds, or with one
seat left.
"""

import json
import sys

MISTAKE = sys.argv[1]
SEATS = ["red", "green", "blue"]
GAME = {"protocol": 1, "name": "crowd", "title": "Crowd", "seats": SEATS}
if MISTAKE == "declared":
    GAME["ranking"] = "winner"
SVG = "<svg viewBox='0 0 9 9'>\n  <script/>\n</svg>" if MISTAKE == "draws" else None


def play(state, step):
    named = step["together"]
    numbers = list(named.values())
    order = named if MISTAKE == "first-come" else SEATS
    alone = [seat for seat in order if seat in named and numbers.count(named[seat]) == 1]
    return shown({"out": state["out"] + alone[:1], "round": state["round"] + 1})


def shown(state):
    out, inside = state["out"], [seat for seat in SEATS if seat not in state["out"]]
    if len(inside) == 1 or state["round"] > 4:
        return {"state": state, "eliminated": out,
                "turn": {"over": over(out), "reason": "last"}}
    if MISTAKE == "asked" and out and state["round"] == 3:
        inside = SEATS
    if MISTAKE == "returns" and state["round"] == 3:
        out = []
    return {"state": state, "svg": SVG, "eliminated": out, "turn": {"together": inside},
            "legal": {seat: ["1", "2"] for seat in inside}}


def over(out):
    if MISTAKE == "declared":
        return next(seat for seat in SEATS if seat not in out)
    return {"places": places(out)}


def places(out):
    if MISTAKE == "gap":
        return {seat: 3 if seat in out else 1 for seat in SEATS}
    if MISTAKE == "short":
        return {seat: 1 for seat in SEATS if seat not in out}
    if MISTAKE == "winner":
        winner = next(seat for seat in SEATS if seat not in out)
        return {seat: 1 if seat == winner else 2 for seat in SEATS}
    lasted = {seat: out.index(seat) if seat in out else 3 for seat in SEATS}
    return {seat: 1 + sum(other > mine for other in lasted.values())
            for seat, mine in lasted.items()}


for request in map(json.loads, sys.stdin):
    kind = request["type"]
    if kind == "quit":
        break
    if kind == "game":
        answer = GAME
    elif kind == "start":
        answer = {**shown({"out": [], "round": 1}), "max_plies": 4}
    elif kind == "play":
        answer = play(request["state"], request["step"])
    else:
        answer = {"refused": "1 or 2 is named", "malformed": True}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
