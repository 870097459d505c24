"""The protocol of a rules program: one request per line on stdin, one answer per line on stdout.

You need not change this file.
"""

import json
import sys


def serve(game, *, start, max_plies, play, show, judge=None, sample=None, guess=None):
    """Answers requests with these functions until `quit` or the end of the input.

    `play` returns the next state, or a tuple of the state and its events. `start` may return
    `{"error": …}` instead of a state if the options contradict each other. `judge` returns the
    action that a text means, or a refusal; without it, only the texts in `legal` are actions.
    `guess` returns a state.
    """

    def first(options):
        state = start(options)
        if isinstance(state, dict) and state.keys() == {"error"}:
            return state
        return {"state": state, **show(options, state), "max_plies": max_plies(options)}

    def after(options, state, step):
        played = play(options, state, step)
        state, events = played if isinstance(played, tuple) else (played, [])
        return {"state": state, **show(options, state), "events": events}

    def refuse(options, state, seat, text):
        legal = show(options, state).get("legal")
        if legal is None:
            return {"error": "a game that does not list its legal actions needs `judge`"}
        legal = legal[seat] if isinstance(legal, dict) else legal
        reason = f"{text} is not legal here; legal actions include {', '.join(legal[:3])}"
        clauses = game.get("clauses", [])
        return {"refused": reason, "clause": clauses[0]["id"] if clauses else None}

    def guessed(options, state, seat, draw):
        guess_state = guess(options, state, seat, draw)
        return {"state": guess_state, **show(options, guess_state)}

    place = ["options", "state", "seat"]
    functions = {
        "game": (lambda: game, []),
        "start": (first, ["options"]),
        "play": (after, ["options", "state", "step"]),
        "judge": (judge or refuse, [*place, "text"]),
        "sample": (sample, [*place, "draw"]),
        "guess": (guess and guessed, [*place, "draw"]),
    }
    for request in map(json.loads, sys.stdin):
        if request["type"] == "quit":
            break
        function, fields = functions.get(request["type"], (None, []))
        if function is None:
            answer = {"error": f"this game does not answer `{request['type']}`"}
        else:
            answer = function(*(request[field] for field in fields))
        # Without the flush, the referee would never see the line.
        print(json.dumps({"id": request["id"], **answer}), flush=True)


def serve_engine(game, make, *, max_plies, play, show, judge=None, sample=None, kept=8):
    """Like `serve`, for a game that is an object: `make(options)` returns a new one.

    The state is the list of steps so far. Functions get the object in place of the state; `play`
    changes it. The last objects are kept, up to `kept`, for games that are checked at the same
    time. If the referee goes back, one is rebuilt. So objects must not depend on each other.
    """
    live = []  # the latest first

    def after(options, steps):
        """The object after these steps."""
        fits = [it for it in live
                if it["options"] == options and it["steps"] == steps[:len(it["steps"])]]
        new = {"options": options, "steps": []}
        best = max(fits, key=lambda it: len(it["steps"]), default=new)
        if best is new:
            new["engine"] = make(options)
        live[:] = [best, *(it for it in live if it is not best)][:kept]
        for step in steps[len(best["steps"]):]:
            play(options, best["engine"], step)
        best["steps"] = steps
        return best["engine"]

    def added(options, steps, step):
        """The steps with one more, whatever the order of its seats."""
        together = step.get("together")
        return [*steps, {"together": dict(sorted(together.items()))} if together else step]

    def of(function):
        if function is None:
            return None
        return lambda options, steps, *rest: function(options, after(options, steps), *rest)

    serve(game, start=lambda options: [], max_plies=max_plies, play=added, show=of(show),
          judge=of(judge), sample=of(sample))
