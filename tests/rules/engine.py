"""A game that is an object, with `serve_engine` of the starter kit: heaps of sticks, taken in turn.

With the argument `counts`, it shows how many objects there were, which nothing may depend on.
"""

import sys

from rules_program import serve_engine

SEATS = ["first", "second"]
GAME = {"protocol": 1, "name": "engine", "title": "Engine", "seats": SEATS, "clauses": [
    {"id": "E1", "title": "Move", "text": "A seat takes one to three sticks, the last one wins."}]}


class Sticks:
    made = 0

    def __init__(self):
        Sticks.made += 1
        self.left, self.turn = 9, 0

    def take(self, count):
        self.left -= count
        self.turn = 1 - self.turn


def play(options, sticks, step):
    sticks.take(int(step["move"]))


def show(options, sticks):
    if sticks.left == 0:
        return {"turn": {"over": SEATS[1 - sticks.turn], "reason": "last"}}
    legal = [str(count) for count in range(1, min(3, sticks.left) + 1)]
    rows = ["|" * sticks.left] + [str(Sticks.made)] * len(sys.argv[1:])
    return {"turn": {"move": SEATS[sticks.turn]}, "legal": legal, "rows": rows}


serve_engine(GAME, lambda options: Sticks(), max_plies=lambda options: 10, play=play, show=show)
