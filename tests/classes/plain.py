"""A plain class of the 2018 interface: any legal action, as good as any other."""

import random

STEPS = [(0, 1), (0, -1), (1, 0), (-1, 0)]


class Player:
    def __init__(self, colour):
        self.colour = colour
        self.other = "black" if colour == "white" else "white"
        self.board = {}
        self.played = 0
        self.edge = 0
        self.random = random.Random(7)

    def corners(self):
        low, high = self.edge, 7 - self.edge
        return [(low, low), (low, high), (high, low), (high, high)]

    def inside(self, x, y):
        return all(self.edge <= number <= 7 - self.edge for number in (x, y))

    def is_free(self, x, y):
        return self.inside(x, y) and (x, y) not in self.board and (x, y) not in self.corners()

    def action(self, turns):
        actions = self.placements() if self.played < 24 else self.moves()
        action = self.random.choice(actions) if actions else None
        self.play(self.colour, action)
        return action

    def update(self, action):
        self.play(self.other, action)

    def placements(self):
        rows = range(0, 6) if self.colour == "white" else range(2, 8)
        return [(x, y) for x in range(8) for y in rows if self.is_free(x, y)]

    def moves(self):
        found = []
        for (x, y), colour in self.board.items():
            for dx, dy in STEPS if colour == self.colour else []:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if self.is_free(*near):
                    found.append(((x, y), near))
                elif near in self.board and self.is_free(*far):
                    found.append(((x, y), far))
        return found

    def play(self, colour, action):
        self.played += 1
        if action is not None:
            square = action
            if self.played > 24:
                self.board.pop(action[0])
                square = action[1]
            self.board[square] = colour
            enemy = "black" if colour == "white" else "white"
            self.capture(enemy, self.neighbours(square))
            self.capture(colour, [square])
        if self.played in (24 + 128, 24 + 192):
            self.shrink()

    def neighbours(self, square):
        return [(square[0] + dx, square[1] + dy) for dx, dy in STEPS]

    def capture(self, victim, squares):
        def hostile(square):
            return square in self.corners() or self.board.get(square, victim) != victim

        for x, y in squares:
            if self.board.get((x, y)) == victim:
                row, column = ((x - 1, y), (x + 1, y)), ((x, y - 1), (x, y + 1))
                if any(hostile(one) and hostile(two) for one, two in (row, column)):
                    self.board.pop((x, y))

    def shrink(self):
        self.edge += 1
        self.board = {square: who for square, who in self.board.items() if self.inside(*square)}
        low, high = self.edge, 7 - self.edge
        for corner in [(low, low), (low, high), (high, high), (high, low)]:
            self.board.pop(corner, None)
            for victim in (self.colour, self.other):
                self.capture_beside(corner, victim)

    def capture_beside(self, corner, victim):
        for square in self.neighbours(corner):
            self.capture(victim, [square] if self.inside(*square) else [])
