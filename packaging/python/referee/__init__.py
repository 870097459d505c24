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


class RefereeError(Exception):
    """The program refused or failed; `code` is its exit code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def rate(results, *, frame=None, **options):
    """Ratings of games that were played anywhere, best player first.

    `results` is a pandas data frame with the columns of `referee rank --from`, a list of dicts with
    them, or a list of tuples (first, second, result). Returns a list of dicts, or a data frame if
    `results` is one or `frame` is true.
    """
    is_frame = hasattr(results, "to_csv")
    text = results.to_csv(index=False) if is_frame else _csv(list(results))
    players = _call(["rank", "--from", "-"], options, text)["players"]
    if frame if frame is not None else is_frame:
        import pandas

        return pandas.DataFrame(players)
    return players


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
    standings = _call(["run", str(config)], options)
    if frame:
        import pandas

        return pandas.DataFrame(standings["players"])
    return standings


def _csv(results):
    rows = [row if isinstance(row, dict) else _row(row) for row in results]
    out = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row)) or ["first", "second", "result"]
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _row(game):
    first, second, result = game
    return {"first": first, "second": second, "result": result}


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
