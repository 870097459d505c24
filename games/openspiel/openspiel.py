#!/usr/bin/env python3
"""Any game of OpenSpiel for 2 to 16 players as a rules program, with the package `open_spiel`.

    openspiel.py kuhn_poker
    openspiel.py "go(board_size=9)"
    openspiel.py "kuhn_poker(players=3)"

Every answer depends on its request alone: the state lists the steps from the start of the game, as
OpenSpiel numbers them. The last positions are kept, so a request costs one step, not a whole game.
"""

import itertools
import json
import math
import random
import re
import sys
from collections import OrderedDict
from fractions import Fraction
from importlib.metadata import version

try:
    import pyspiel
except ModuleNotFoundError:
    sys.exit("the package open_spiel is missing; install it: pip install open_spiel")

CLAUSES = [
    {"id": "OS1", "title": "Actions",
     "text": "An action is the text or the number that OpenSpiel gives to a legal action."},
    {"id": "OS2", "title": "Result",
     "text": "The higher a seat's return, the better its place; equal returns are level."},
]
# The games whose text is a board: the characters of the pieces of each player, that of an empty
# square, and the names of the columns, if actions call squares so; rows are numbered.
BOARDS = {
    "amazons": ("X", "O", ".", ""),
    "breakthrough": ("b", "w", ".", "abcdefgh"),
    "clobber": ("o", "x", ".", "abcdefgh"),
    "connect_four": ("x", "o", ".", ""),
    "go": ("X", "O", "+", "abcdefghjklmnopqrst"),
    "gomoku": ("b", "w", ".", ""),
    "hex": ("xXyz", "oOpq", ".", "abcdefghijklmnopqrs"),
    "lines_of_action": ("x", "o", ".", "abcdefgh"),
    "mnk": ("x", "o", ".", ""),
    "othello": ("x", "o", "-", "abcdefgh"),
    "tic_tac_toe": ("x", "o", ".", ""),
}
KEPT_POSITIONS = 4096
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
GUESS_STEPS = 5_000  # steps that a guess may try
MAX_WEIGHT = 2**32 - 1


