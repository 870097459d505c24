#!/usr/bin/env python3
"""Battlesnake as a rules program: the official standard rules and map, 11×11, for four snakes."""

from itertools import permutations, product

from rules_program import serve

SIZE, LENGTH, HEALTH = 11, 3, 100
SEATS = ["red", "blue", "green", "yellow"]
MOVES = {"down": (0, -1), "left": (-1, 0), "right": (1, 0), "up": (0, 1)}
COLUMNS = "abcdefghijk"
CENTRE = (5, 5)
CORNERS = [(1, 1), (1, 9), (9, 1), (9, 9)]
SIDES = [(1, 5), (5, 1), (5, 9), (9, 5)]
FOOD_CHANCE = 14  # percent; the official map draws 15, and compares it with `<`
GAME = {
    "protocol": 1, "name": "battlesnake", "title": "Battlesnake", "version": "1", "seats": SEATS,
    "hidden": False, "options": [],
    "board": {
        "legend": {
            **{seat[0]: {"seat": seat, "name": "body", "glyph": "●"} for seat in SEATS},
            **{seat[0].upper(): {"seat": seat, "name": "head", "glyph": "◉"} for seat in SEATS},
            "*": {"name": "food", "glyph": "✱"}},
        "columns": COLUMNS, "rows": [str(row) for row in range(SIZE, 0, -1)]},
    "clauses": [
        {"id": "S1", "title": "Start",
         "text": "The snakes start with length 3 and health 100, two squares from the corners of "
                 "the board or from the middle of its sides, with one food near each and one in "
                 "the middle."},
        {"id": "S2", "title": "Move",
         "text": "All snakes move their head at the same time: `up`, `down`, `left` or `right`. "
                 "The body follows. A move costs one health."},
        {"id": "S3", "title": "Food",
         "text": "A snake whose head reaches food eats it: its health is 100 again, and its tail "
                 "stays where it is in the next move. Heads that reach it together all eat it."},
        {"id": "S4", "title": "Out",
         "text": "Then snakes are out whose health is 0, or whose head is off the board. Of the "
                 "others, those are out at the same time whose head is on a body, their own or "
                 "another's, or on the head of a snake that is not shorter."},
        {"id": "S5", "title": "Spawning",
         "text": "Then food appears on a square that is free and not next to a head: always if "
                 "there is none, otherwise with 14 percent."},
        {"id": "S6", "title": "End",
         "text": "The game is over when at most one snake is left. Places follow the turns in "
                 "which snakes went out."}],
}


def start(options):
    return {"turn": 0, "spawns": False, "food": [], "snakes": [], "eliminated": []}


def max_plies(options):
    # Of the last two, each eats within any 100 moves, and bodies no longer fit after 58 times.
    return 5900


def square(point):
    return COLUMNS[point[0]] + str(point[1] + 1)


def point(text):
    return [COLUMNS.index(text[0]), int(text[1:]) - 1]


def openings():
    """The squares of the snakes and of the food near them."""
    for places in (CORNERS, SIDES):
        for heads in permutations(places):
            for food in product(*map(food_near, heads)):
                yield " ".join(map(square, heads + food))


def food_near(head):
    """The squares across a corner of this one: farther from the middle, but no corner of the board."""
    for across in product((-1, 1), repeat=2):
        food = tuple(at + by for at, by in zip(head, across))
        farther = any((at - middle) * by > 0 for at, middle, by in zip(head, CENTRE, across))
        if farther and not all(at in (0, SIZE - 1) for at in food):
            yield food


def free(state):
    """The squares where food may appear."""
    taken = {tuple(food) for food in state["food"]}
    for snake in state["snakes"]:
        taken.update(map(tuple, snake["body"]))
        x, y = snake["body"][0]
        taken.update((x + dx, y + dy) for dx, dy in MOVES.values())
    return [at for at in product(range(SIZE), repeat=2) if at not in taken]


