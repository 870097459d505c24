"""The rules of the referee's games, for look-ahead and for training.

    rules = Rules(@RULES@, {"an-option": 3})
    position = rules.start()
    position.legal                        # the legal actions; None if there are too many to list
    after = position.play("an action")    # `position` is unchanged; `after.before` is `position`
    after.playout(random.Random(1))       # a random game from here: its `winner`

A process, `referee trace --requests`, answers all questions, and a step costs one exchange with it. Its time
counts as the player's. `Environment` is for training, in the manner of PettingZoo.
"""

import atexit
import json
import os
import random
import subprocess


class Illegal(ValueError):
    """An action that the rules refuse; the text cites the clause."""


class Rules:
    """A game under its options, for example `Rules("backdraughts", {"turning": "on"})`.

    `game` is the name of a built-in game, or the command of a rules program as a list of words. For
    a built-in game the program is the one that the referee names in the variable REFEREE, else the
    `referee` in PATH. Use it from one thread at a time.
    """

    def __init__(self, game, options=None, referee=None):
        referee = referee or os.environ.get("REFEREE", "referee")
        command = [referee, "trace", game, "--requests"] if isinstance(game, str) else list(game)
        pipe = subprocess.PIPE
        # Only the referee writes nothing to stderr but the reason why it ends.
        stderr = pipe if isinstance(game, str) else None
        try:
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr,
                                            encoding="utf-8")
        except OSError as error:
            raise RuntimeError(
                f"the rules are unavailable, because {command[0]} cannot be run "
                f"({error.strerror}): "
                "install the referee where every user may run it, or pass its path as `referee`"
            ) from error
        # Otherwise it might outlive the player for a moment.
        atexit.register(self.close)
        self.asked = 0
        self.about = self.ask("game", protocol=[1])
        self.seats = self.about["seats"]
        self.options = {option["name"]: option["default"] for option in self.about["options"]
                        if "default" in option}
        unknown = set(options or {}) - {option["name"] for option in self.about["options"]}
        if unknown:
            raise ValueError(f"{game} has no option `{min(unknown)}`")
        self.options.update(options or {})

    def ask(self, kind, **fields):
        """The answer to a request, as `referee help games` describes it."""
        self.asked += 1
        request = {"type": kind, "id": self.asked, **fields}
        try:
            self.process.stdin.write(json.dumps(request, separators=(",", ":")) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            stderr = self.process.stderr
            reason = stderr.read().strip() if stderr else "its message is on stderr"
            raise RuntimeError(f"the rules program has ended: {reason}")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def start(self):
        """The first position."""
        return Position(self, self.ask("start", options=self.options))

    def play(self, actions):
        """The position after these actions from the start, as a game's record lists them.

        A simultaneous turn takes an action for each seat to move, in seat order; `pass` is a
        forced pass. Outcomes of chance are listed, too.
        """
        position, actions = self.start(), iter(actions)
        for action in actions:
            others = [next(actions) for _ in position.asked[1:]]
            position = position.play([action, *others] if others else action)
        return position

    def close(self):
        """Ends the process; nothing can be asked afterwards."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()


class Position:
    """A position: `state`, `turn`, `legal`, `events` (of the step that led here), `rows`, `views`.

    `turn` is `{"move": SEAT}`, `{"both": True}`, `{"together": [SEAT, …]}`, `{"pass": SEAT}`,
    `{"chance": [[TEXT, WEIGHT], …]}` or `{"over": …, "reason": TEXT}`; `places` reads the last one.
    `legal` is a list of texts, by seat where several move. `before` is the position before the last
    step, None at the start.
    """

    def __init__(self, rules, answer, before=None):
        self.rules, self.before = rules, before
        self.ply = 0 if before is None else before.ply + ("chance" not in before.turn)
        self.state, self.turn = answer["state"], answer["turn"]
        self.legal, self.events = answer.get("legal"), answer.get("events", [])
        self.show, self.views = answer.get("show"), answer.get("views")
        self.rows, self.values = answer.get("rows", []), answer.get("values")

    @property
    def asked(self):
        """The seats that must choose an action now, in seat order."""
        seats = self.rules.seats
        together = seats if "both" in self.turn else self.turn.get("together", [])
        return [seat for seat in seats if seat in together or seat == self.turn.get("move")]

    @property
    def places(self):
        """By seat, 1 for the best; level seats share a place. None until the game is over."""
        over, seats = self.turn.get("over"), self.rules.seats
        if over is None:
            return None
        if isinstance(over, dict) and "places" in over:
            return over["places"]
        if isinstance(over, dict):
            scores = dict(zip(seats, over["scores"]))
        else:
            scores = {seat: int(seat == over) for seat in seats}
        return {seat: 1 + sum(other > scores[seat] for other in scores.values()) for seat in seats}

    @property
    def winner(self):
        """The seat ahead of all others, "draw" if there is none, or None until the game is over."""
        if self.places is None:
            return None
        first = [seat for seat, place in self.places.items() if place == 1]
        return first[0] if len(first) == 1 else "draw"

    def legal_of(self, seat):
        """The legal actions of a seat to move; None if there are too many to list."""
        return self.legal[seat] if isinstance(self.legal, dict) else self.legal

    def play(self, action):
        """The position after an action, an outcome of chance, `pass`, or, if several seats are
        asked, a list with an action for each in seat order.
        """
        if "move" in self.turn:
            step = {"move": self.judge(self.turn["move"], action)}
        elif self.asked:
            actions = [self.judge(*asked) for asked in zip(self.asked, action)]
            step = {"both": actions} if "both" in self.turn else {
                "together": dict(zip(self.asked, actions))}
        elif "chance" in self.turn and any(action == text for text, _ in self.turn["chance"]):
            step = {"chance": action}
        elif "pass" in self.turn and action == "pass":
            step = {"pass": True}
        else:
            raise Illegal(f"{action!r} does not answer the turn {json.dumps(self.turn)[:200]}")
        answer = self.rules.ask("play", options=self.rules.options, state=self.state, step=step)
        return Position(self.rules, answer, self)

    def follow(self, events):
        """The position after the steps in the `events` of a turn.

        Begin with `rules.start()`, and follow the events of every turn. The `state` of a turn is
        what a player sees, and cannot be played on. Events are not enough in a game that hides
        something, or for a rules program with chance: ask for `guesses` instead.
        """
        position, held = self, []
        for event in events:
            if event["event"] == "roll":
                position = position.play(f"roll {event['value']}")
            elif event["event"] == "first":
                position = position.play("roll {} {}".format(*event["rolls"]))
            elif event["event"] == "action" and len(position.asked) > 1:
                held.append((position.rules.seats.index(event["by"]), event["action"]))
                if len(held) == len(position.asked):
                    position = position.play([action for _, action in sorted(held)])
                    held = []
            elif event["event"] == "action":
                position = position.play(event["action"])
        return position

    def judge(self, seat, text):
        """The canonical text of a legal action; raises `Illegal` for any other text."""
        if text in (self.legal_of(seat) or ()):
            return text
        answer = self.rules.ask(
            "judge", options=self.rules.options, state=self.state, seat=seat, text=text)
        if "refused" in answer:
            clause = f"{answer['clause']}: " if "clause" in answer else ""
            raise Illegal(clause + answer["refused"])
        return answer["action"]

    def sample(self, seat, rng=random):
        """A random legal action of a seat to move."""
        legal = self.legal_of(seat)
        if legal:
            return rng.choice(legal)
        return self.rules.ask("sample", options=self.rules.options, state=self.state, seat=seat,
                              draw=rng.randrange(2**53))["action"]

    def random_step(self, rng=random):
        """The position after a random action, outcome or forced pass."""
        if "chance" in self.turn:
            texts, weights = zip(*self.turn["chance"])
            return self.play(rng.choices(texts, weights)[0])
        if "pass" in self.turn:
            return self.play("pass")
        actions = [self.sample(seat, rng) for seat in self.asked]
        return self.play(actions if len(actions) > 1 else actions[0])

    def settled(self, rng=random):
        """The next position that asks a seat or is over; chance is drawn, passes are made."""
        position = self
        while not position.asked and position.winner is None:
            position = position.random_step(rng)
        return position

    def playout(self, rng=random):
        """The `winner` of a random game from here."""
        position = self
        while position.winner is None:
            position = position.random_step(rng)
        return position.winner


class Environment:
    """A game for training, in the manner of PettingZoo: seats act one after the other.

        env = Environment(Rules(@RULES@))
        env.reset(seed=1)
        while env.agent is not None:
            env.step(choose(env.observe(), env.legal()))
        env.rewards    # by seat: 1 for a win, -1 for a loss, 0 for a draw

    In a simultaneous turn, seats act one by one without seeing the actions of the others. With more
    than two seats, a reward is how many others the seat is ahead of, minus how many are ahead of it.
    """

    def __init__(self, rules):
        self.rules, self.seats = rules, rules.seats
        self.rng = random.Random()
        self.reset()

    def reset(self, seed=None):
        """Starts a new game; chance is drawn from the seed."""
        if seed is not None:
            self.rng.seed(seed)
        self._go_on(self.rules.start())

    def _go_on(self, position):
        self.position = position.settled(self.rng)
        self.waiting, self.chosen = self.position.asked, []
        places = self.position.places or {seat: 1 for seat in self.seats}
        self.rewards = {
            seat: sum((other > place) - (other < place) for other in places.values())
            for seat, place in places.items()
        }

    @property
    def agent(self):
        """The seat that acts next; None when the game is over."""
        return self.waiting[len(self.chosen)] if self.waiting else None

    def legal(self, seat=None):
        """The legal actions; None if there are too many to list (`position.sample` draws one)."""
        return self.position.legal_of(seat or self.agent)

    def observe(self, seat=None):
        """What a seat sees: the state, or its view in a game with hidden information."""
        seat = seat or self.agent
        return self.position.views[seat] if self.position.views else self.position.state

    def step(self, action):
        """Plays an action of `agent`. Raises `Illegal` if the rules refuse it."""
        self.chosen.append(self.position.judge(self.agent, action))
        if len(self.chosen) == len(self.waiting):
            alone = len(self.waiting) == 1
            self._go_on(self.position.play(self.chosen[0] if alone else self.chosen))