class Program:
    """The rules of one game."""

    def __init__(self, name):
        self.game = pyspiel.load_game(name)
        self.kind = self.game.get_type()
        self.hidden = self.kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
        self.parameters = name.partition("(")[2].rpartition(")")[0]
        self.look = BOARDS.get(self.kind.short_name)
        # `start` refuses other numbers of players.
        seats = min(max(self.game.num_players(), 2), 16)
        self.seats = [f"player-{number}" for number in range(seats)]
        self.kept = OrderedDict()  # positions by their steps, the last one used at the end

    def answer(self, request):
        """The answer to a request, without its id."""
        if request["type"] == "game":
            return self.about()
        if request["type"] == "start":
            return self.start()
        steps = request["state"]["steps"]
        if request["type"] == "play":
            return self.play(steps, request["step"])
        seat = self.seats.index(request["seat"])
        if request["type"] == "judge":
            return self.judge(steps, seat, request["text"])
        if request["type"] == "guess" and self.hidden:
            return self.guess(steps, seat, request["draw"])
        return {"error": f"there is no answer to `{request['type']}`"}

    def about(self):
        about = {
            "protocol": 1,
            "name": self.kind.short_name.replace("_", "-"),
            "title": self.kind.long_name + (f" ({self.parameters})" if self.parameters else ""),
            "version": "OpenSpiel " + version("open_spiel"),
            "seats": self.seats, "hidden": self.hidden, "options": [], "clauses": CLAUSES,
        }
        if self.look:
            pieces = zip(self.look, self.seats)  # the first two are the pieces of the seats
            legend = {piece: seat for its, seat in pieces for piece in its}
            about["board"] = {"legend": {**legend, "#": {"mark": "removed"}},
                              "hexagons": self.kind.short_name == "hex"}
        return about

    def start(self):
        refusal = self.refusal()
        if refusal:
            return {"error": f"{self.kind.short_name} cannot be played here: {refusal}"}
        return {**self.show("", self.position("")), "max_plies": self.game.max_game_length()}

    def refusal(self):
        """The reason why the referee cannot play this game, if any."""
        kind, types = self.kind, pyspiel.GameType
        if not 2 <= self.game.num_players() <= 16:
            return f"it has {self.game.num_players()} players, not 2 to 16"
        if kind.dynamics not in (types.Dynamics.SEQUENTIAL, types.Dynamics.SIMULTANEOUS):
            return "its turns are neither sequential nor simultaneous"
        if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
            return "OpenSpiel does not list its chance outcomes"
        if self.game.max_chance_outcomes() > 4096:
            return "it has chance with more than 4,096 outcomes"
        if self.hidden and not (kind.provides_information_state_string
                                or kind.provides_observation_string):
            return "OpenSpiel does not say what a player sees"
        if self.game.max_game_length() > 100_000:
            return "it may last longer than 100,000 plies"
        return None

    def position(self, steps):
        """The position after these steps."""
        position = self.kept.pop(steps, None)
        if position is None:
            before, _, last = steps.rpartition(" ")
            if before in self.kept:
                position = self.kept[before].after(last)
            else:
                position = Position(self.game.new_initial_state(), self.seats)
                for step in steps.split():
                    position = position.after(step)
        self.kept[steps] = position
        if len(self.kept) > KEPT_POSITIONS:
            self.kept.popitem(last=False)
        return position

    def play(self, steps, step):
        position = self.position(steps)
        if "both" in step or "together" in step:
            texts = step.get("together") or dict(zip(self.seats, step["both"]))
            actions = [position.action(seat, texts[name]) if name in texts
                       else pyspiel.INVALID_ACTION for seat, name in enumerate(self.seats)]
        else:
            player = pyspiel.PlayerId.CHANCE if "chance" in step else position.mover
            actions = [position.action(player, step.get("chance", step.get("move")))]
        played = ",".join(str(action) for action in actions)
        after = f"{steps} {played}".lstrip()
        answer = self.show(after, self.position(after))
        if self.hidden and "chance" not in step:
            answer["secret"] = True  # the views tell what the others may know of the action
        return answer

    def show(self, steps, position):
        """The answer that shows a position."""
        board = str(position.state)
        state = {"steps": steps} if self.hidden else {"steps": steps, "board": board}
        answer = {"state": state, "turn": position.turn(), **position.legal_fields()}
        if self.hidden:
            answer["views"] = {name: self.view(position.state, seat)
                               for seat, name in enumerate(self.seats)}
        plain = COLOURS.sub("", board).expandtabs()  # some boards are drawn in colours
        answer["rows"] = [row[:256] for row in plain.splitlines()[:64]]
        if self.look:
            answer["board"] = self.board(plain)
        return answer

    def board(self, text):
        """The squares of a board that OpenSpiel drew as text, with their labels."""
        *pieces, empty, columns = self.look
        row = re.compile(rf"\s*(\d*)\s*((?:[{''.join(pieces)}#{re.escape(empty)}] ?)+)\d*\s*")
        found = [match for match in map(row.fullmatch, text.splitlines()) if match]
        cells = [match[2].replace(" ", "").replace(empty, ".") for match in found]
        if not columns:
            return {"cells": cells}
        rows = [match[1] or str(number) for number, match in enumerate(found, 1)]
        return {"cells": cells, "columns": columns[:len(cells[0])], "rows": rows}

    def view(self, state, seat):
        if self.kind.provides_information_state_string:
            return state.information_state_string(seat)
        return state.observation_string(seat)

    def judge(self, steps, seat, text):
        position = self.position(steps)
        texts = position.texts(seat)
        if text.isdecimal() and int(text) in texts:
            return {"action": texts[int(text)]}
        return {"refused": "it is not a legal action", "clause": "OS1"}

    def guess(self, steps, seat, draw):
        """A position after the same number of steps, each of which showed the seat the same.

        Searches in random order, and backtracks if the seat would have seen something else.
        """
        real, seen = [], []  # steps, and what the seat saw after each of them
        position = start = self.position("")
        for step in steps.split():
            position = position.after(step)
            real.append(step)
            seen.append((self.view(position.state, seat), position.asks(seat)))
        rng = random.Random(draw)
        found, path, untried = [], [start], []
        for _ in range(GUESS_STEPS):
            n = len(found)
            if n == len(real):
                return self.show(" ".join(found), path[n])
            if len(untried) == n:
                untried.append(path[n].alternatives(real[n], seat, rng))
            step = next(untried[n], None)
            if step is None:
                for stack in found, path, untried:
                    stack.pop()
                continue
            after = path[n].after(step)
            if (self.view(after.state, seat), after.asks(seat)) == seen[n]:
                found.append(step)
                path.append(after)
        return {"error": f"no state to believe in was found in {GUESS_STEPS} steps"}


