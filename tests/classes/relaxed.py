"""Returns floats, numbers of other types, and flat tuples."""

from plain import Player as Plain


class int64:
    """A number as a library has it: no int, but it can stand for one."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value

    def __repr__(self):
        return str(self.value)


class Flat(Plain):
    def action(self, turns):
        action = super().action(turns)
        return action[0] + action[1] if self.played > 24 and action else action


class Floats(Plain):
    def action(self, turns):
        x, y = super().action(turns)
        return float(x), float(y)


class Library(Plain):
    def action(self, turns):
        x, y = super().action(turns)
        return int64(x), int64(y)


class All(Plain):
    def action(self, turns):
        action = super().action(turns)
        if action is None:
            return None
        if self.played <= 24:
            return float(action[0]), int64(action[1])
        return action[0] + action[1]
