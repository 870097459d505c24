#!/usr/bin/env python3
"""A player for the game of games/chess that asks a UCI engine.

    uci.py stockfish
    uci.py --option Hash=64 --option Threads=1 /usr/games/ethereal-chess

It needs Python only. The engine thinks for as long as the clock of the turn allows; it is stopped
shortly before the time is up. Its evaluation and main line are recorded with each move.
"""

import argparse
import json
import os
import select
import subprocess
import sys
import time

PLACES = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"


class EngineError(Exception):
    """The engine has ended, or broke the UCI protocol."""


class Engine:
    """A running engine."""

    def __init__(self, command, options):
        search = os.environ.get("PATH", "") + ":" + PLACES
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, env={**os.environ, "PATH": search})
        except OSError as error:
            raise EngineError(f"{command[0]} cannot be started: {error.strerror}") from error
        self.unread = b""
        self.name, known = command[0], set()
        self.send("uci")
        for line in self.lines_until("uciok"):
            kind, _, rest = line.partition(" ")
            if kind == "id" and rest.startswith("name "):
                self.name = rest[5:]
            if kind == "option":
                known.add(rest[5:].partition(" type ")[0].lower())
        for name, value in options:
            if name.lower() not in known:
                raise EngineError(f"{self.name} has no option `{name}`")
            self.send(f"setoption name {name} value {value}")
        self.wait_until_ready()

    def wait_until_ready(self):
        self.send("isready")
        for _ in self.lines_until("readyok"):
            pass

    def new_game(self):
        self.send("ucinewgame")
        self.wait_until_ready()

    def best_move(self, moves, go, deadline):
        """The engine's move, with its evaluation and main line if it gave them.

        From the deadline on, which is a value of time.monotonic, it is told to stop.
        """
        self.send("position startpos" + (f" moves {moves}" if moves else ""))
        self.send(f"go {go}")
        info = {}
        for line in self.lines_until("bestmove", deadline):
            words = line.split()
            if words[:1] == ["bestmove"] and len(words) > 1:
                return words[1], info
            if words[:1] == ["info"] and "pv" in words and "score" in words:
                info = read_info(words)
        raise EngineError(f"{self.name} named no move")

    def send(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.ended() from None

    def lines_until(self, last, deadline=None):
        """The engine's lines, up to the one that begins with the word `last`."""
        while True:
            line = self.read_line(deadline)
            if line is None:
                self.send("stop")
                deadline = None
                continue
            yield line
            if line.split()[:1] == [last]:
                return

    def read_line(self, deadline):
        """The next line, or None if none comes before the deadline."""
        while b"\n" not in self.unread:
            if deadline is not None:
                left = max(0, deadline - time.monotonic())
                if not select.select([self.process.stdout], [], [], left)[0]:
                    return None
            read = os.read(self.process.stdout.fileno(), 65536)
            if not read:
                raise self.ended()
            self.unread += read
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode(errors="replace").strip()

    def ended(self):
        code = self.process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"exited with code {code}"
        return EngineError(f"{self.name} {how}")

    def quit(self):
        """Ends the engine, by force if it does not end by itself within half a second."""
        try:
            self.send("quit")
            self.process.wait(0.5)
        except (EngineError, subprocess.TimeoutExpired):
            self.process.kill()


def read_info(words):
    """The evaluation, from -1 to 1, and a note from the words of an `info` line."""
    after = dict(zip(words, words[1:]))
    unit, score = words[words.index("score") + 1:][:2]
    if unit == "mate":
        value, text = (1 if int(score) > 0 else -1), f"mate in {score}"
    else:
        # A pawn is worth 100; the scale is that of the expected score by Elo.
        value, text = 2 / (1 + 10 ** (-int(score) / 400)) - 1, f"{int(score) / 100:+.2f}"
    line = " ".join(words[words.index("pv") + 1:][:8])
    return {"eval": round(value, 4), "note": f"depth {after.get('depth', '?')}, {text}: {line}"}


class Player:
    """The player's side of the protocol."""

    def __init__(self, args):
        self.args = args
        self.engine = self.clock = self.white = None

    def init(self, message):
        if message["game"] != "chess":
            return {"error": "this player plays chess only (games/chess)"}
        self.clock, self.white = message["clock"], message["you"] == "white"
        try:
            self.engine = self.engine or Engine(self.args.engine, self.args.option)
            self.engine.new_game()
        except EngineError as error:
            return {"error": str(error)}
        return {"name": self.engine.name, "want": ["state"]}

    def turn(self, message):
        began = time.monotonic()
        go, hard = limits({**self.clock, **message["clock"]}, self.white, self.args)
        deadline = None if hard is None else began + hard / 1000
        try:
            move, info = self.engine.best_move(message["state"]["moves"], go, deadline)
        except EngineError as error:
            return {"error": str(error), "code": "crash"}
        return {"action": move, **info}


def limits(clock, white, args):
    """The arguments of `go`, and the milliseconds after which the engine must stop."""
    left, move = clock.get("left_ms"), clock.get("move_ms")
    hard = min((max(1, ms - args.margin) for ms in (left, move) if ms is not None), default=None)
    if args.go:
        return args.go, hard
    if left is None:
        return f"movetime {hard or 1000}", hard
    own, other = max(1, left - args.margin), max(1, clock["opponent_left_ms"])
    first, second = (own, other) if white else (other, own)
    increment = clock.get("increment_ms", 0)
    return f"wtime {first} btime {second} winc {increment} binc {increment}", hard


def main():
    player = Player(arguments())
    for message in map(json.loads, sys.stdin):
        if message["type"] == "quit":
            break
        if message["type"] not in ("init", "turn"):
            continue  # asks for no reply
        reply = player.init(message) if message["type"] == "init" else player.turn(message)
        print(json.dumps({"id": message["id"], **reply}), flush=True)
        if "error" in reply:
            break
    if player.engine:
        player.engine.quit()


def arguments():
    parser = argparse.ArgumentParser(description="Play chess with a UCI engine.")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE",
                        type=lambda text: tuple(text.split("=", 1)),
                        help="set an option of the engine, for example Hash=64")
    parser.add_argument("--go", default="", metavar="WORDS",
                        help='limits for each move, for example "nodes 10000" or "depth 8"')
    parser.add_argument("--margin", type=int, default=50, metavar="MS",
                        help="time kept back in each turn (default: 50 ms)")
    parser.add_argument("engine", nargs=argparse.REMAINDER, help="the engine and its arguments")
    args = parser.parse_args()
    if not args.engine:
        parser.error("name an engine, for example stockfish")
    if any(len(option) != 2 for option in args.option):
        parser.error("an option is NAME=VALUE")
    return args


main()
