"""Draws at random while it is imported, constructed and asked, and seeds nothing."""

import random

from plain import Player as Plain

AT_IMPORT = random.random()


class Player(Plain):
    def __init__(self, colour):
        super().__init__(colour)
        words = " ".join({"red", "green", "blue", "white", "black", "brown", "grey"})
        self.drawn = [AT_IMPORT, random.random(), words]
        self.random = random

    def action(self, turns):
        print(self.drawn, file=__import__("sys").stderr)
        return super().action(turns)


class Library(Player):
    def __init__(self, colour):
        import numpy.random

        super().__init__(colour)
        self.drawn.append(numpy.random.random())
