#!/usr/bin/env python3
"""Turns what a command printed on a terminal into a page that looks like the terminal.

    terminal.py COMMAND PAGE < OUTPUT

Prints the width and the height of the page in pixels.
"""

import html
import re
import sys

COLUMNS = 100
COLUMN, LINE, MARGIN = 8, 18, 16  # in pixels

STYLE = f"""
body {{ margin: 0 }}
pre {{ margin: 0; padding: {MARGIN}px; border-radius: 8px; background: #1d2027; color: #d5d9e0;
  font: 13.28px/{LINE}px "DejaVu Sans Mono", monospace }}
.c1 {{ font-weight: bold }} .c2 {{ color: #7d8590 }} .c7 {{ background: #3b4252 }}
.c31 {{ color: #ff7b72 }} .c32 {{ color: #7ee787 }} .c33 {{ color: #e3b341 }} .c36 {{ color: #79c0ff }}
"""


def spans(text):
    """The text as HTML, with its colours."""
    pieces, is_open = [], False
    for piece in re.split(r"(\x1b\[[\d;]*m)", text):
        if not piece.startswith("\x1b"):
            pieces.append(html.escape(piece))
            continue
        if is_open:
            pieces.append("</span>")
        codes = [f"c{code}" for code in piece[2:-1].split(";") if code not in ("", "0")]
        is_open = bool(codes)
        if is_open:
            pieces.append(f'<span class="{" ".join(codes)}">')
    return "".join(pieces)


def broken(line):
    """The line as a terminal breaks it. No line with colours is too long."""
    if len(line) <= COLUMNS or "\x1b" in line:
        return [line]
    return [line[at:at + COLUMNS] for at in range(0, len(line), COLUMNS)]


command, page = sys.argv[1:]
lines = [f"\x1b[2m$\x1b[0m \x1b[1m{command}\x1b[0m"]
for line in sys.stdin.read().splitlines():
    lines.extend(broken(line))
with open(page, "w", encoding="utf-8") as file:
    text = spans("\n".join(lines))
    file.write(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style><pre>{text}</pre>\n")
print(f"{COLUMNS * COLUMN + 2 * MARGIN},{len(lines) * LINE + 2 * MARGIN}")
