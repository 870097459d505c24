#!/usr/bin/env python3
"""A bot for CodinGame as a player. The arguments are its command."""

import json
import sys
from subprocess import PIPE, Popen

bot = None
for message in map(json.loads, sys.stdin):
    reply = {}
    if message["type"] == "init":
        if bot:
            bot.kill()
        bot = Popen(sys.argv[1:], stdin=PIPE, stdout=PIPE, text=True)
    elif message["type"] == "turn":
        print(*message["state"]["input"], sep="\n", file=bot.stdin, flush=True)
        line = bot.stdout.readline()
        if not line:
            sys.exit(f"the bot exited with code {bot.wait()}")
        # A bot may write a message after its action.
        words = f"{line.strip()} "
        begun = [action for action in message["legal"] if words.startswith(f"{action} ")]
        reply = {"action": begun[0] if begun else line.strip()}
    if "id" in message:
        print(json.dumps({"id": message["id"], **reply}), flush=True)
