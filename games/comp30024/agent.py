#!/usr/bin/env python3
"""A class of the course COMP30024 as a player: python3 agent.py PACKAGE [CLASS]

PACKAGE is what the course's referee took: a package or module in the player's folder, such as
`team` or `team/player.py`. The name of the game says which interface its class has.
"""

import importlib
import inspect
import json
import os
import random
import re
import sys
from typing import Callable, NamedTuple


class Interface(NamedTuple):
    """How a class is made, asked and told, and how an action is made from the words of its text."""

    year: int
    made: str
    asked: str
    told: str
    action: Callable


def of_package(arguments):
    """Since 2023, actions have classes in the course's package: `spawn 3,3` is a SpawnAction."""
    def action(kind, *places):
        game = importlib.import_module("referee.game")
        return getattr(game, f"{kind.title()}Action")(*arguments(game, *places))
    return action


INTERFACES = {
    # `turns` counts those of the phase; `ours` and `theirs` are actions since the last call.
    "watch-your-back": Interface(
        2018, "Player(colour)", "action(turns)", "update(theirs)",
        lambda *hexes: None if hexes == ("PASS",) else hexes if hexes[1:] else hexes[0]),
    "chexers": Interface(
        2019, "Player(colour)", "action()", "update(colour, action)",
        lambda kind, *hexes: (kind, hexes if hexes[1:] else hexes[0] if hexes else None)),
    "expendibots": Interface(
        2020, "Player(colour)", "action()", "update(colour, action)", lambda *words: words),
    "ropasci-360": Interface(
        2021, "Player(colour)", "action()", "update(theirs, ours)", lambda *words: words),
    "cachex": Interface(
        2022, "Player(colour, size)", "action()", "turn(colour, action)",
        lambda kind, at=(): (kind, *at)),
    "infexion": Interface(
        2023, "Agent(colour, **referee)", "action(**referee)", "turn(colour, action, **referee)",
        of_package(lambda game, at, *way: [game.HexPos(*at), *map(game.HexDir, way)])),
    "tetress": Interface(
        2024, "Agent(colour, **referee)", "action(**referee)", "update(colour, action, **referee)",
        of_package(lambda game, *squares: [game.Coord(*at) for at in squares])),
    "freckers": Interface(
        2025, "Agent(colour, **referee)", "action(**referee)", "update(colour, action, **referee)",
        of_package(lambda game, *path: [
            game.Coord(*path[0]), tuple(map(game.Direction, path[1:]))] if path else [])),
    "cascade": Interface(
        2026, "Agent(colour, **referee)", "action(**referee)", "update(colour, action, **referee)",
        of_package(lambda game, at, *way: [game.Coord(*at), *map(game.Direction, way)])),
}


def as_action(game, text):
    """`jump -3,0>-1,0` is ("JUMP", ((-3, 0), (-1, 0))) in Chexers, and so on."""
    def value(word):
        if not re.fullmatch(r"-?\d+(,-?\d+)*", word):
            return word
        numbers = tuple(map(int, word.split(",")))
        return numbers if numbers[1:] else numbers[0]
    first, *rest = re.split("[ >]", text)
    return INTERFACES[game].action(value(first.upper()), *map(value, rest))


def normal(action):
    """An action as the course's referees read it: what they take for the same is equal."""
    if hasattr(action, "coords"):  # Tetress: in any order
        return set(action.coords)
    if hasattr(action, "directions"):  # Freckers: also one alone, or a list
        return action.coord, tuple(action.directions)
    return ("STEAL",) if action == "STEAL" else action


def parsed(call):
    """The name and the arguments of a call such as `action(turns)`."""
    name, arguments = call[:-1].split("(")
    return name, arguments.split(", ") if arguments else []


