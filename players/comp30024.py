"""Lets a player class written for the COMP30024 referee of 2018 speak the protocol.

The referee contains this bridge. Use it as a command: python3 bridge:comp30024 FILE.py [CLASS] [--lenient]

FILE.py is in the folder of the player; for a package, give its name instead. The class is `Player`
unless CLASS names it. --lenient converts what the class returns if the meaning is clear. The referee
sets PYTHONSAFEPATH: from Python 3.13 on the interpreter itself imports a module before it runs a text.

The class has __init__(colour), action(turns) and update(action). What it prints goes to stderr;
stdout and stdin belong to the protocol. On SIGUSR1 the bridge says where the class is, and ends.
"""

import sys

# No module in the player's folder may replace one that this bridge imports.
sys.path[:] = [folder for folder in sys.path if folder]

import builtins
import errno
import importlib
import importlib.machinery
import importlib.util
import itertools
import json
import operator
import os
import signal
import tokenize  # some versions of linecache import it only when a traceback is shown
import traceback

# The class may start programs that find their modules beside them.
os.environ.pop("PYTHONSAFEPATH", None)
# The modules that every interpreter loads first. The player may use all other names.
ALWAYS_LOADED = {"abc", "codecs", "encodings", "genericpath", "io", "os", "posixpath", "site", "stat"}
OWN_PATH = tuple(sys.path)
OWN_MODULES = dict(sys.modules)
FOLDER = os.getcwd()
PLACEMENTS = 24
# The maximum number of characters of a value, and of frames of a stack, to show.
LONGEST = 200
DEEPEST = 20
# Larger than the coordinates of every square.
OFF_THE_BOARD = 99


class Unfit(Exception):
    """The class returned a value that is not an action; contains the reason."""


class Unhostable(Exception):
    """The class cannot be hosted; contains the reason."""


class Raised(Exception):
    """The class raised an error in a call."""

    def __init__(self, call, error):
        super().__init__(call, error)
        self.call = call
        self.error = error

    def __str__(self):
        text = one_line(lambda: str(self.error))
        return f"{self.call} raised {type(self.error).__name__}" + (text and f": {text}")


class Calls:
    """The calls of the class, one at a time."""

    # The call as a programmer writes it; None between two calls.
    under_way = None

    @classmethod
    def make(cls, written, function, *args):
        """Calls the function; `written` is the call for a sentence."""
        cls.under_way = written
        try:
            return function(*args)
        except BaseException as error:
            raise Raised(written, error) from error
        finally:
            cls.under_way = None


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


def find_class(file, name_of_class):
    """The class with this name in a file or package of the player's folder."""
    yield_names()
    sys.path.insert(0, FOLDER)
    module = file[: -len(".py")] if file.endswith(".py") else file
    if not is_module(module):
        raise Unhostable(f"cannot find the module {module} in {FOLDER}")
    loaded = Calls.make(f"import {module}", load, module)
    if not hasattr(loaded, name_of_class):
        raise Unhostable(f"the module {module} has no class {name_of_class}")
    return getattr(loaded, name_of_class)


def yield_names():
    """Unloads modules that have the name of a module in the player's folder."""
    for name in list(sys.modules):
        root = name.partition(".")[0]
        fixed = root in ALWAYS_LOADED or root in sys.builtin_module_names or root.startswith("_")
        if not fixed and any(map(may_read, files_of(root))):
            del sys.modules[name]


def is_module(name):
    """Whether the folder has a file or package of this name."""
    literal = os.path.join(FOLDER, name + ".py")
    return name != "" and any(map(os.path.exists, [*files_of(name), literal]))


def files_of(name):
    """The files that may hold the module."""
    path = os.path.join(FOLDER, *name.split("."))
    return [path + ".py", os.path.join(path, "__init__.py")]


