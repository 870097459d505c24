"""A game that is an object, with `serve_engine` of the starter kit: three seats take sticks.

With the argument `counts`, it shows how many objects there were, which nothing may depend on.
"""

import sys

from rules_program import serve_engine

SEATS = ["first", "second", "third"]
GAME = {"protocol": 1, "name": "engine", "title": "Engine", "seats": SEATS, "clauses": [
    {"id": "E1", "title": "Move", "text": "Each seat takes one to three sticks, as long as there "
                                          "are any, in seat order."}]}


class Sticks:
    made = 0

    def __init__(self):
        Sticks.made += 1
        self.left, self.taken = 20, [0, 0, 0]

    def take(self, seat, count):
        count = min(count, self.left)
        self.left -= count
        self.taken[seat] += count


def play(options, sticks, step):
    for seat, name in enumerate(SEATS):
        sticks.take(seat, int(step["together"][name]))


def show(options, sticks):
    rows = ["|" * sticks.left] + [str(Sticks.made)] * len(sys.argv[1:])
    if sticks.left == 0:
        return {"turn": {"over": {"scores": sticks.taken}}, "rows": rows}
    return {"turn": {"together": SEATS}, "legal": dict.fromkeys(SEATS, ["1", "2", "3"]), "rows": rows}


serve_engine(GAME, lambda options: Sticks(), max_plies=lambda options: 10, play=play, show=show)
