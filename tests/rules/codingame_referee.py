"""Speaks as the referee of a game for CodinGame: the seats take one or two of five sticks in turn."""

import sys


def part(name, *lines):
    print(f"[[{name}] {len(lines)}]", *lines, sep="\n", flush=True)


def ask(seat, outputs, *inputs):
    assert input() == "[[GET_GAME_INFO] 0]"
    part("VIEW", "KEY_FRAME 0", "{}")
    part("SUMMARY", f"$0 and $1 share {left}")
    part("NEXT_PLAYER_INPUT", *inputs)
    part("NEXT_PLAYER_INFO", seat, outputs, 50)
    lines = [input() for _ in range(int(input().split()[1].strip("]")))]
    return lines[1:]  # the first is the time


assert [input(), input()] == ["[[INIT] 2]", "2"]
left = 5 + int(input().split("=")[1]) % 2
seat = 0
ask(0, 0, "first")
while left > 0:
    legal = [str(count) for count in range(1, min(2, left) + 1)]
    (taken,) = ask(seat, 1, f"left {left}", len(legal), *(f"TAKE {count}" for count in legal))
    left -= int(taken.split()[1])
    seat = 1 - seat
part("SCORES", f"0 {seat}", f"1 {1 - seat}")
sys.exit()
