"""Reads a file of its folder while it is imported, and its class has another name."""

from plain import Player as Plain

with open("reader.txt", encoding="utf-8") as file:
    SEED = int(file.read())


class Reader(Plain):
    def __init__(self, colour):
        super().__init__(colour)
        self.random.seed(SEED)
