#!/usr/bin/env python3
"""Hungry Geese, an environment of Kaggle, as a rules program for four seats."""

import random
import kaggle_environments
from rules_program import serve_engine

SEATS = ["red", "blue", "green", "yellow"]
SEEDS = {"turn": {"chance": [[str(seed), 1] for seed in range(1024)]}}


def make(options):
    env = kaggle_environments.make("hungry_geese")
    env.chosen = []  # actions that wait for a seed, which nobody can foresee; none before the start
    return env


def play(options, env, step):
    if "chance" in step:
        random.seed(int(step["chance"]))
        env.step(env.chosen) if env.chosen else env.reset(len(SEATS))
    env.chosen = [step["together"].get(seat) for seat in SEATS] if "together" in step else None


def show(options, env):
    if env.chosen == []:
        return {**SEEDS, "views": dict.fromkeys(SEATS, {})}
    common = env.state[0].observation
    views = [{**common, **agent.observation} for agent in env.state]
    out = [seat for seat, goose in zip(SEATS, common.geese) if not goose]
    shown = {"views": dict(zip(SEATS, views)), "board": {"cells": cells(common)}, "eliminated": out}
    if env.chosen:
        return {**shown, **SEEDS}
    if env.done:
        return {**shown, "turn": {"over": {"scores": [agent.reward for agent in env.state]}}}
    asked = [seat for seat in SEATS if seat not in out]
    actions = ["NORTH", "EAST", "SOUTH", "WEST"]
    return {**shown, "turn": {"together": asked}, "legal": dict.fromkeys(asked, actions)}


def cells(common):
    squares = dict.fromkeys(common.food, "f")
    for seat, goose in zip(SEATS, common.geese):
        squares.update(dict.fromkeys(goose, seat[0]))
        squares.update(dict.fromkeys(goose[:1], seat[0].upper()))
    return ["".join(squares.get(11 * row + column, ".") for column in range(11)) for row in range(7)]


LEGEND = {"f": {"name": "food", "glyph": "✿"}, **{seat[0]: seat for seat in SEATS},
          **{seat[0].upper(): {"seat": seat, "name": "head", "glyph": "◉"} for seat in SEATS}}
GAME = {"protocol": 1, "name": "hungry-geese", "title": "Hungry Geese", "seats": SEATS,
        "hidden": True, "board": {"legend": LEGEND},
        "clauses": [{"id": "K1", "title": "Rules", "text": "Those of `hungry_geese` of Kaggle."}]}
serve_engine(GAME, make, max_plies=lambda options: 200, play=play, show=show)
