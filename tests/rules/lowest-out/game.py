#!/usr/bin/env python3
"""Lowest out: all seats that are still in name a number at the same time, and the lowest ones are out.

The number of seats is the argument. With three, the game counts as one with hidden information.
"""

import sys

from rules_program import serve

SEATS = ["red", "green", "blue", "white"][:int(sys.argv[1])]
ROUNDS = 6
GAME = {
    "protocol": 1, "name": "lowest-out", "title": "Lowest out", "version": "1", "seats": SEATS,
    "hidden": len(SEATS) == 3,
    "options": [{"name": "scores", "type": "boolean", "default": False,
                 "text": "the rounds that a seat was in are its score (L2)"}],
    "clauses": [
        {"id": "L1", "title": "Round", "text": "All seats that are in name 1, 2 or 3. The lowest "
                                               "are out, unless all named the same."},
        {"id": "L2", "title": "End", "text": "Who is in longest wins. Six rounds are the most."},
    ],
}


def start(options):
    return {"out": [0] * len(SEATS), "round": 1}


def max_plies(options):
    return ROUNDS


def play(options, state, step):
    named = step["together"] if "together" in step else dict(zip(SEATS, step["both"]))
    lowest = min(named.values()) if len(set(named.values())) > 1 else None
    out = [state["round"] if lowest and named.get(seat) == lowest else before
           for seat, before in zip(SEATS, state["out"])]
    return {"out": out, "round": state["round"] + 1}


def show(options, state):
    rows = [f"{seat}: out in round {out}" if out else f"{seat}: in"
            for seat, out in zip(SEATS, state["out"])]
    shown = {"rows": rows}
    if GAME["hidden"]:
        shown["views"] = {seat: state for seat in SEATS}
    inside = [seat for seat, out in zip(SEATS, state["out"]) if not out]
    if len(inside) == 1 or state["round"] > ROUNDS:
        return {**shown, "turn": {"over": over(options, state), "reason": "rounds"}}
    turn = {"together": inside} if len(SEATS) > 2 else {"both": True}
    return {**shown, "turn": turn, "legal": {seat: ["1", "2", "3"] for seat in inside}}


def over(options, state):
    lasted = [out or state["round"] for out in state["out"]]
    if options["scores"]:
        return {"scores": lasted}
    if len(SEATS) > 2:
        return {"places": {seat: 1 + sum(other > rounds for other in lasted)
                           for seat, rounds in zip(SEATS, lasted)}}
    return "draw" if lasted[0] == lasted[1] else SEATS[lasted[1] > lasted[0]]


serve(GAME, start=start, max_plies=max_plies, play=play, show=show)
