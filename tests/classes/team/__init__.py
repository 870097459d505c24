from .brain import Brain as Player
