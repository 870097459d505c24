//! An error in results that are to be rated.

use std::fmt;

/// An error in results that are to be rated. Players are numbers, from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatingError {
    /// A fixed rating is given for a player that does not exist.
    UnknownPlayer(usize),
    /// Two fixed ratings are given for the same player.
    FixedTwice(usize),
    /// A fixed rating is not a finite number.
    NotFinite(f64),
}

impl fmt::Display for RatingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlayer(player) => write!(f, "unknown player {player}"),
            Self::FixedTwice(player) => {
                write!(f, "player {player} has two fixed ratings; keep one")
            }
            Self::NotFinite(rating) => write!(f, "a player cannot have the rating {rating}"),
        }
    }
}

impl std::error::Error for RatingError {}
