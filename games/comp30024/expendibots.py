#!/usr/bin/env python3
"""Expendibots, the course's game of 2020, as its package `referee` in a folder plays it."""

import sys
from agent import as_action
from rules_program import serve_engine

sys.path.insert(1, sys.argv[1])
from referee import game as course

SEATS = list(course.COLOURS)
RANGE = range(8)


def play(options, game, step):
    game.update(SEATS[game.nturns % 2], as_action("expendibots", step["move"]))


def show(options, game):
    shown = {"board": {"cells": [[cell(game.board[x, y]) for x in RANGE] for y in reversed(RANGE)]}}
    if game.over():
        kind, _, text = game.end().partition(": ")
        return {**shown, "turn": {"over": text, "reason": "tokens"} if kind == "winner" else {
            "over": "draw", "reason": text.rstrip(".")}}
    seat = SEATS[game.nturns % 2]
    legal = sorted(written(*action) for action in game._available_actions(seat))
    return {**shown, "turn": {"move": seat}, "legal": legal}


def cell(count):
    """A is a white token, a is a black one, B and b are stacks of two, and so on."""
    return chr((64 if count > 0 else 96) + abs(count)) if count else "."


def written(kind, *words):
    places = [",".join(map(str, word)) for word in words if not isinstance(word, int)]
    return " ".join([kind.lower(), *(str(word) for word in words[:-2]), ">".join(places)])


PIECES = {chr(first + count): {"seat": seat, "name": f"stack of {count}", "glyph": str(count)}
          for seat, first in zip(SEATS, (64, 96)) for count in range(1, 13)}
GAME = {"protocol": 1, "name": "expendibots", "title": course.GAME_NAME, "seats": SEATS,
        "hidden": False,
        "board": {"legend": PIECES, "columns": [str(x) for x in RANGE],
                  "rows": [str(y) for y in reversed(RANGE)], "separator": ","},
        "clauses": [{"id": "E1", "title": "Rules", "text": "The course's own. `boom 3,0` and "
                     "`move 1 3,0>3,1`, with the number of tokens, are actions."}]}
serve_engine(GAME, lambda options: course.Game(),
             max_plies=lambda options: 1000, play=play, show=show)
