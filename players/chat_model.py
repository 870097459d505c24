#!/usr/bin/env python3
"""A player for every game that lists its legal actions: it asks a language model.

The model is behind an OpenAI-style API. Set these variables in the player's `env`:
CHAT_URL, such as https://api.example.com/v1; CHAT_MODEL; CHAT_KEY, if it needs one;
CHAT_PRICE per million tokens, to report the cost; CHAT_NOTE=1 to record up to 16 KiB of
the model's words instead of 1 KiB (set `long-notes = true` too). HTTPS_PROXY and
HTTP_PROXY are honoured.

If the service cannot be reached in time, the player replies with an `outage`. If the
model names no legal action, that is no outage: a random action is played.
"""

import json
import os
import queue
import random
import re
import sys
import threading
import time
import urllib.request

URL = os.environ.get("CHAT_URL", "http://localhost:8000/v1").rstrip("/") + "/chat/completions"
HEADERS = {"Content-Type": "application/json"}
if "CHAT_KEY" in os.environ:
    HEADERS["Authorization"] = "Bearer " + os.environ["CHAT_KEY"].strip()
TRIES = 3  # how often the model may name an illegal action
RESERVE = 0.2  # of the time, for everything else
LONGEST_NOTE = 16384 if os.environ.get("CHAT_NOTE") == "1" else 1024  # bytes
PRICE = float(os.environ.get("CHAT_PRICE", "0")) / 1e6  # of a token


def request(messages, timeout, answers):
    """Puts the model's answer and its tokens into the queue, or why there is none."""
    body = {"model": os.environ.get("CHAT_MODEL", "default"), "messages": messages}
    try:
        data = json.dumps(body).encode()
        # Whoever waits for the answer waits less long, and says so in plain words.
        with urllib.request.urlopen(
                urllib.request.Request(URL, data, HEADERS), timeout=timeout + 1) as reply:
            answer = json.load(reply)
        tokens = int((answer.get("usage") or {}).get("total_tokens") or 0)
        tokens = min(max(tokens, 0), 10**12)
        answers.put((str(answer["choices"][0]["message"]["content"]), tokens, None))
    except Exception as error:  # whatever the service does, it is not the player's fault
        answers.put((None, 0, f"{type(error).__name__}: {error}"))


def ask(messages, deadline, usage):
    """The model's answer and None, or None and why the service gave none in time."""
    why, pause = "no time left", 0.5
    while (left := deadline - time.monotonic()) > 0:
        answers = queue.Queue()
        # A thread, because a service that sends a byte now and then never times out.
        threading.Thread(target=request, args=(messages, left, answers), daemon=True).start()
        try:
            text, tokens, why = answers.get(timeout=left)
            usage["tokens"] += tokens
        except queue.Empty:
            return None, "no answer in time"
        if why is None:
            return text, None
        time.sleep(max(0, min(pause, deadline - time.monotonic())))
        pause *= 2
    return None, why


def decide(game, message, deadline, usage):
    """The fields of the reply to a turn."""
    legal = message["legal"]
    position = json.dumps({"you": game["you"], "state": message["state"], "legal": legal})
    messages = [
        {"role": "system", "content": f"You play {game['game']} {json.dumps(game['options'])}. "
         "Think, then write your action on the last line, exactly as it is in `legal`."},
        {"role": "user", "content": position}]
    for _ in range(TRIES):
        text, why = ask(messages, deadline, usage)
        if text is None and len(messages) == 2:
            return {"outage": why}
        if text is None:  # it answered before, but named no legal action
            break
        lines = text.strip().splitlines() or [""]
        action = re.sub(r"^(action:)?[\s\"'`*]*|[\s\"'`*.]*$", "", lines[-1], flags=re.I)
        if action in legal:
            note = text.encode(errors="ignore")[:LONGEST_NOTE].decode(errors="ignore")
            return {"action": action, "note": note}
        messages += [{"role": "assistant", "content": text},
                     {"role": "user", "content": "That is not one of the legal actions."}]
    return {"action": random.choice(legal), "note": "no legal action in the model's answers"}


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "init":
        game = message
        random.seed(message["seed"])
        print(json.dumps({"id": message["id"], "name": "chat_model.py",
                          "want": ["state", "legal"]}), flush=True)
    elif message["type"] == "turn":
        allowed = [game["clock"].get("move_ms"), message["clock"].get("left_ms")]
        seconds = min((ms for ms in allowed if ms is not None), default=600_000) / 1000
        usage = {"tokens": 0}
        reply = decide(game, message, time.monotonic() + (1 - RESERVE) * seconds, usage)
        usage["cost"] = usage["tokens"] * PRICE
        print(json.dumps({"id": message["id"], "usage": usage, **reply}), flush=True)
    elif message["type"] == "quit":
        break
