"""Prints wherever it can: at import, in the constructor, in action and in update."""

import subprocess
import sys

from plain import Player as Plain

print("imported")


class Player(Plain):
    def __init__(self, colour):
        print("I am", colour)
        subprocess.run(["echo", "from a child"], check=True)
        super().__init__(colour)

    def action(self, turns):
        print("turn", turns, flush=True)
        sys.stderr.write("half a line without an end")
        return super().action(turns)

    def update(self, action):
        print("told", action)
        super().update(action)
