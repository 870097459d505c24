#!/usr/bin/env python3
"""Chexers as a rules program: the game of the course COMP30024 in 2019, for three seats."""

from functools import cache

from rules_program import serve

SEATS = ["red", "green", "blue"]
RANGE = range(-3, 4)
HEXES = [(q, r) for r in RANGE for q in RANGE if -q - r in RANGE]
STEPS = [(-1, 0), (0, -1), (1, -1), (1, 0), (0, 1), (-1, 1)]
# The sides of the board by a coordinate that is constant there; the third one is -q-r.
STARTS = {"red": (0, -3), "green": (1, -3), "blue": (2, -3)}
GOALS = {"red": (0, 3), "green": (1, 3), "blue": (2, 3)}
EXITS, TURNS, REPETITIONS = 4, 256, 4
# As on the page. Letters are for those who cannot tell them apart.
COLOURS = {"red": "#cf3a31", "green": "#2e8b57", "blue": "#2f6fd0"}
# Where the letter of a goal is in its hex.
AWAY = {"red": (0.55, -0.3), "green": (0, 0.6), "blue": (-0.55, -0.3)}
GAME = {
    "protocol": 1, "name": "chexers", "title": "Chexers", "version": "1", "seats": SEATS,
    "hidden": False, "options": [],
    "board": {
        "legend": {
            **{seat[0].upper(): {"seat": seat, "name": "piece"} for seat in SEATS},
            **{seat[0]: {"seat": seat, "name": "exit", "mark": "goal"} for seat in SEATS},
            "#": {"mark": "removed"}},
        "columns": [str(q) for q in RANGE], "rows": [str(r) for r in RANGE],
        "separator": ",", "hexagons": True},
    "clauses": [
        {"id": "C1", "title": "Board",
         "text": "The hexes have coordinates q,r. Each seat starts with four pieces on one side of "
                 "the board, and leaves it on the opposite side. Red begins, then green, then "
                 "blue."},
        {"id": "C2", "title": "Move", "text": "A piece moves to a free hex beside it: "
                                              "`move -3,0>-2,0`."},
        {"id": "C3", "title": "Jump",
         "text": "A piece jumps over a piece beside it to the free hex right behind, for example "
                 "`jump -3,0>-1,0`. The piece that it jumps over becomes one of its own seat."},
        {"id": "C4", "title": "Exit", "text": "A piece on its exit side leaves the board, for "
                                              "example `exit 3,-3`."},
        {"id": "C5", "title": "Pass", "text": "A seat that can do nothing else passes."},
        {"id": "C6", "title": "End", "text": "The seat whose fourth piece leaves the board wins. "
                                             "Then the exits of the others decide their places."},
        {"id": "C7", "title": "Draw",
         "text": "All are level when the same pieces are on the same hexes for the fourth time with "
                 "the same seat to act, or after 256 turns of each seat, even if the last one "
                 "would win."}],
}


def start(options):
    board = "".join(letter(at, STARTS) or "." for at in HEXES)
    return {"board": board, "exits": [0, 0, 0], "turn": 0, "seen": {seen(board, 0): 1}}


def max_plies(options):
    return TURNS * len(SEATS)


def on(at, side):
    """Whether a hex is on this side of the board."""
    q, r = at
    return (q, r, -q - r)[side[0]] == side[1]


def letter(at, sides):
    """The letter of the seat whose side this hex is on."""
    return next((seat[0] for seat in SEATS if on(at, sides[seat])), "")


def seen(board, turn):
    return SEATS[turn % 3][0] + " " + board


def actions(board, seat):
    cells, legal = dict(zip(HEXES, board)), []
    for (q, r), piece in cells.items():
        if piece != seat[0]:
            continue
        if on((q, r), GOALS[seat]):
            legal.append(f"exit {q},{r}")
        for dq, dr in STEPS:
            near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
            if cells.get(near) == ".":
                legal.append(f"move {q},{r}>{near[0]},{near[1]}")
            elif cells.get(far) == ".":
                legal.append(f"jump {q},{r}>{far[0]},{far[1]}")
    return legal


