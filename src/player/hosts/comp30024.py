"""Hosts a player class written for the COMP30024 referee of 2018.

Usage: python3 THIS MODULE[.CLASS] [--lenient], in the player's folder.

The class has __init__(colour), action(turns) and update(action). What it prints goes to stderr;
stdout and stdin belong to the protocol.
"""

import sys

# Nothing in the player's folder may stand in for what this host imports.
sys.path[:] = [folder for folder in sys.path if folder]

import builtins
import importlib
import importlib.util
import json
import operator
import os
import traceback

PLACEMENTS = 24
LONGEST = 200


class Unfit(Exception):
    """What the class returned is no action; says why."""


def claim_pipes():
    """The pipes of the protocol; the class prints to stderr and has no input."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    builtins.input = no_input
    return requests, replies


def no_input(prompt=""):
    raise EOFError("input() has nothing to read: the moves come as calls of update()")


def find_class(name):
    """The class that MODULE or MODULE.CLASS names, from the player's folder."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    module, _, last = name.rpartition(".")
    if is_module(folder, name):
        return class_of(load(folder, name), "Player", name)
    if module and is_module(folder, module):
        return class_of(load(folder, module), last, module)
    sys.exit(f"there is no module {name} in {folder}")


def is_module(folder, name):
    """Whether the folder has a file or package of this name."""
    path = os.path.join(folder, *name.split("."))
    literal = os.path.join(folder, name + ".py")
    return any(map(os.path.exists, (path + ".py", os.path.join(path, "__init__.py"), literal)))


def load(folder, name):
    """The module; a file in the folder itself is taken even when a library has its name."""
    file = os.path.join(folder, name + ".py")
    if not os.path.exists(file):
        sys.modules.pop(name.partition(".")[0], None)
        return importlib.import_module(name)
    taken = name in sys.modules or name in sys.builtin_module_names or "." in name
    spec = importlib.util.spec_from_file_location("hosted_player" if taken else name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def class_of(module, name, where):
    if not hasattr(module, name):
        sys.exit(f"the module {where} has no class {name}")
    return getattr(module, name)


def shown(value):
    """The value for a sentence."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"a {type(value).__name__} whose repr raises {type(error).__name__}"
    text = text.replace("\n", " ")
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def relax(value):
    """What is meant by a value that is unambiguous though of the wrong type."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, (tuple, list)):
        value = tuple(map(relax, value))
        return (value[:2], value[2:]) if len(value) == 4 else value
    if value is None or isinstance(value, int):
        return value
    try:
        return operator.index(value)
    except TypeError:
        return value


def is_pair(value):
    return isinstance(value, (tuple, list)) and len(value) == 2


def square(value):
    for number in value:
        if not isinstance(number, int):
            kind = type(number).__name__
            raise Unfit(f"{shown(number)} is of type {kind}, expected int")
    x, y = value
    return f"{int(x)},{int(y)}"


def action_text(value, placing):
    """The action as the protocol writes it."""
    if value is None:
        if placing:
            raise Unfit("expected a placement (x, y)")
        return "pass"
    if is_pair(value) and is_pair(value[0]) and is_pair(value[1]):
        return f"{square(value[0])}>{square(value[1])}"
    if is_pair(value):
        return square(value)
    expected = "(x, y)" if placing else "((xa, ya), (xb, yb)) or None"
    raise Unfit(f"expected {expected}")


def action_value(text):
    """The action as the class is told it."""
    if text == "pass":
        return None
    squares = [tuple(map(int, part.split(","))) for part in text.split(">")]
    return squares[0] if len(squares) == 1 else tuple(squares)


def error_reply(sentence):
    """The reply that says why there is no action."""
    return json.dumps({"error": sentence})


class Game:
    """A game in progress."""

    def __init__(self, player, colour, lenient):
        self.player = player
        self.colour = colour
        self.lenient = lenient
        self.played = 0
        # What is to be said instead of the next action.
        self.complaint = None

    def turns(self):
        """The turns of the current phase so far."""
        return self.played if self.played < PLACEMENTS else self.played - PLACEMENTS

    def follow(self, events):
        """Tells the class what happened, in order."""
        for event in events:
            if event["event"] != "action":
                continue
            if event["by"] != self.colour:
                self.player.update(action_value(event["action"]))
            elif event.get("forced"):
                self.forfeit()
            self.played += 1

    def forfeit(self):
        """Asks for the None that the course's referee asked of a blocked player."""
        answer = self.player.action(self.turns())
        if answer is not None and self.complaint is None:
            self.complaint = (
                f"action({self.turns()}) returned {shown(answer)} "
                "where it had no legal action; expected None"
            )

    def answer(self):
        """The reply to a turn."""
        if self.complaint is not None:
            return error_reply(self.complaint)
        turns = self.turns()
        value = self.player.action(turns)
        try:
            meant = relax(value) if self.lenient else value
            return action_text(meant, self.played < PLACEMENTS)
        except Unfit as unfit:
            return error_reply(f"action({turns}) returned {shown(value)}: {unfit}")


def own_frames(error):
    """The error with its traceback, without the frames of this host."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == main.__code__.co_filename:
        frames = frames.tb_next
    return type(error), error, frames


def serve(name, lenient, requests, replies):
    """Answers the referee until it has had enough."""
    game = None

    def reply(text):
        replies.write(text + "\n")
        replies.flush()

    for line in requests:
        message = json.loads(line)
        kind = message["type"]
        if kind == "init":
            if message["opening"]:
                sys.exit("a class of the 2018 interface cannot begin after an opening")
            colour = sys.intern(message["you"])
            game = Game(find_class(name)(colour), colour, lenient)
            reply('{"want":["events"]}')
        elif kind == "turn":
            game.follow(message["events"])
            reply(game.answer())
        elif kind == "end":
            finish(game, message["events"], reply)
        elif kind == "quit":
            break


def finish(game, events, reply):
    """Tells the class how the game ended; what goes wrong now is remarked."""
    try:
        game.follow(events)
    except Exception as error:
        traceback.print_exception(*own_frames(error))
        reply(f"after the end of the game it raised {type(error).__name__}: {shown(str(error))}")
    if game.complaint is not None:
        reply(game.complaint)


def main():
    lenient = sys.argv[2:] == ["--lenient"]
    requests, replies = claim_pipes()
    try:
        serve(sys.argv[1], lenient, requests, replies)
    except Exception as error:
        traceback.print_exception(*own_frames(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
