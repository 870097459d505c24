#!/usr/bin/env python3
"""Cachex, the course's game of 2022, as its package `referee` in a folder plays it."""

import sys
from agent import as_action
from rules_program import serve_engine

sys.path.insert(1, sys.argv[1])
from referee import game as course

SEATS = list(course.COLOURS)


def play(options, game, step):
    game.update(SEATS[game.nturns % 2], as_action("cachex", step["move"]))


def show(options, game):
    size = range(game.board.n)
    labels = [str(at) for at in size]
    board = {"cells": [[(game.board[r, q] or ".")[0] for r in size] for q in size],
             "columns": labels, "rows": labels}
    if game.over():
        kind, _, text = " ".join(game.result.split()).partition(": ")
        over = {"over": text, "reason": "connected"} if kind == "winner" else {
            "over": "draw", "reason": text}
        return {"board": board, "turn": over}
    legal = [f"place {r},{q}" for r in size for q in size if may(game._validate_place, r, q)]
    legal += ["steal"] if may(game._validate_steal) else []
    return {"board": board, "turn": {"move": SEATS[game.nturns % 2]}, "legal": legal}


def may(validate, *at):
    try:
        validate(("PLACE", *at))
    except course.IllegalActionException:
        return False
    return True


GAME = {"protocol": 1, "name": "cachex", "title": course.GAME_NAME, "seats": SEATS, "hidden": False,
        "board": {"legend": {seat[0]: seat for seat in SEATS}, "separator": ",", "hexagons": True},
        "options": [{"name": "size", "type": "integer", "min": 3, "max": 15, "default": 9,
                     "text": "rows and columns of the board (X1)"}],
        "clauses": [{"id": "X1", "title": "Rules", "text": "The course's own. `place 2,3` is for "
                     "r = 2 and q = 3, `steal` for the second ply."}]}
serve_engine(GAME, lambda options: course.Game(options["size"]),
             max_plies=lambda options: 1000, play=play, show=show)
