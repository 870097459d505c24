#!/usr/bin/env python3
"""Infexion, the course's game of 2023, as its package `referee` in a folder plays it."""

import sys
from agent import as_action
from rules_program import serve_engine

sys.path.insert(1, sys.argv[1])
from referee import game as course
from referee.game.board import Board

SIZE = range(course.BOARD_N)
LABELS = [str(at) for at in SIZE]
SEATS = ["red", "blue"]


def play(options, board, step):
    board.apply_action(as_action("infexion", step["move"]))


def show(options, board):
    cells = [[cell(*board[course.HexPos(r, q)]) for r in SIZE] for q in SIZE]
    shown = {"board": {"cells": cells}}
    if board.game_over:
        winner = board.winner_color
        over = {"over": str(winner).lower() if winner else "draw",
                "reason": "turn-limit" if board.turn_count >= course.MAX_TURNS else "power"}
        return {**shown, "turn": over}
    legal = [text for text in ACTIONS if may(board, text)]
    return {**shown, "turn": {"move": str(board.turn_color).lower()}, "legal": legal}


def cell(color, power):
    """A is red with power 1, a is blue with power 1, and so on."""
    return chr((64 if color == course.PlayerColor.RED else 96) + power) if color else "."


def may(board, text):
    try:
        board.apply_action(as_action("infexion", text))
    except course.IllegalActionException:
        return False
    board.undo_action()
    return True


CELLS = [f"{r},{q}" for r in SIZE for q in SIZE]
WAYS = [f"{way.r},{way.q}" for way in course.HexDir]
ACTIONS = [f"spawn {at}" for at in CELLS] + [f"spread {at} {way}" for at in CELLS for way in WAYS]
PIECES = {chr(first + power): {"seat": seat, "name": f"power {power}", "glyph": str(power)}
          for seat, first in zip(SEATS, (64, 96)) for power in range(1, course.MAX_CELL_POWER + 1)}
GAME = {"protocol": 1, "name": "infexion", "title": course.GAME_NAME, "seats": SEATS,
        "hidden": False,
        "board": {"legend": PIECES, "columns": LABELS, "rows": LABELS, "separator": ",",
                  "hexagons": True},
        "clauses": [{"id": "N1", "title": "Rules", "text": "The course's own. `spawn 3,3` and "
                     "`spread 3,3 0,1`, with a direction, are actions."}]}
serve_engine(GAME, lambda options: Board(), max_plies=lambda options: 1000, play=play, show=show)
