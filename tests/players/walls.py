# A whole player of Back to the Wall that writes down every line and when it came and was answered.
# An argument PLY:WHAT makes it do something at that ply: sleep N seconds, reply badly, or exit.
import json
import os
import sys
import time

tricks = dict(argument.split(":", 1) for argument in sys.argv[1:])
notes = None


def note(what, message):
    print(json.dumps({"what": what, "at": time.monotonic_ns(), **message}), file=notes, flush=True)


def action(message):
    legal, ply = message["legal"], message["ply"]
    free = legal["squares"] if you == "grunkle" else legal["squares"][::-1]
    walls = (free[ply:] + free)[: legal["walls"]]
    ways = "UDLR"
    return " ".join([ways[ply % 4], ways[(ply + 1) % 4], *walls])


def reply(message):
    trick = tricks.get(str(message["ply"]), "")
    if trick.startswith("sleep="):
        time.sleep(float(trick[len("sleep=") :]))
    if trick == "exit":
        sys.exit(0)
    if trick in ("bad", "illegal") and "retry" not in message:
        return {"bad": "nonsense", "illegal": "R U"}[trick]
    return action(message)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        you = message["you"]
        name = f"{you}-{message['seed']}-{os.getpid()}.jsonl"
        notes = open(os.path.join(os.environ["TOLD"], name), "w")
    note("told", {"line": line, "message": message})
    if message["type"] == "quit":
        break
    if "id" in message:
        answer = {"id": message["id"]}
        if message["type"] == "turn":
            answer["action"] = reply(message)
        note("said", {"answer": answer})
        print(json.dumps(answer), flush=True)
