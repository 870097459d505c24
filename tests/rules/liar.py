"""A rules program with a mistake, which its argument names.

The game: seats add 1 or 2 in turn, whoever reaches 40 wins. In some variants the first seat has a coin
that the other one may not see: `leaks` tells it, `keeps` does not, `blind` makes no guesses, `deaf` ends
when it is asked for one, `open` guesses the truth, `bares` shows the coin at the end, and `heads` and
`tails` are what the coin always shows.
"""

import json
import sys
import time

MISTAKE = sys.argv[1]
SEATS = ["first", "second"]
HIDDEN = MISTAKE in ("leaks", "keeps", "blind", "deaf", "open", "bares", "heads", "tails")
GAME = {
    "protocol": 1, "name": "liar", "title": "Liar", "seats": SEATS, "hidden": HIDDEN,
    "options": [], "clauses": [{"id": "L1", "title": "Move", "text": "Add 1 or 2."}],
}
requests = 0


def start():
    state = {"sum": 0, "ply": 0, "coin": None, "pad": ""}
    return {**shown(state, waiting(state)), "max_plies": 40}


def play(state, step):
    if "chance" in step:
        state["coin"] = step["chance"]
        event = {"event": "coin", "side": step["chance"]}
        if MISTAKE != "leaks":
            event["to"] = ["first"]
        return {**shown(state, {"move": "first"}), "events": [event]}
    state["sum"] += int(step["move"])
    state["ply"] += 1
    if MISTAKE == "grows":
        state["pad"] = 2 * state["pad"] + "x"
    if MISTAKE == "endless" and state["sum"] >= 40:
        state["sum"] = 0
    if MISTAKE == "crashes" and state["ply"] == 7:
        sys.exit("a mistake in ply 7")
    if MISTAKE == "silent" and state["sum"] == 6:
        time.sleep(60)
    return shown(state, waiting(state))


def waiting(state):
    """The turn."""
    if HIDDEN and state["coin"] is None:
        return {"chance": [["heads", int(MISTAKE != "tails")], ["tails", int(MISTAKE != "heads")]]}
    if state["sum"] >= 40:
        reason = f"forty-{requests}" if MISTAKE == "fickle" else "forty"
        return {"over": SEATS[(state["ply"] + 1) % 2], "reason": reason}
    return {"move": SEATS[state["ply"] % 2]}


def shown(state, turn):
    answer = {"state": state, "turn": turn, "legal": ["1", "2"], "rows": [str(state["sum"])]}
    if HIDDEN:
        bare = MISTAKE == "bares" and "over" in turn
        answer["views"] = {"first": state, "second": state if bare else {**state, "coin": None}}
    if MISTAKE == "twice" and state["sum"] == 4:
        answer["legal"] = ["1", "2", "2"]
    if MISTAKE == "seats" and state["sum"] == 5:
        answer["turn"] = {"move": "third"}
    if MISTAKE == "impure" and requests % 50 == 0:
        answer["rows"] = ["?"]
    return answer


def guess(state, seat, draw):
    if seat == "second" and state["coin"] and MISTAKE != "open":
        state["coin"] = ["heads", "tails"][draw % 2]
    return shown(state, waiting(state))


for request in map(json.loads, sys.stdin):
    requests += 1
    kind = request["type"]
    if kind == "quit":
        break
    if kind == "game":
        answer = GAME
    elif kind == "start":
        answer = start()
    elif kind == "play":
        answer = play(request["state"], request["step"])
    elif kind == "guess" and MISTAKE == "deaf":
        sys.exit("it does not know guesses")
    elif kind == "guess" and HIDDEN and MISTAKE != "blind":
        answer = guess(request["state"], request["seat"], request["draw"])
    elif MISTAKE == "outlaw":
        answer = {"refused": "no", "clause": "L9"}
    else:
        answer = {"refused": "1 or 2 is added", "clause": "L1", "malformed": True}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
