"""Returns lists where tuples are meant, and True for 1."""

from plain import Player as Plain


def listed(value):
    if isinstance(value, tuple):
        return [listed(part) for part in value]
    return True if value == 1 else value


class Player(Plain):
    def action(self, turns):
        return listed(super().action(turns))
