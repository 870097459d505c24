"""One class for each way to fail."""

import time

from plain import Player as Plain


class Asks(Plain):
    def action(self, turns):
        return input("your move? ")


class Hangs(Plain):
    def action(self, turns):
        time.sleep(3600)


class RaisesInUpdate(Plain):
    def update(self, action):
        raise ValueError("what is " + repr(action))


class RaisesInInit(Plain):
    def __init__(self, colour):
        raise KeyError(colour)


class Nothing(Plain):
    def action(self, turns):
        return None


class Text(Plain):
    def action(self, turns):
        return "3,4"


class Recorder:
    """Says what it is asked and told."""

    answer = (2, 3)

    def __init__(self, colour):
        print("init", colour, "interned" if colour is {"white": "white", "black": "black"}[colour] else "")

    def action(self, turns):
        print("action", turns)
        return self.answer

    def update(self, action):
        print("update", action)


class Blocked(Recorder):
    answer = None


class RaisesAtTheEnd(Recorder):
    def update(self, action):
        raise ValueError("too late")


class Outside(Plain):
    def action(self, turns):
        return (-1, 3)


class NeverMoves(Plain):
    def action(self, turns):
        return super().action(turns) if self.played < 24 else None


class Writes(Plain):
    def __init__(self, colour):
        with open("log.txt", "w"):
            pass


class Exits(Plain):
    def action(self, turns):
        raise SystemExit(3)


class Burns(Plain):
    def action(self, turns):
        return self.think(turns)

    def think(self, turns):
        while True:
            turns += 1


class NeedsPackage(Plain):
    def __init__(self, colour):
        import nosuch.package


class NeedsCapital(Plain):
    def __init__(self, colour):
        import Chatty
