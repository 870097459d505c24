#!/usr/bin/env python3
"""Connect Four as a rules program: it answers each line of stdin with a line on stdout."""

import json
import sys

SEATS = ["red", "yellow"]
SIZE = {"type": "integer", "min": 2, "max": 20}
GAME = {
    "protocol": 1, "name": "connect-four", "title": "Connect Four", "version": "1",
    "seats": SEATS, "hidden": False,
    "board": {"legend": {"r": "red", "y": "yellow"}},
    "options": [
        {"name": "columns", "default": 7, "text": "columns of the board (C1)", **SIZE},
        {"name": "rows", "default": 6, "text": "rows of the board (C1)", **SIZE},
        {"name": "line", "default": 4, "text": "discs in a line that win (C3)", **SIZE}],
    "clauses": [
        {"id": "C1", "title": "Board", "text": "The board has 7 columns and 6 rows. An action is "
                                               "the number of a column, from 1 on the left."},
        {"id": "C2", "title": "Move", "text": "Red begins, then the seats take turns. A disc falls "
                                              "to the lowest free place of a column."},
        {"id": "C3", "title": "Win", "text": "The first seat with 4 discs in a line (horizontal, "
                                             "vertical or diagonal) wins."},
        {"id": "C4", "title": "Draw", "text": "A full board without such a line is a draw."}],
}


def start(options, **_):
    if options["line"] > max(options["columns"], options["rows"]):
        return {"error": "a line of this length does not fit on the board"}
    first = position(options, [""] * options["columns"], {"move": "red"})
    return {**first, "max_plies": options["columns"] * options["rows"]}


def play(options, state, step, **_):
    cells, seat, column = state["cells"], state["next"], int(step["move"]) - 1
    cells[column] += seat[0]
    ways = (0, 1), (1, 0), (1, 1), (1, -1)
    if max(line_length(cells, column, *way) for way in ways) >= options["line"]:
        return position(options, cells, {"over": seat, "reason": "line"})
    if all(len(discs) == options["rows"] for discs in cells):
        return position(options, cells, {"over": "draw", "reason": "full-board"})
    return position(options, cells, {"move": SEATS[seat == "red"]})


def line_length(cells, column, right, up):
    """The number of equal discs in a line through the topmost disc of this column."""
    length, disc = 1, cells[column][-1]
    for sign in 1, -1:
        c, r = column + sign * right, len(cells[column]) - 1 + sign * up
        while 0 <= c < len(cells) and 0 <= r < len(cells[c]) and cells[c][r] == disc:
            length, c, r = length + 1, c + sign * right, r + sign * up
    return length


def position(options, cells, turn):
    board = [discs.ljust(options["rows"], ".") for discs in cells]
    answer = {"state": {"cells": cells, "next": turn.get("move")}, "turn": turn,
              "board": {"cells": ["".join(row) for row in zip(*board)][::-1],
                        "columns": [str(n + 1) for n in range(len(cells))]}}
    if "move" in turn:
        answer["legal"] = [str(n) for n, discs in enumerate(board, 1) if discs[-1] == "."]
    return answer


def judge(options, state, text, **_):
    """Judges a text that is not in `legal`: the action that it means, or a refusal."""
    if not text.isdecimal() or not 1 <= int(text) <= options["columns"]:
        reason = f"columns have numbers from 1 to {options['columns']}"
        return {"refused": reason, "clause": "C1", "malformed": True}
    if len(state["cells"][int(text) - 1]) == options["rows"]:
        return {"refused": f"column {int(text)} is full", "clause": "C2"}
    return {"action": str(int(text))}  # such as "04"


ANSWERS = {"game": lambda **_: GAME, "start": start, "play": play, "judge": judge}
for request in map(json.loads, sys.stdin):
    if request["type"] == "quit":
        break
    answer = ANSWERS[request["type"]](**request)
    print(json.dumps({"id": request["id"], **answer}), flush=True)
