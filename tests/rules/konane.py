#!/usr/bin/env python3
"""Konane on 6×6 squares, with `rules_program.py` of the starter kit: squares have names, `a1-c1`."""

from rules_program import serve

SIZE = 6
SEATS = ["black", "white"]
GAME = {
    "protocol": 1, "name": "konane", "title": "Konane", "version": "1", "seats": SEATS,
    "hidden": False, "options": [],
    "clauses": [{"id": "K1", "title": "Jump",
                 "text": "A stone jumps over stones of the opponent, in one direction, and takes "
                         "them. Who cannot jump loses. First both take a stone of their own away."}],
    "board": {"legend": {"b": "black", "w": "white"}, "columns": "abcdef", "rows": "654321"},
}


def name(row, column):
    return "abcdef"[column] + str(SIZE - row)


def square(text):
    return SIZE - int(text[1]), "abcdef".index(text[0])


def legal(state):
    cells, mine = state["cells"], state["next"][0]
    own = [(row, column) for row in range(SIZE) for column in range(SIZE)
           if cells[row][column] == mine]
    if state["plies"] == 0:
        return [name(*place) for place in own if place in [(0, 0), (2, 2), (3, 3), (5, 5)]]
    if state["plies"] == 1:
        hole = next((row, column) for row in range(SIZE) for column in range(SIZE)
                    if cells[row][column] == ".")
        return [name(*it) for it in own if abs(it[0] - hole[0]) + abs(it[1] - hole[1]) == 1]
    jumps = []
    for row, column in own:
        for down, right in (-1, 0), (0, 1), (1, 0), (0, -1):
            for far in range(2, SIZE, 2):
                to, over = ((row + step * down, column + step * right) for step in (far, far - 1))
                if not all(0 <= at < SIZE for at in to):
                    break
                if cells[to[0]][to[1]] != "." or cells[over[0]][over[1]] in (".", mine):
                    break
                jumps.append(f"{name(row, column)}-{name(*to)}")
    return jumps


def start(options):
    return {"cells": ["bw" * 3, "wb" * 3] * 3, "next": "black", "plies": 0}


def play(options, state, step):
    cells = [list(row) for row in state["cells"]]
    places = [square(text) for text in step["move"].split("-")]
    (row, column), (to, side) = places[0], places[-1]
    mine, cells[row][column] = cells[row][column], "."
    if len(places) > 1:
        for far in range(1, abs(to - row) + abs(side - column)):
            down, right = (to > row) - (to < row), (side > column) - (side < column)
            cells[row + far * down][column + far * right] = "."
        cells[to][side] = mine
    other = SEATS[1 - SEATS.index(state["next"])]
    return {"cells": ["".join(row) for row in cells], "next": other, "plies": state["plies"] + 1}


def show(options, state):
    actions, board = legal(state), {"cells": state["cells"]}
    if not actions:
        winner = SEATS[1 - SEATS.index(state["next"])]
        return {"turn": {"over": winner, "reason": "no-jump"}, "board": board}
    return {"turn": {"move": state["next"]}, "legal": actions, "board": board}


serve(GAME, start=start, max_plies=lambda options: SIZE * SIZE, play=play, show=show)
