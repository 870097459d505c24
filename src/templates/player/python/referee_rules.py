"""The referee's rules for look-ahead, using `referee trace`.

    rules = Rules("@GAME@")
    after = rules.play(["an action", "another"])   # from the start of the game
    after["state"], after["turn"], after["legal"]

A position is the list of actions that leads to it, so nothing has to be undone. One process answers
all queries. It remembers the last position, so a step from there is fast. Its computing time counts
as the player's.
"""

import atexit
import json
import os
import subprocess


class Illegal(ValueError):
    """An action that the rules refuse; the text cites the clause."""


class Rules:
    """One game under its options, for example `Rules("backdraughts", {"turning": "on"})`.

    The program is the one that the referee names in the variable REFEREE, else the `referee` in
    the PATH. To be used by one thread at a time.
    """

    def __init__(self, game, options=None, referee=None):
        referee = referee or os.environ.get("REFEREE", "referee")
        given = [f"--option={name}={value}" for name, value in (options or {}).items()]
        command = [referee, "trace", game, "--legal", "--from-start", *given]
        pipe = subprocess.PIPE
        try:
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
        except OSError as error:
            raise RuntimeError(
                f"the rules cannot be asked, because {referee} cannot be run ({error.strerror}): "
                "install the referee where every user may run it, or pass its path as `referee`"
            ) from error
        # Otherwise it might outlive the player for a moment.
        atexit.register(self.close)

    def play(self, actions):
        """The position after these actions, as `referee trace` prints it: a dict with `ply`,
        `action`, `state`, `events`, `turn` and `legal`. Dice are actions too (`roll 4`)."""
        try:
            self.process.stdin.write(json.dumps(list(actions)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError("`referee trace` has ended; what it said is on stderr")
        answer = json.loads(line)
        if "error" in answer:
            raise Illegal(answer["error"])
        return answer

    def close(self):
        """Ends the process. No queries are possible after this."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
