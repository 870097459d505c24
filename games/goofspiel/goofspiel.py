#!/usr/bin/env python3
"""Goofspiel as a rules program: any number of seats, all of which choose at the same time."""

import json
import sys

NAMES = ["red", "green", "blue", "yellow", "white", "black", "orange", "violet"]
SEATS = NAMES[:int(sys.argv[1]) if len(sys.argv) > 1 else 3]
GAME = {
    "protocol": 1, "name": "goofspiel", "title": "Goofspiel", "version": "1", "seats": SEATS,
    "options": [{"name": "cards", "default": 7, "text": "cards of each hand, and prizes (G1)",
                 "type": "integer", "min": 2, "max": 13}],
    "clauses": [
        {"id": "G1", "title": "Cards", "text": "Every seat has cards with the numbers from 1 "
                                               "on. So have the prizes, in points."},
        {"id": "G2", "title": "Bid", "text": "A prize is drawn. Every seat bids a card of its hand "
                                             "for it, without knowing the other bids."},
        {"id": "G3", "title": "Prize", "text": "The highest bid that nobody else made takes the "
                                               "prize. Without such a bid nobody does."},
        {"id": "G4", "title": "End", "text": "When the hands are empty, the most points win."}],
}


def start(options, **_):
    cards = list(range(1, options["cards"] + 1))
    first = {"hands": [cards] * len(SEATS), "prizes": cards, "points": [0] * len(SEATS)}
    return {**position(first), "max_plies": len(cards)}


def play(state, step, **_):
    if "chance" in step:
        prize = int(step["chance"])
        left = [other for other in state["prizes"] if other != prize]
        return position({**state, "prizes": left, "prize": prize})
    by_seat = step["together"] if len(SEATS) > 2 else dict(zip(SEATS, step["both"]))
    bids = [int(by_seat[seat]) for seat in SEATS]
    hands = [[card for card in hand if card != bid] for hand, bid in zip(state["hands"], bids)]
    points, alone = list(state["points"]), [bid for bid in bids if bids.count(bid) == 1]
    if alone:
        points[bids.index(max(alone))] += state["prize"]
    return position({"hands": hands, "prizes": state["prizes"], "points": points})


def position(state):
    turn = {"together": SEATS} if len(SEATS) > 2 else {"both": True}
    answer = {"state": state, "rows": rows(state)}
    if "prize" in state:
        legal = {seat: [str(card) for card in hand] for seat, hand in zip(SEATS, state["hands"])}
        return {**answer, "turn": turn, "legal": legal}
    if state["prizes"]:
        return {**answer, "turn": {"chance": [[str(prize), 1] for prize in state["prizes"]]}}
    return {**answer, "turn": {"over": {"scores": state["points"]}, "reason": "points"}}


def rows(state):
    prize = [f"prize {state['prize']}"] if "prize" in state else []
    seats = zip(SEATS, state["points"], state["hands"])
    return prize + [f"{seat}: {points} points, cards {' '.join(map(str, hand))}".rstrip()
                    for seat, points, hand in seats]


def judge(text, **_):
    if not text.isdecimal():
        return {"refused": "a bid is the number of a card", "malformed": True}
    return {"refused": "the hand does not have this card", "clause": "G2"}


ANSWERS = {"game": lambda **_: GAME, "start": start, "play": play, "judge": judge}

for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "quit":
        break
    print(json.dumps({"id": request["id"], **ANSWERS[request.pop("type")](**request)}), flush=True)