def play(options, state, step):
    if "chance" in step:
        return spawn(state, step["chance"])
    snakes, food = [], state["food"]
    for snake in state["snakes"]:
        (x, y), (dx, dy) = snake["body"][0], MOVES[step["together"][snake["seat"]]]
        body, health = [[x + dx, y + dy]] + snake["body"][:-1], snake["health"] - 1
        if body[0] in food:
            body, health = body + body[-1:], HEALTH
        snakes.append({"seat": snake["seat"], "health": health, "body": body})
    heads = [snake["body"][0] for snake in snakes]
    food = [at for at in food if at not in heads]
    causes = {snake["seat"]: cause for snake in snakes if (cause := fails(snake))}
    facing = [snake for snake in snakes if snake["seat"] not in causes]
    causes.update({it["seat"]: cause for it in facing if (cause := collides(it, facing))})
    left = [snake for snake in snakes if snake["seat"] not in causes]
    out = [{"seat": seat, "turn": state["turn"] + 1} for seat in causes]
    after = {"turn": state["turn"] + 1, "spawns": len(left) > 1, "food": food, "snakes": left,
             "eliminated": state["eliminated"] + out}
    return after, [{"event": "out", "seat": seat, "cause": cause} for seat, cause in causes.items()]


def spawn(state, drawn):
    """The state after food has appeared, or after the snakes have got their places."""
    if state["turn"] == 0:
        points = [point(text) for text in drawn.split()]
        snakes = [{"seat": seat, "health": HEALTH, "body": [head] * LENGTH}
                  for seat, head in zip(SEATS, points)]
        return {**state, "food": points[len(SEATS):] + [list(CENTRE)], "snakes": snakes}
    food = state["food"] + ([] if drawn == "none" else [point(drawn)])
    return {**state, "spawns": False, "food": food}


def fails(snake):
    """Why a snake is out by itself, if it is."""
    if snake["health"] <= 0:
        return "out-of-health"
    if not all(0 <= at < SIZE for at in snake["body"][0]):
        return "wall-collision"
    return None


def collides(snake, snakes):
    """Why a snake is out because of a collision, if it is."""
    head, others = snake["body"][0], [other for other in snakes if other is not snake]
    if head in snake["body"][1:]:
        return "snake-self-collision"
    if any(head in other["body"][1:] for other in others):
        return "snake-collision"
    length = len(snake["body"])
    if any(head == other["body"][0] and length <= len(other["body"]) for other in others):
        return "head-collision"
    return None


def show(options, state):
    left = [snake["seat"] for snake in state["snakes"]]
    shown = {"board": {"cells": cells(state)}, "caption": caption(state), "values": values(state),
             "eliminated": [out["seat"] for out in state["eliminated"]]}
    if state["turn"] == 0 and not left:
        return {**shown, "turn": {"chance": [[text, 1] for text in openings()]}}
    if state["spawns"]:
        squares = [square(at) for at in free(state)]
        # Food must appear if there is none; where no square is free, it cannot.
        none = (100 - FOOD_CHANCE) * len(squares) if state["food"] else 0
        outcomes = [["none", none or int(not squares)]] + [[at, FOOD_CHANCE] for at in squares]
        return {**shown, "turn": {"chance": outcomes}}
    if len(left) < 2:
        lasted = dict.fromkeys(left, state["turn"] + 1)
        lasted.update({out["seat"]: out["turn"] for out in state["eliminated"]})
        places = {seat: 1 + sum(other > lasted[seat] for other in lasted.values())
                  for seat in SEATS}
        reason = "last-snake" if left else "no-snake-left"
        return {**shown, "turn": {"over": {"places": places}, "reason": reason}}
    return {**shown, "turn": {"together": left}, "legal": {seat: list(MOVES) for seat in left}}


def values(state):
    """Estimates: who is out has lost, and of the others, those are ahead that are long and fed."""
    size = {snake["seat"]: len(snake["body"]) + snake["health"] / HEALTH
            for snake in state["snakes"]}
    most = sum(size.values())
    return {seat: size[seat] / most if seat in size else -1 for seat in SEATS}


def cells(state):
    rows = [["."] * SIZE for _ in range(SIZE)]
    for x, y in state["food"]:
        rows[SIZE - 1 - y][x] = "*"
    for snake in state["snakes"]:
        for number, (x, y) in reversed(list(enumerate(snake["body"]))):
            letter = snake["seat"][0]
            rows[SIZE - 1 - y][x] = letter if number else letter.upper()
    return ["".join(row) for row in rows]


def caption(state):
    left = ", ".join(f"{snake['seat']} {len(snake['body'])} long, health {snake['health']}"
                     for snake in state["snakes"])
    return f"turn {state['turn']}" + (f": {left}" if left else "")


if __name__ == "__main__":
    serve(GAME, start=start, max_plies=max_plies, play=play, show=show)
