"""A small Go engine that speaks GTP. Its argument says how it fails."""

import sys

FAILS = sys.argv[1] if len(sys.argv) > 1 else ""
COLUMNS = "ABCDEFGHJKLMNOPQRST"
size, taken, log = 0, set(), []


def genmove(colour):
    if FAILS == "resigns" and len(taken) > 2:
        return "= resign"
    if FAILS == "refuses":
        return "? out of ideas"
    if FAILS == "chats" and not taken:
        print("thinking ...\n=999 the answer to another command")
    if FAILS == "silent":
        print("thinking ...", flush=True)
        sys.stdin.read()
    if FAILS == "exits":
        sys.exit(4)
    if FAILS == "no-vertex":
        return "= I5"
    if FAILS == "taken" and taken:
        return "= " + sorted(taken)[0]
    # Black fills column C, white column D, from the bottom; then they pass.
    column = "C" if colour == "b" else "D"
    for row in range(1, size + 1):
        if f"{column}{row}" not in taken:
            taken.add(f"{column}{row}")
            return f"= {column.lower()}{row}"
    return "= PASS"


for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words[0].isdigit() else ""
    log.append(" ".join(words))
    command, answer = words[0], "="
    if command == "name":
        answer = "= Fake Go"
    elif command == "version":
        answer = "= 1.2"
    elif command == "boardsize":
        size = int(words[1])
        answer = "= " if size <= 9 and FAILS != "size" else "? unacceptable size"
    elif command == "clear_board":
        taken.clear()
    elif command == "time_settings" and FAILS == "no-clock":
        answer = "? unknown command"
    elif command == "play":
        if FAILS == "rejects":
            answer = "? illegal move"
        taken.add(words[2].upper())
    elif command == "genmove":
        answer = genmove(words[1])
    if FAILS != "no-ids":
        answer = answer[0] + number + answer[1:]
    print(answer + "\n", flush=True)
    if command == "quit":
        break
