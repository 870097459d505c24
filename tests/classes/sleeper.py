"""Keeps a thread that never ends."""

import threading

from plain import Player as Plain


class Player(Plain):
    def __init__(self, colour):
        super().__init__(colour)
        threading.Thread(target=threading.Event().wait, daemon=True).start()
