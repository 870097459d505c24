"""Made of a package that is another player's."""

from team import Player
