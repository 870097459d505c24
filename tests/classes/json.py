"""Has the name of a module that everybody imports."""

from plain import Player as Plain


class Player(Plain):
    pass