class Position:
    """A state of OpenSpiel with the texts of its actions."""

    def __init__(self, state, seats):
        self.state = state
        self.seats = seats
        self.mover = state.current_player()
        self._texts = {}

    def after(self, step):
        """The position after a step: the number of an action, or those of all with commas."""
        state = self.state.clone()
        if state.is_simultaneous_node():
            state.apply_actions([int(action) for action in step.split(",")])
        else:
            state.apply_action(int(step))
        return Position(state, self.seats)

    def asks(self, seat):
        return self.mover == seat

    def texts(self, player):
        """The legal actions of a player, or of chance, with their texts, which are unique."""
        if player not in self._texts:
            legal = self.state.legal_actions(player)
            raw = {action: self.state.action_to_string(player, action) for action in legal}
            texts = {action: " ".join(text.split()) for action, text in raw.items()}
            plain = all(0 < len(text.encode()) <= 256 and text.isprintable() and text[0] != "{"
                        for text in texts.values())
            if not plain or len(set(texts.values())) < len(texts):
                texts = {action: str(action) for action in legal}
            self._texts[player] = texts
        return self._texts[player]

    def action(self, player, text):
        """The number of the action with this text."""
        return next(action for action, its in self.texts(player).items() if its == text)

    def turn(self):
        if self.state.is_terminal():
            returns = self.state.returns()
            reason = "equal-returns" if len(set(returns)) == 1 else "higher-return"
            return {"over": {"scores": returns}, "reason": reason}
        if self.state.is_chance_node():
            return {"chance": self.outcomes()}
        if self.state.is_simultaneous_node():
            return {"both": True} if len(self.seats) == 2 else self.together()
        return {"move": self.seats[self.mover]}

    def together(self):
        asked = self.asked()
        return {"together": asked} if len(asked) > 1 else {"move": asked[0]}

    def asked(self):
        """The seats that choose at a simultaneous turn: those that have an action."""
        return [name for seat, name in enumerate(self.seats) if self.state.legal_actions(seat)]

    def legal_fields(self):
        """The field `legal`, for a position that asks a player."""
        if self.state.is_simultaneous_node():
            texts = {name: [*self.texts(seat).values()] for seat, name in enumerate(self.seats)}
            asked = self.asked()
            return {"legal": {name: texts[name] for name in asked} if len(asked) > 1
                    else texts[asked[0]]}
        if self.state.is_player_node():
            return {"legal": [*self.texts(self.mover).values()]}
        return {}

    def outcomes(self):
        """The chance outcomes with integer weights: exact for fractions of small integers."""
        texts = self.texts(pyspiel.PlayerId.CHANCE)
        listed = self.state.chance_outcomes()
        exact = [Fraction(chance).limit_denominator(100_000) for _, chance in listed]
        unit = math.lcm(*(chance.denominator for chance in exact))
        if unit > MAX_WEIGHT or sum(exact) != 1:
            exact, unit = [Fraction(chance) for _, chance in listed], MAX_WEIGHT
        return [[texts[action], round(chance * unit)]
                for (action, _), chance in zip(listed, exact)]

    def alternatives(self, real, seat, rng):
        """The steps that this seat may believe instead of the real one, in random order."""
        if self.mover == seat:
            if int(real) in self.state.legal_actions():
                yield real
        elif self.state.is_simultaneous_node():
            own = int(real.split(",")[seat])
            if own in self.state.legal_actions(seat) or own == pyspiel.INVALID_ACTION:
                lists = [[own] if other == seat else shuffled(
                    self.state.legal_actions(other) or [pyspiel.INVALID_ACTION], rng)
                    for other in range(len(self.seats))]
                for actions in itertools.product(*lists):
                    yield ",".join(map(str, actions))
        else:
            for action in shuffled(self.state.legal_actions(), rng):
                yield str(action)


def shuffled(items, rng):
    """The items in random order."""
    return rng.sample(items, len(items))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: openspiel.py GAME, for example kuhn_poker or go(board_size=9)")
    try:
        program = Program(sys.argv[1])
    except pyspiel.SpielError as error:
        sys.exit("OpenSpiel refuses this game: " + str(error).partition(" Available games")[0])
    for request in map(json.loads, sys.stdin):
        if request["type"] == "quit":
            break
        print(json.dumps({"id": request["id"], **program.answer(request)}), flush=True)


main()
