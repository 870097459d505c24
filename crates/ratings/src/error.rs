//! An error in results that are to be rated.

use crate::estimate::MOST_PLAYERS;

/// An error in results that are to be rated. Players are numbers, from 0.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum RatingError {
    /// There are more players than [`MOST_PLAYERS`].
    #[error("{0} players are too many for one ranking: the maximum is {MOST_PLAYERS}")]
    TooManyPlayers(usize),
    /// A fixed rating names a player that does not exist.
    #[error("unknown player {0}")]
    UnknownPlayer(usize),
    /// Two fixed ratings are given for the same player.
    #[error("player {0} has two fixed ratings; keep one")]
    FixedTwice(usize),
    /// A fixed rating is not a finite number.
    #[error("a player cannot have the rating {0}")]
    NotFinite(f64),
}
