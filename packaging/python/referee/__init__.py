"""referee from Python: thin calls of the program `referee`, with JSON in between.

    import referee
    referee.rate([("ant", "bee", "1-0"), ("bee", "ant", "1/2-1/2")])
    referee.compare("new/", "old/", game="watch-your-back", elo1=30)
    referee.run("tournament.toml")

Keyword arguments are options of the command: `max_pairs=200` is `--max-pairs 200`, `strict=True` is
`--strict`, and a list repeats an option. `cwd` is the folder the program runs in.
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sysconfig

__all__ = ["RefereeError", "compare", "rate", "run"]

# Exit codes with which a command has done its work: done, faults under --strict, and the verdicts of
# `compare`.
_DONE = {0, 1, 10, 11}
# The columns of games that are tuples, in order.
_COLUMNS = ("first", "second", "result", "pair", "fault")


class RefereeError(Exception):
    """The program refused or failed; `code` is its exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def rate(results, *, frame=None, **options):
    """Ratings of games that were played anywhere, best player first.

    `results` is a pandas data frame with the columns of `referee rank --from`, a list of dicts with
    them, or a list of tuples (first, second, result), with the pair and the fault as a fourth and
    fifth part if you like. Returns a list of dicts, or a data frame if `results` is one or `frame` is
    true.
    """
    is_frame = hasattr(results, "to_csv")
    frame_of = _frames() if frame or (is_frame and frame is None) else None
    text = results.to_csv(index=False) if is_frame else _csv(list(results))
    players = _call(["rank", "--from", "-"], options, text)["players"]
    return frame_of(players) if frame_of else players


def compare(new, old=None, *, against=(), **options):
    """The verdict of `referee compare`: whether `new` is better than `old`, or against the same
    opponents, or, without `old`, the place of `new` among these. Continues an earlier comparison."""
    players = [str(player) for player in (new, old) if player is not None]
    against = [against] if isinstance(against, (str, os.PathLike)) else against
    if against:
        options["against"] = [str(each) for each in against]
    return _call(["compare", *players], options)


def run(config="tournament.toml", *, frame=None, **options):
    """Plays a tournament, or what is missing of it. Returns what `referee run --format json` prints, or
    only its players as a pandas data frame if `frame` is true."""
    frame_of = _frames() if frame else None
    standings = _call(["run", str(config)], options)
    return frame_of(standings["players"]) if frame_of else standings


def _frames():
    """What makes data frames; asked for before any game is played."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise RefereeError(None, "data frames need pandas; `pip install pandas`") from error
    return pandas.DataFrame


def _csv(results):
    rows = [row if isinstance(row, dict) else _row(row) for row in results]
    out = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row)) or _COLUMNS[:3]
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(game):
    if isinstance(game, str) or not 3 <= len(game) <= len(_COLUMNS):
        raise ValueError(f"expected (first, second, result) or a dict, not {game!r}")
    return dict(zip(_COLUMNS, game))


def _program():
    """The program: REFEREE, or that of this installation, or the first one in the path."""
    installed = os.path.join(sysconfig.get_path("scripts"), "referee")
    found = os.environ.get("REFEREE") or shutil.which(installed) or shutil.which("referee")
    if found is None:
        raise RefereeError(None, "the program `referee` is not installed; `pip install` its wheel")
    return found


def _call(words, options, text=None):
    cwd = options.pop("cwd", None)
    command = [_program(), *words, "--quiet", "--format", "json"]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if each is True:
                command.append(option)
            elif each is not False and each is not None:
                command += [option, str(each)]
    done = subprocess.run(command, input=text or "", capture_output=True, text=True, cwd=cwd)
    if done.returncode not in _DONE or not done.stdout:
        raise RefereeError(done.returncode, done.stderr.strip())
    return json.loads(done.stdout)
