#!/usr/bin/env python3
"""A player for Watch Your Back! that looks at its own action and every answer to it.

For each of its legal actions it asks: what is the best the enemy can do then?
It plays the action whose worst answer hurts least (this is called minimax).

The board is a dict: board[column, row] is "W", "B", "." (empty), "X" (corner) or
"#" (removed by a shrink). A square off the board is not in the dict. An action is
a pair (origin, target); a placement has the origin None.
"""

import json
import random
import sys

DIRECTIONS = (-1, 0), (1, 0), (0, -1), (0, 1)
ENEMY = {"W": "B", "B": "W"}
PLACING_ROWS = {"W": range(0, 6), "B": range(2, 8)}
SHRINKS = 128, 192  # the outer ring goes after these moves


class Position:
    """A board, with everything else that decides which actions are legal."""

    def __init__(self, board, placed, moves):
        self.board = board
        self.placed = placed  # by both sides together
        self.moves = moves  # of the moving phase

    @staticmethod
    def read(state):
        board = {(c, r): square
                 for r, row in enumerate(state["board"]) for c, square in enumerate(row)}
        return Position(board, sum(state["placed"].values()), state["moves"])

    def actions(self, side):
        """All actions of this side."""
        if self.placed < 24:
            return [(None, square) for square, what in self.board.items()
                    if what == "." and square[1] in PLACING_ROWS[side]]
        found = []
        for (c, r), what in self.board.items():
            if what != side:
                continue
            for dc, dr in DIRECTIONS:
                beside, behind = (c + dc, r + dr), (c + 2 * dc, r + 2 * dr)
                if self.board.get(beside) == ".":
                    found.append(((c, r), beside))
                elif self.board.get(beside) in ENEMY and self.board.get(behind) == ".":
                    found.append(((c, r), behind))
        return found

    def after(self, side, action):
        """The position after this side played the action."""
        origin, target = action
        board = dict(self.board)
        board[target] = side
        if origin is None:
            eliminate(board, target)
            return Position(board, self.placed + 1, self.moves)
        board[origin] = "."
        eliminate(board, target)
        if self.moves + 1 in SHRINKS:
            shrink(board, 1 + SHRINKS.index(self.moves + 1))
        return Position(board, self.placed, self.moves + 1)

    def value(self, side):
        """The evaluation of the position for this side."""
        gone, left = ring_going_next(self.moves)
        total = 0
        for (c, r), what in self.board.items():
            if what in ENEMY:
                inside = min(c, r, 7 - c, 7 - r)  # 0 on the edge, 3 in the middle
                worth = 100 + 3 * inside
                if inside == gone and left < 16:
                    worth -= 80 - 5 * left  # this square is about to go
                total += worth if what == side else -worth
        return total


def surrounded(board, square):
    """Do two opposite neighbours of this piece each hold an enemy or a corner?"""
    c, r = square
    hostile = (ENEMY[board[square]], "X")
    return (board.get((c - 1, r)) in hostile and board.get((c + 1, r)) in hostile
            or board.get((c, r - 1)) in hostile and board.get((c, r + 1)) in hostile)


def eliminate(board, arrived):
    """Removes the enemies that the arriving piece surrounds, then perhaps itself."""
    c, r = arrived
    for dc, dr in DIRECTIONS:
        neighbour = (c + dc, r + dr)
        if board.get(neighbour) == ENEMY[board[arrived]] and surrounded(board, neighbour):
            board[neighbour] = "."
    if surrounded(board, arrived):
        board[arrived] = "."


def shrink(board, ring):
    """Removes everything outside the ring and creates the four new corners."""
    for c, r in board:
        if min(c, r, 7 - c, 7 - r) < ring:
            board[c, r] = "#"
    low, high = ring, 7 - ring
    for c, r in (low, low), (low, high), (high, high), (high, low):
        board[c, r] = "X"
        for dc, dr in DIRECTIONS:
            neighbour = (c + dc, r + dr)
            if board.get(neighbour) in ENEMY and surrounded(board, neighbour):
                board[neighbour] = "."


def ring_going_next(moves):
    """The ring of squares that is removed next (-1: none), and the number of moves until then."""
    for ring, when in enumerate(SHRINKS):
        if moves < when:
            return ring, when - moves
    return -1, 0


def parse(text):
    """'3,4' becomes (None, (3, 4)), and '3,4>3,5' becomes ((3, 4), (3, 5))."""
    squares = [tuple(int(number) for number in part.split(",")) for part in text.split(">")]
    return (None, squares[0]) if len(squares) == 1 else tuple(squares)


def worst_answer(position, side, enough):
    """The value of the position after the enemy's best answer.

    Once an answer brings it to `enough` or below, the action will not be played,
    and the other answers need not be tried (this is half of alpha-beta).
    """
    worst = None
    for answer in position.actions(ENEMY[side]):
        value = position.after(ENEMY[side], answer).value(side)
        if worst is None or value < worst:
            worst = value
        if enough is not None and worst <= enough:
            break
    return position.value(side) if worst is None else worst


def choose(message, side, rng):
    """The legal action with the best worst answer; ties by chance."""
    position = Position.read(message["state"])
    legal = message["legal"]
    rng.shuffle(legal)  # the first of several equals is kept
    best, best_value = legal[0], None
    for text in legal:
        value = worst_answer(position.after(side, parse(text)), side, best_value)
        if best_value is None or value > best_value:
            best, best_value = text, value
    return best


def main():
    rng = random.Random()
    side = "W"
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "init":
            side = "W" if message["you"] == "white" else "B"
            rng.seed(message["seed"])
            reply = {"id": message["id"], "name": "lookahead.py", "want": ["state", "legal"]}
            print(json.dumps(reply), flush=True)
        elif message["type"] == "turn":
            action = choose(message, side, rng)
            print(json.dumps({"id": message["id"], "action": action}), flush=True)
        elif message["type"] == "quit":
            break


if __name__ == "__main__":
    main()
