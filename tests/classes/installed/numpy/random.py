"""Numbers that `seed` decides."""

import random as library

numbers = library.Random()
seed = numbers.seed
random = numbers.random
