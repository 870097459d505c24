"""The rules of the referee for look-ahead, by way of `referee trace`.

    rules = Rules("@GAME@")
    after = rules.play(["an action", "another"])   # from the start of the game
    after["state"], after["turn"], after["legal"]

Each call starts the rules anew and plays the list, so positions are lists of actions and nothing
has to be undone. Many lists are played faster by `play_many`, which runs several at a time.
"""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor


class Illegal(ValueError):
    """An action that the rules refuse; the text cites the clause."""


class Rules:
    """One game under its options, for example `Rules("backdraughts", {"turning": "on"})`."""

    def __init__(self, game, options=None, referee="referee"):
        given = [f"--option={name}={value}" for name, value in (options or {}).items()]
        self.command = [referee, "trace", game, "--legal", *given]

    def play(self, actions):
        """The position after these actions, as `trace` prints it: a dict with `ply`, `state`,
        `events`, `turn` and `legal`. Dice are actions too (`roll 4`)."""
        text = "".join(f"{action}\n" for action in actions)
        done = subprocess.run(self.command, input=text, capture_output=True, text=True)
        if done.returncode:
            raise Illegal(done.stderr.strip())
        return json.loads(done.stdout.splitlines()[-1])

    def play_many(self, lists):
        """The positions after each of these lists of actions, in their order."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(self.play, lists))
