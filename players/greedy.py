#!/usr/bin/env python3
"""A player for Watch Your Back! that only looks at its own next action.

It tries every legal action on a copy of the board and keeps the one that takes
the most enemy pieces and loses the fewest of its own. Ties are broken at random.

The board is a dict: board[column, row] is "W", "B", "." (empty), "X" (corner) or
"#" (removed by a shrink). A square off the board is not in the dict.
"""

import json
import random
import sys


def read_board(rows):
    """The dict for the eight rows of text in the state."""
    return {(c, r): square for r, row in enumerate(rows) for c, square in enumerate(row)}


def parse(action):
    """'3,4' becomes [(3, 4)], and '3,4>3,5' becomes [(3, 4), (3, 5)]."""
    return [tuple(int(number) for number in part.split(",")) for part in action.split(">")]


def surrounded(board, square, enemy):
    """Do two opposite neighbours of the square each hold an enemy or a corner?"""
    c, r = square
    hostile = (enemy, "X")
    return (board.get((c - 1, r)) in hostile and board.get((c + 1, r)) in hostile
            or board.get((c, r - 1)) in hostile and board.get((c, r + 1)) in hostile)


def play(board, action, me, enemy):
    """Plays the action on the board; returns the numbers of pieces that I took and lost."""
    squares = parse(action)
    if len(squares) == 2:
        board[squares[0]] = "."
    c, r = arrived = squares[-1]
    board[arrived] = me
    taken = 0
    for neighbour in (c - 1, r), (c + 1, r), (c, r - 1), (c, r + 1):
        if board.get(neighbour) == enemy and surrounded(board, neighbour, me):
            board[neighbour] = "."
            taken += 1
    if surrounded(board, arrived, enemy):
        board[arrived] = "."
        return taken, 1
    return taken, 0


def choose(message, me, enemy, rng):
    """The best legal action: most taken, then least lost, then by chance."""
    board = read_board(message["state"]["board"])

    def score(action):
        taken, lost = play(dict(board), action, me, enemy)
        return taken - lost, rng.random()

    return max(message["legal"], key=score)


def main():
    rng = random.Random()
    me, enemy = "W", "B"
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "init":
            me, enemy = ("W", "B") if message["you"] == "white" else ("B", "W")
            rng.seed(message["seed"])
            reply = {"id": message["id"], "name": "greedy.py", "want": ["state", "legal"]}
            print(json.dumps(reply), flush=True)
        elif message["type"] == "turn":
            action = choose(message, me, enemy, rng)
            print(json.dumps({"id": message["id"], "action": action}), flush=True)
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
