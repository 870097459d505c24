#!/usr/bin/env python3
"""RoPaSci 360, the course's game of 2021, as its package `referee` in a folder plays it."""

import sys
from agent import as_action
from rules_program import serve_engine

sys.path.insert(1, sys.argv[1])
from referee import game as course

SEATS = list(course.COLOURS)
RANGE = range(-4, 5)
LABELS = [str(at) for at in RANGE]


def play(options, game, step):
    game.update(*(as_action("ropasci-360", text) for text in step["both"]))


def show(options, game):
    cells = [["".join(game.board.get((r, q), "#")[:1]) for r in RANGE] for q in RANGE]
    stacks = [f"{r},{q} {''.join(on)}" for (r, q), on in game.board.items() if len(on) > 1]
    thrown = [f"{seat} has thrown {count}" for seat, count in game.throws.items()]
    shown = {"board": {"cells": cells}, "caption": "; ".join(thrown + stacks)}
    if game.over():
        kind, _, said = game.result.partition(": ")
        return {**shown, "turn": {"over": said, "reason": "tokens"} if kind == "winner" else {
            "over": "draw", "reason": said}}
    legal = {seat: sorted({written(*action) for action in game._available_actions(seat)})
             for seat in SEATS}
    return {**shown, "turn": {"both": True}, "legal": legal}


def written(kind, first, second):
    places = [it if isinstance(it, str) else ",".join(map(str, it)) for it in (first, second)]
    return f"{kind.lower()} {(' ' if kind == 'THROW' else '>').join(places)}"


NAMES = {"r": "rock", "p": "paper", "s": "scissors"}
PIECES = {key: {"seat": seat, "name": NAMES[key.lower()], "glyph": key.upper()}
          for seat, keys in zip(SEATS, ("RPS", "rps")) for key in keys}
GAME = {"protocol": 1, "name": "ropasci-360", "title": course.GAME_NAME, "seats": SEATS,
        "hidden": False,
        "board": {"legend": {**PIECES, "#": {"mark": "removed"}}, "columns": LABELS, "rows": LABELS,
                  "separator": ",", "hexagons": True},
        "clauses": [{"id": "P1", "title": "Rules", "text": "The course's own. "
                     "`throw r 4,-4`, `slide 4,-4>3,-3` and `swing 4,-4>2,-3` are actions."}]}
serve_engine(GAME, lambda options: course.Game(),
             max_plies=lambda options: 1000, play=play, show=show)
