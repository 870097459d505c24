#!/usr/bin/env python3
"""An agent of Kaggle as a player: its file, or its name in the package, such as greedy."""

import json
import sys

from kaggle_environments import make
from kaggle_environments.agent import Agent
from kaggle_environments.utils import structify

for message in map(json.loads, sys.stdin):
    reply = {}
    if message["type"] == "init":
        agent = Agent(sys.argv[1], make("hungry_geese"))
    elif message["type"] == "turn":
        action, log = agent.act(structify(message["state"]))
        is_fault = isinstance(action, Exception)
        reply = {"error": repr(action), "code": "crash"} if is_fault else {"action": str(action)}
        print(log["stderr"], end="", file=sys.stderr)
    if "id" in message:
        print(json.dumps({"id": message["id"], **reply}), flush=True)