def found_class(package, interface, name):
    """The class, imported as the course's referee did. Another one ends the player."""
    sys.path[0] = ""
    path = os.path.normpath(package)
    path = path[:-len(".py")] if path.endswith(".py") else path
    module = importlib.import_module(path.replace("/", "."))
    made = name + interface.made[interface.made.index("("):]
    calls = {"__init__": made, **{parsed(call)[0]: call for call in interface[2:4]}}
    expected = (f"expected a class `{made}` with `{interface.asked}` and `{interface.told}`, as in "
                f"{interface.year}, in `{package}`; found ")
    wanted = getattr(module, name, None)
    if not inspect.isclass(wanted):
        others = [key for key, value in vars(module).items() if hasattr(value, "action")]
        sys.exit(f"{expected}{' and '.join(others) or 'no class'} with `action`")
    for method, call in calls.items():
        if not hasattr(wanted, method):
            sys.exit(f"{expected}`{name}` without `{method}`")
        signature = inspect.signature(getattr(wanted, method))
        arguments = parsed(call)[1]
        try:
            signature.bind("self", *(it for it in arguments if it != "**referee"),
                           **{"time_remaining": 0} if "**referee" in arguments else {})
        except TypeError as error:
            sys.exit(f"{expected}`{method}{signature}`: {error}")
    return wanted


class Bridge:
    def __init__(self, message, package, name=None):
        self.seat, self.game, self.clock = message["you"], message["game"], message["clock"]
        if self.game not in INTERFACES:
            sys.exit(f"no interface for `{self.game}`; there are some for {', '.join(INTERFACES)}")
        self.interface, self.actions, self.news = INTERFACES[self.game], 0, {}
        random.seed(message["seed"])
        agent = found_class(package, self.interface, name or parsed(self.interface.made)[0])
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(message["seed"] % 2**32)
        values = {"colour": self.seat, "size": message["options"].get("size")}
        self.agent = self.call(agent, self.interface.made, values)

    def call(self, function, call, values):
        names, more = parsed(call)[1], {}
        if "**referee" in names:
            left = self.clock.get("left_ms", self.clock.get("budget_ms"))
            more = {"time_remaining": left and left / 1000, "space_remaining": None,
                    "space_limit": None}
            if "colour" in values:
                colours = importlib.import_module("referee.game").PlayerColor
                values = {**values, "colour": colours[values["colour"].upper()]}
        return function(*(values[it] for it in names if it != "**referee"), **more)

    def choose(self, legal):
        """The text of the agent's action, or what it returned if it is none of these."""
        # Watch Your Back! begins with 24 placements.
        turns = self.actions if self.actions < 24 else self.actions - 24
        action = self.call(self.agent.action, self.interface.asked, {"turns": turns})
        for text in legal:
            if normal(as_action(self.game, text)) == normal(action):
                return text
        return f"action() returned {action!r:.200}"

    def tell(self, events):
        """Tells the agent all actions. It is asked where it can only pass, too."""
        for event in events:
            if event["event"] != "action":
                continue
            own, text = event["by"] == self.seat, event["action"]
            if own and event.get("forced"):
                answer = self.choose([text])
                if answer != text:
                    sys.exit(f"{answer}, but it could only pass")
            self.actions += 1
            action = as_action(self.game, text)
            self.news.update({"colour": event["by"], "action": action,
                              "ours" if own else "theirs": action})
            name, names = parsed(self.interface.told)
            if all(it in self.news for it in names if it != "**referee"):
                self.call(getattr(self.agent, name), self.interface.told, self.news)
                self.news = {}


def main():
    # What the agent prints goes to stderr, and nothing of the game is for it to read.
    replies, sys.stdout = sys.stdout, sys.stderr
    requests, sys.stdin = sys.stdin, open(os.devnull, encoding="utf-8")
    for message in map(json.loads, requests):
        reply = {}
        if message["type"] == "init":
            bridge = Bridge(message, *sys.argv[1:])
        elif message["type"] == "turn":
            bridge.clock = message["clock"]
            bridge.tell(message["events"])
            reply = {"action": bridge.choose(message["legal"])}
        if "id" in message:
            print(json.dumps({"id": message["id"], **reply}), file=replies, flush=True)


if __name__ == "__main__":
    main()
