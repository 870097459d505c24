#!/usr/bin/env python3
"""The rules of @GAME@. The game here is Nim: replace it with your own.

The result of every function must depend only on its arguments. A state is any JSON; write its keys
in a fixed order.
"""

from rules_program import serve

SEATS = ["first", "second"]
GAME = {
    "protocol": 1, "name": "@GAME@", "title": "@TITLE@", "version": "1",
    "seats": SEATS, "hidden": False,
    "options": [
        {"name": "misere", "type": "boolean", "default": False,
         "text": "the seat that takes the last stick loses (N2)"},
    ],
    "clauses": [
        {"id": "N1", "title": "Move",
         "text": "There are heaps a, b and c of 3, 4 and 5 sticks. The seats take turns; each "
                 "takes one or more sticks from one heap: `b2` takes two sticks from heap b."},
        {"id": "N2", "title": "End", "text": "The seat that takes the last stick wins."},
    ],
}


def start(options):
    """The first state."""
    return {"heaps": {"a": 3, "b": 4, "c": 5}, "next": "first"}


def max_plies(options):
    """The length of the longest game."""
    return 12


def play(options, state, step):
    """The state after a step: README.md describes what `step` has after each turn."""
    heap, count = step["move"][0], int(step["move"][1:])
    heaps = {**state["heaps"], heap: state["heaps"][heap] - count}
    return {"heaps": heaps, "next": other(state["next"])}


def show(options, state):
    """Whose turn it is, what is legal, and the board for people."""
    heaps, seat = state["heaps"], state["next"]
    rows = [heap + " " + "|" * sticks for heap, sticks in heaps.items()]
    if not any(heaps.values()):
        winner = seat if options["misere"] else other(seat)
        return {"turn": {"over": winner, "reason": "last-stick"}, "rows": rows}
    legal = [f"{heap}{count}" for heap, sticks in heaps.items() for count in range(1, sticks + 1)]
    return {"turn": {"move": seat}, "legal": legal, "rows": rows}


def other(seat):
    return SEATS[1 - SEATS.index(seat)]


if __name__ == "__main__":
    serve(GAME, start=start, max_plies=max_plies, play=play, show=show)
