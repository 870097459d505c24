"""Part of a package, with a relative import."""

from plain import Player as Plain

from .taste import favourite


class Brain(Plain):
    def placements(self):
        return favourite(super().placements())
