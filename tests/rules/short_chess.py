"""Chess of three plies, with one legal move in each, for tests of engines."""

import json
import sys

MOVES = ["e2e4", "e7e5", "g1f3"]
NAME = sys.argv[1]


def position(moves):
    state = {"moves": " ".join(MOVES[:moves])}
    if moves == len(MOVES):
        return {"state": state, "turn": {"over": "draw", "reason": "short"}}
    return {"state": state, "turn": {"move": ["white", "black"][moves % 2]}, "legal": [MOVES[moves]]}


for line in sys.stdin:
    request = json.loads(line)
    answer = {"refused": "expected a move like `e2e4`", "malformed": True}
    if request["type"] == "game":
        answer = {"protocol": 1, "name": NAME, "title": "Chess", "seats": ["white", "black"],
                  "clauses": [{"id": "CH1", "title": "Moves", "text": "Pieces move."}]}
    elif request["type"] == "start":
        answer = {**position(0), "max_plies": len(MOVES)}
    elif request["type"] == "play":
        answer = position(len(request["state"]["moves"].split()) + 1)
    elif request["type"] == "judge" and len(request["text"]) == 4:
        answer = {"refused": f"{request['text']} is not legal", "clause": "CH1"}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