def play(options, state, step):
    number, exits = state["turn"] % 3, list(state["exits"])
    cells, history = dict(zip(HEXES, state["board"])), state["seen"]
    if "move" in step:
        kind, text = step["move"].split()
        hexes = [tuple(map(int, at.split(","))) for at in text.split(">")]
        cells[hexes[0]] = "."
        cells[hexes[-1]] = SEATS[number][0] if kind != "exit" else "."
        if kind == "jump":
            middle = tuple((one + other) // 2 for one, other in zip(*hexes))
            cells[middle] = SEATS[number][0]
        if kind == "exit":
            exits[number] += 1
            history = {}  # with fewer pieces, no position comes again
    board, turn = "".join(cells[at] for at in HEXES), state["turn"] + 1
    position = seen(board, turn)
    history = {**history, position: history.get(position, 0) + 1}
    return {"board": board, "exits": exits, "turn": turn, "seen": history}


def show(options, state):
    board, exits, seat = state["board"], state["exits"], SEATS[state["turn"] % 3]
    shown = {"board": {"cells": drawn(board)}, "svg": picture(board),
             "caption": caption(state), "values": values(state),
             "eliminated": [it for it in SEATS if it[0] not in board]}
    # As the course's referee does, draws are tested first.
    if state["turn"] == max_plies(options):
        return {**shown, "turn": {"over": "draw", "reason": "turn-limit"}}
    if max(state["seen"].values()) >= REPETITIONS:
        return {**shown, "turn": {"over": "draw", "reason": "repetition"}}
    if max(exits) >= EXITS:
        return {**shown, "turn": {"over": {"scores": exits}, "reason": "exits"}}
    legal = actions(board, seat)
    if not legal:
        return {**shown, "turn": {"pass": seat}}
    return {**shown, "turn": {"move": seat}, "legal": legal}


def values(state):
    """Estimates: each piece counts by its way to the exits, and most once it has left the board."""
    worth = {seat: 8 * exits for seat, exits in zip(SEATS, state["exits"])}
    for (q, r), piece in zip(HEXES, state["board"]):
        for seat in SEATS:
            if piece == seat[0]:
                worth[seat] += 4 + (q, r, -q - r)[GOALS[seat][0]]
    total = sum(worth.values())
    return {seat: 2 * own / total - 1 for seat, own in worth.items()}


def drawn(board):
    cells = dict(zip(HEXES, board.upper()))

    def text(at):
        if at not in cells:
            return "#"
        return letter(at, GOALS) + cells[at].strip(".") or "."
    return [[text((q, r)) for q in RANGE] for r in RANGE]


def middle(at):
    q, r = at
    return 1.732 * (q + r / 2), 1.5 * r


def sign(seat, x, y, size, colour):
    return (f'<text x="{x:.2f}" y="{y + 0.36 * size:.2f}" font-size="{size}" '
            f'text-anchor="middle" fill="{colour}">{seat[0].upper()}</text>')


@cache
def ground():
    """The hexes with the letters of the goals."""
    hexes = "".join(f"M{x:.2f} {y + 1:.2f}l.866 -.5v-1l-.866 -.5l-.866 .5v1z"
                    for x, y in map(middle, HEXES))
    goals = ""
    for at in HEXES:
        for seat in (seat for seat in SEATS if on(at, GOALS[seat])):
            x, y = (along + away for along, away in zip(middle(at), AWAY[seat]))
            goals += sign(seat, x, y, 0.4, COLOURS[seat])
    return f'<path d="{hexes}" fill="#f3f1e9" stroke="#8b8f96" stroke-width=".06"/>{goals}'


def picture(board):
    pieces = ""
    for seat in SEATS:
        for x, y in (middle(at) for at, cell in zip(HEXES, board) if cell == seat[0]):
            pieces += f'<circle cx="{x:.2f}" cy="{y:.2f}" r=".5" fill="{COLOURS[seat]}"/>'
            pieces += sign(seat, x, y, 0.6, "#fff")
    return f'<svg viewBox="-6.2 -5.7 12.4 11.4">{ground()}{pieces}</svg>'


def caption(state):
    exits = ", ".join(f"{seat} {count}" for seat, count in zip(SEATS, state["exits"]))
    return f"turn {state['turn'] // 3 + 1}, exits: {exits}"


if __name__ == "__main__":
    serve(GAME, start=start, max_plies=max_plies, play=play, show=show)
