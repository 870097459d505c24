#!/usr/bin/env python3
"""Openings from games of Go in SGF: python3 sgf_openings.py SIZE PLIES FILE... > book.txt

Writes the first plies of each game on a board of this size, each opening once. Games with other
boards, set-up stones, fewer plies or turns out of order are counted on stderr.
"""

import re
import sys
from collections import Counter

COLUMNS = "ABCDEFGHJKLMNOPQRST"
TOKEN = re.compile(r"[();]|([A-Za-z]+)\s*((?:\[(?:\\.|[^\]\\])*\]\s*)+)", re.DOTALL)
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)


def games(text):
    """The properties of the main line of each game in the text, in order."""
    depth, main, line = 0, 0, []
    for token in TOKEN.finditer(text):
        if token[0] == "(":
            depth += 1
            main = depth if depth == main + 1 else main
        elif token[0] == ")":
            # The first variation is the main line; what follows it is not.
            depth = max(depth - 1, 0)
            if depth == 0:
                yield line
                main, line = 0, []
            elif main > depth:
                main = -1
        elif token[0] != ";" and depth == main:
            # Small letters do not count in old files: `Black[dd]` is B.
            name = "".join(letter for letter in token[1] if letter.isupper())
            line.append((name, VALUE.findall(token[2])))


def action(point, size):
    """The action at a point from the top left, such as `dd`. A pass is empty, or `tt` in old files."""
    if point in ("", "tt"):
        return "pass"
    column, row = [ord(letter) - ord("a") for letter in point]
    if not (0 <= column < size and 0 <= row < size):
        raise ValueError(point)
    return f"{COLUMNS[column]}{size - row}"


def opening(line, size, plies):
    """The first plies of a game, or why it has none."""
    properties = dict(reversed(line))
    if properties.get("SZ", ["19"])[0].strip() not in (str(size), f"{size}:{size}"):
        return None, "on another board"
    if properties.keys() & {"AB", "AW", "AE"}:
        return None, "with set-up stones"
    moves = [(name, values[0].strip()) for name, values in line if name in ("B", "W")][:plies]
    if len(moves) < plies:
        return None, "with fewer plies"
    if any(name != "BW"[ply % 2] for ply, (name, _) in enumerate(moves)):
        return None, "with turns out of order"
    try:
        return "; ".join(action(point, size) for _, point in moves), None
    except ValueError:
        return None, "with a move off the board"


def main(size, plies, *files):
    book, skipped = {}, Counter()
    for file in files:
        with open(file, encoding="utf-8", errors="replace") as sgf:
            for line in games(sgf.read()):
                moves, problem = opening(line, int(size), int(plies))
                if problem:
                    skipped[problem] += 1
                else:
                    book.setdefault(moves)
    print(*book, sep="\n")
    for problem, count in skipped.items():
        print(f"skipped {count} {problem}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
