#!/usr/bin/env python3
"""Go as a rules program, with area scoring, positional superko and no suicide."""

import functools
import hashlib
import re

from rules_program import serve

SEATS = ["black", "white"]
COLUMNS = "ABCDEFGHJKLMNOPQRST"
GAME = {
    "protocol": 1, "name": "go", "title": "Go", "version": "1", "seats": SEATS, "hidden": False,
    "board": {
        "legend": {"b": {"seat": "black", "name": "stone"}, "w": {"seat": "white", "name": "stone"}},
        "columns": COLUMNS},
    "options": [
        {"name": "size", "type": "integer", "min": 5, "max": 19, "default": 9, "clause": "G1",
         "text": "rows and columns of the board"},
        {"name": "komi", "type": "text", "default": "7", "clause": "G6",
         "text": "points that white gets for moving second, such as 7 or 6.5"}],
    "clauses": [
        {"id": "G1", "title": "Move",
         "text": "The seats take turns to put a stone on a free point, or to pass: `D4` is column D "
                 "of row 4, counted from the bottom; no column is called I. Black begins."},
        {"id": "G2", "title": "Capture",
         "text": "Stones of one colour that are connected along lines are a chain. Chains of the "
                 "opponent that have no free point beside them after a move leave the board."},
        {"id": "G3", "title": "Suicide",
         "text": "A move must not leave its own chain without a free point beside it."},
        {"id": "G4", "title": "Superko",
         "text": "A move must not repeat an earlier position of the board, whoever is to move."},
        {"id": "G5", "title": "End",
         "text": "The game ends after two passes in a row, or after four plies for each point of "
                 "the board. All stones on the board then count as alive."},
        {"id": "G6", "title": "Score",
         "text": "A seat scores its stones and the empty areas beside which only its stones are; "
                 "white also scores the komi. The higher score wins; equal ones are a draw."}],
}


@functools.lru_cache(maxsize=None)
def points(size):
    """The points from the top left: their names, and those beside each."""
    names = [f"{COLUMNS[x]}{size - y}" for y in range(size) for x in range(size)]
    near = [[(y + dy) * size + x + dx for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))
             if 0 <= x + dx < size and 0 <= y + dy < size]
            for y in range(size) for x in range(size)]
    return names, near


