#!/usr/bin/env python3
"""A classic game of PettingZoo as a rules program, without chance and hidden information."""

import sys
from importlib import import_module
from rules_program import serve_engine

NAME = sys.argv[1]


def make(options):
    env = import_module(f"pettingzoo.classic.{NAME}").raw_env()
    env.reset()
    return env


def play(options, env, step):
    env.step(int(step["move"]))


def show(options, env):
    shown = {"rows": rows(env.observe(env.possible_agents[0])["observation"])}
    if all(env.terminations[agent] or env.truncations[agent] for agent in env.possible_agents):
        scores = [float(env.rewards[agent]) for agent in env.possible_agents]
        return {**shown, "turn": {"over": {"scores": scores}}}
    mask = env.observe(env.agent_selection)["action_mask"]
    legal = [str(action) for action, may in enumerate(mask) if may]
    return {**shown, "turn": {"move": SEATS[env.agent_selection]}, "legal": legal}


def rows(planes):
    """The board, if it is observed as a plane for the first seat and one for the other."""
    boards = planes.tolist() if planes.shape[2:] == (2,) else []
    return ["".join(".xo"[own + 2 * other] for own, other in row) for row in boards]


SEATS = {agent: agent.replace("_", "-") for agent in make({}).possible_agents}
GAME = {"protocol": 1, "name": NAME.replace("_", "-"), "title": NAME, "seats": list(SEATS.values()),
        "clauses": [{"id": "P1", "title": "Action", "text": "Actions are PettingZoo's numbers."}]}
serve_engine(GAME, make, max_plies=lambda options: 1000, play=play, show=show)