def may_read(path):
    """Whether the file, or the list of the folder, can be read."""
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def load(name):
    """The module. A file in the folder takes precedence over a library with the same name."""
    file = os.path.join(FOLDER, name + ".py")
    if not os.path.exists(file):
        sys.modules.pop(name.partition(".")[0], None)
        return importlib.import_module(name)
    taken = name in sys.modules or name in sys.builtin_module_names or "." in name
    spec = importlib.util.spec_from_file_location("hosted_player" if taken else name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Seeding:
    """Seeds the libraries' random numbers on import, so that a game can be repeated."""

    LIBRARIES = ("random", "numpy.random")

    def __init__(self, seed):
        # numpy accepts no larger one.
        self.seed = seed % 2**32
        for name in self.LIBRARIES:
            if name in sys.modules:
                sys.modules[name].seed(self.seed)

    def find_spec(self, name, path=None, target=None):
        """Part of an import: where the module is, and what is done to load it."""
        if name not in self.LIBRARIES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None or spec.origin in files_of(name):
            return None
        execute = spec.loader.exec_module

        def execute_and_seed(module):
            execute(module)
            if module.__name__ == name:
                module.seed(self.seed)

        spec.loader.exec_module = execute_and_seed
        return spec


def is_of_player(path):
    return path is not None and os.path.abspath(path).startswith(os.path.join(FOLDER, ""))


def shown(value):
    """The value for a sentence."""
    return one_line(lambda: repr(value), f"a {type(value).__name__}")


def one_line(text_of, what="an error"):
    """The text in one line of bounded length. The player's code makes the text and may fail."""
    try:
        text = " ".join(text_of().split())
    except Exception as error:
        text = f"{what} whose text raises {type(error).__name__}"
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def relax(value):
    """Converts a value of the wrong type if its meaning is unambiguous."""
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
    # The protocol has no signs, so squares off the board stay off it.
    x, y = (int(number) if 0 <= number < OFF_THE_BOARD else OFF_THE_BOARD for number in value)
    return f"{x},{y}"


def action_text(value, placing):
    """The action as the protocol writes it."""
    if value is None and not placing:
        return "pass"
    if is_pair(value) and is_pair(value[0]) and is_pair(value[1]):
        return f"{square(value[0])}>{square(value[1])}"
    if is_pair(value):
        return square(value)
    expected = "a placement (x, y)" if placing else "a move ((xa, ya), (xb, yb)) or None"
    raise Unfit(f"expected {expected}")


def action_value(text):
    """The action as passed to the class."""
    if text == "pass":
        return None
    squares = [tuple(map(int, part.split(","))) for part in text.split(">")]
    return squares[0] if len(squares) == 1 else tuple(squares)


class Game:
    """A game in progress."""

    def __init__(self, player, colour, lenient):
        self.player = player
        self.colour = colour
        self.lenient = lenient
        self.played = 0
        # The error to report instead of the next action.
        self.complaint = None

    def turns(self):
        """The turns of the current phase so far."""
        return self.played if self.played < PLACEMENTS else self.played - PLACEMENTS

    def follow(self, events):
        """Passes the events to the class, in order."""
        for event in events:
            if event["event"] != "action":
                continue
            if event["by"] != self.colour:
                action = action_value(event["action"])
                Calls.make(f"update({action})", self.player.update, action)
            elif event.get("forced"):
                self.forfeit()
            self.played += 1

    def action(self):
        """The value that the class returns, and a sentence about it."""
        call = f"action({self.turns()})"
        value = Calls.make(call, self.player.action, self.turns())
        return value, f"{call} returned {shown(value)}"

    def forfeit(self):
        """Asks a blocked class for None, as the course's referee did."""
        answer, said = self.action()
        if answer is not None and self.complaint is None:
            self.complaint = f"{said} although no action was legal; expected None"

    def answer(self):
        """The reply to a turn."""
        if self.complaint is not None:
            return {"error": self.complaint}
        value, said = self.action()
        try:
            meant = relax(value) if self.lenient else value
            return {"action": action_text(meant, self.played < PLACEMENTS), "said": said}
        except Unfit as unfit:
            return {"error": f"{said}: {unfit}"}


# The traceback, without the frames of this bridge.


def take_back_names():
    """From now on, imports are those of this bridge again."""
    sys.path[:] = OWN_PATH
    for name, module in list(sys.modules.items()):
        if is_of_player(getattr(module, "__file__", None)):
            del sys.modules[name]
    sys.modules.update(OWN_MODULES)


def is_own(frame):
    """Whether the frame is one of this bridge, or of an import."""
    return frame.f_globals is globals() or frame.f_code.co_filename.startswith("<frozen importlib")


def strip(error):
    """Removes this bridge's frames from an error's traceback, and from those of its causes."""
    seen = []
    due = [error]
    while due:
        error = due.pop()
        if error is None or any(error is other for other in seen):
            continue
        seen.append(error)
        due += [error.__cause__, error.__context__]
        kept = []
        trace = error.__traceback__
        while trace is not None:
            if not is_own(trace.tb_frame):
                kept.append(trace)
            trace = trace.tb_next
        for one, following in zip(kept, [*kept[1:], None]):
            one.tb_next = following
        error.__traceback__ = kept[0] if kept else None


def say(text):
    """Writes to the original stderr."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the class may have replaced it
    text = text.encode("utf-8", "backslashreplace")
    while text:
        text = text[os.write(2, text) :]


def say_what_was_raised(raised):
    take_back_names()
    error = raised.error
    strip(error)
    say("".join(traceback.format_exception(type(error), error, error.__traceback__)))


def say_where(number, frame):
    """Handles the signal that the time is up: prints the position in the class, and exits."""
    call = Calls.under_way
    take_back_names()
    frames = (pair for pair in traceback.walk_stack(frame) if not is_own(pair[0]))
    innermost = list(itertools.islice(frames, DEEPEST))
    lines = []
    for at in traceback.StackSummary.extract(reversed(innermost)):
        file = os.path.relpath(at.filename, FOLDER) if is_of_player(at.filename) else at.filename
        lines.append(f"{file}, line {at.lineno}, in {at.name}: {at.line}\n")
    lines.append(f"{call} had not returned\n" if call else "the class was not being called\n")
    say("".join(lines))
    os._exit(1)


def advice(error):
    """Advice about an error, if any, after a semicolon."""
    advised = None
    if isinstance(error, ImportError) and error.name:
        name = error.name.partition(".")[0]
        advised = advice_on_hidden(os.path.join(FOLDER, name))
        advised = advised or advice_on_hidden(os.path.join(FOLDER, name + ".py"))
        if isinstance(error, ModuleNotFoundError):
            advised = advised or advice_on_missing(name)
    elif isinstance(error, OSError) and error.errno in DENIED and isinstance(error.filename, str):
        path = os.path.abspath(error.filename)
        if is_of_player(path):
            advised = advice_on_hidden(path) or READ_ONLY
    return f"; {advised}" if advised else ""


DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)
READ_ONLY = (
    "a player cannot write into its folder: write into the one that tempfile.gettempdir() names, "
    "which is removed after the game"
)


def advice_on_missing(name):
    """Advice about a package that is not found; None if the cause is something else."""
    found = os.listdir(FOLDER)
    if name in found or name + ".py" in found:
        return None
    for entry in sorted(found):
        if os.path.splitext(entry)[0].lower() == name.lower():
            return f"the folder has {entry}, but upper and lower case must match"
    if name == os.path.basename(FOLDER):
        return f"{name} is the player's folder itself: set its `dir` to the folder above"
    return (
        f"the folder has no {name}.py, and {sys.executable} has no package {name}: add the "
        "file, install the package for this Python, or start the command with another one"
    )


def advice_on_hidden(path):
    """Advice about a file or folder that exists in the player's folder but cannot be read."""
    lies_in = FOLDER
    for part in os.path.relpath(path, FOLDER).split(os.sep):
        lies_in = os.path.join(lies_in, part)
        if os.path.exists(lies_in) and not may_read(lies_in):
            break
    else:
        return None
    name = os.path.relpath(lies_in, FOLDER)
    # Hidden files have no permissions at all, or the sandbox denies what the permissions allow.
    if os.stat(lies_in).st_mode & 0o777 and not os.access(lies_in, os.R_OK):
        return f"the player's user may not read {name}: `chmod -R go+rX` the folder"
    return (
        f"{name} belongs to another player, so the referee hides it: if this player needs it too, "
        f'give it `files = ["{name}"]`, or a folder of its own with a copy'
    )


def serve(file, name_of_class, lenient, requests, reply):
    """Answers the referee until `quit`."""
    game = None
    for line in requests:
        message = json.loads(line)
        kind = message["type"]
        if kind == "init":
            if message["opening"]:
                raise Unhostable("a class of the 2018 interface cannot begin after an opening")
            sys.meta_path.insert(0, Seeding(message["seed"]))
            colour = sys.intern(message["you"])
            found = find_class(file, name_of_class)
            written = f"{getattr(found, '__name__', 'Player')}({colour!r})"
            player = Calls.make(written, found, colour)
            game = Game(player, colour, lenient)
            reply('{"want":["events"]}')
        elif kind == "turn":
            game.follow(message["events"])
            reply(json.dumps(game.answer()))
        elif kind == "end":
            finish(game, message["events"], reply)
        elif kind == "quit":
            break


def finish(game, events, reply):
    """Tells the class how the game ended. Errors are only reported as remarks."""
    try:
        game.follow(events)
    except Raised as raised:
        say_what_was_raised(raised)
        reply(f"after the end of the game {raised}")
    if game.complaint is not None:
        reply(game.complaint)


def main():
    lenient = "--lenient" in sys.argv
    file, name_of_class, *_ = [arg for arg in sys.argv[1:] if arg != "--lenient"] + ["Player"]
    requests, replies = claim_pipes()
    signal.signal(signal.SIGUSR1, say_where)

    def reply(text):
        replies.write(text + "\n")
        replies.flush()

    try:
        serve(file, name_of_class, lenient, requests, reply)
    except (Unhostable, Raised) as failed:
        advised = ""
        if isinstance(failed, Raised):
            say_what_was_raised(failed)
            advised = advice(failed.error)
        reply(json.dumps({"error": f"{failed}{advised}", "code": "crash"}))
        # Threads and handlers of the class must not keep the process alive.
        os._exit(1)


if __name__ == "__main__":
    main()