@functools.lru_cache(maxsize=None)
def key(stone, point):
    """A random number for a stone on a point: those of all stones make the hash of a position."""
    digest = hashlib.blake2b(f"{stone}{point}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def start(options):
    komi = re.fullmatch(r"-?(\d{1,3})(\.[05])?", options["komi"])
    if not komi or int(komi[1]) > 361:
        return {"error": "`komi` must be a number of half points from -361 to 361, such as 6.5"}
    size = options["size"]
    return {"rows": ["." * size] * size, "next": "black", "passes": 0, "plies": 0,
            "seen": [f"{0:016x}"]}


def max_plies(options):
    return 4 * options["size"] ** 2


class Board:
    """The stones of a state, with their chains."""

    def __init__(self, state):
        self.size = len(state["rows"])
        self.names, self.near = points(self.size)
        self.cells = "".join(state["rows"])
        self.stone = state["next"][0]
        self.hash = int(state["seen"][-1], 16)
        self.seen = set(state["seen"])
        self.chains = [None] * len(self.cells)
        for point, stone in enumerate(self.cells):
            if stone != "." and self.chains[point] is None:
                self.add_chain(point, stone)

    def add_chain(self, point, stone):
        stones, free = [point], set()
        chain = self.chains[point] = (stones, free)
        for at in stones:  # grows meanwhile
            for beside in self.near[at]:
                if self.cells[beside] == ".":
                    free.add(beside)
                elif self.cells[beside] == stone and self.chains[beside] is None:
                    self.chains[beside] = chain
                    stones.append(beside)

    def captures(self, point):
        """The stones that a move here captures; `None` if it is suicide."""
        taken, lives = {}, False
        for beside in self.near[point]:
            chain = self.chains[beside]
            if chain is None:
                lives = True
            elif self.cells[beside] == self.stone:
                lives |= len(chain[1]) > 1
            elif len(chain[1]) == 1:
                taken[chain[0][0]] = chain[0]
        return sorted(sum(taken.values(), [])) if taken or lives else None

    def hash_after(self, point, captured):
        after = self.hash ^ key(self.stone, point)
        for at in captured:
            after ^= key(self.cells[at], at)
        return f"{after:016x}"

    def problem(self, point):
        """The clause that forbids a move here, and why; `None` if it is legal."""
        if self.cells[point] != ".":
            return "G1", "is not a free point"
        captured = self.captures(point)
        if captured is None:
            return "G3", "would be suicide"
        if self.hash_after(point, captured) in self.seen:
            return "G4", "would repeat an earlier position"
        return None

    def area(self):
        """The points of each seat, without the komi."""
        area = {"b": self.cells.count("b"), "w": self.cells.count("w")}
        reached = set()
        for point, stone in enumerate(self.cells):
            if stone != "." or point in reached:
                continue
            region, beside = [point], set()
            reached.add(point)
            for at in region:  # grows meanwhile
                for other in self.near[at]:
                    if self.cells[other] != ".":
                        beside.add(self.cells[other])
                    elif other not in reached:
                        reached.add(other)
                        region.append(other)
            if len(beside) == 1:
                area[beside.pop()] += len(region)
        return area["b"], area["w"]


def play(options, state, step):
    after = {**state, "next": SEATS[1 - SEATS.index(state["next"])], "plies": state["plies"] + 1}
    if step["move"] == "pass":
        return {**after, "passes": state["passes"] + 1}
    board = Board(state)
    point = board.names.index(step["move"])
    captured = board.captures(point)
    cells = list(board.cells)
    cells[point] = board.stone
    for at in captured:
        cells[at] = "."
    text, size = "".join(cells), board.size
    after.update(rows=[text[at:at + size] for at in range(0, len(text), size)], passes=0,
                 seen=state["seen"] + [board.hash_after(point, captured)])
    stones = [board.names[at] for at in captured]
    return after, [{"event": "capture", "stones": stones}] if stones else []


def show(options, state):
    board = Board(state)
    black, white = board.area()
    komi = float(options["komi"])
    scores = [black, int(white + komi) if komi.is_integer() else white + komi]
    lead = max(-1, min(1, (scores[0] - scores[1]) / len(board.cells)))
    size = board.size
    shown = {"board": {"cells": state["rows"], "rows": [str(size - y) for y in range(size)]},
             "caption": f"area: black {scores[0]}, white {scores[1]}",
             "values": {"black": lead, "white": -lead}}
    if state["passes"] == 2 or state["plies"] == max_plies(options):
        reason = "passes" if state["passes"] == 2 else "move-limit"
        return {**shown, "turn": {"over": {"scores": scores}, "reason": reason}}
    legal = [name for point, name in enumerate(board.names) if board.problem(point) is None]
    return {**shown, "turn": {"move": state["next"]}, "legal": legal + ["pass"]}


def judge(options, state, seat, text):
    vertex = text.upper()
    if vertex == "PASS":
        return {"action": "pass"}
    if not re.fullmatch("[A-HJ-T][0-9]{1,2}", vertex):
        expected = "expected a point, such as D4, or pass"
        return {"refused": expected, "malformed": True}
    board = Board(state)
    if vertex not in board.names:
        return {"refused": f"{text} is not on the board", "clause": "G1"}
    problem = board.problem(board.names.index(vertex))
    if problem:
        return {"refused": f"{text} {problem[1]}", "clause": problem[0]}
    return {"action": vertex}


if __name__ == "__main__":
    serve(GAME, start=start, max_plies=max_plies, play=play, show=show, judge=judge)
