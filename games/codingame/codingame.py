#!/usr/bin/env python3
"""A game of CodinGame's SDK for two seats, over the pipe on which its referee asks for players."""

import sys
from subprocess import PIPE, Popen
from rules_program import serve_engine

NAME, *REFEREE = sys.argv[1:]
SEATS = ["blue", "red"]


class Game:
    def __init__(self, options):
        self.referee = Popen(REFEREE, stdin=PIPE, stdout=PIPE, text=True)
        self.parts, self.seat, self.input = {}, None, {seat: [] for seat in SEATS}

    def __del__(self):
        self.referee.kill()

    def send(self, lines):
        """Sends lines, and reads the answer until a player is asked or the game is over."""
        print(f"{lines}\n[[GET_GAME_INFO] 0]", file=self.referee.stdin, flush=True)
        part, answer = "", self.referee.stdout
        while part not in ("NEXT_PLAYER_INFO", "SCORES"):
            part, count = answer.readline().strip("[]\n").split("] ")
            self.parts[part] = [answer.readline().rstrip("\n") for _ in range(int(count))]
        if part == "NEXT_PLAYER_INFO":
            self.seat, outputs = SEATS[int(self.parts[part][0])], self.parts[part][1]
            self.input[self.seat] += self.parts["NEXT_PLAYER_INPUT"]
            if outputs == "0":  # nobody plays in this frame
                self.send("[[SET_PLAYER_OUTPUT] 1]\n0")


def play(options, game, step):
    game.input[game.seat] = []
    game.send(f"[[SET_PLAYER_OUTPUT] 2]\n0\n{step['move']}" if game.seat
              else f"[[INIT] 2]\n2\nseed={step['chance']}")


def show(options, game):
    summary = game.parts.get("SUMMARY", [])
    shown = {"rows": [line.replace("$0", "blue").replace("$1", "red") for line in summary],
             "views": {seat: {"input": game.input[seat]} for seat in SEATS}, "secret": True}
    scores = [int(line.split()[1]) for line in game.parts.get("SCORES", [])]
    seeds = [[str(seed), 1] for seed in range(1024)]
    if scores or not game.seat:
        return {**shown, "turn": {"over": {"scores": scores}} if scores else {"chance": seeds}}
    # What a player may do is the list at the end of its input, which comes after its length.
    lines = game.input[game.seat]
    ends = [at for at, line in enumerate(lines) if line == str(len(lines) - at - 1)]
    if not ends:
        sys.exit(f"the input of {game.seat} must end with a list of actions, after its length")
    at = ends[-1]
    return {**shown, "turn": {"move": game.seat}, "legal": lines[at + 1:]}


GAME = {"protocol": 1, "name": NAME, "title": NAME, "seats": SEATS, "hidden": True, "clauses": [
    {"id": "G1", "title": "Rules", "text": "The game's own. `input` has the lines that it sends."}]}
serve_engine(GAME, Game, max_plies=lambda options: 1000, play=play, show=show, kept=2)
