//! From results to ratings: what every player scored against every other, and one joint fit of
//! all strengths with their intervals. Pure arithmetic, unaware of files and clocks.

pub mod anchors;
mod cholesky;
mod cluster;
pub mod contest;
pub mod fit;
mod groups;
mod layout;
mod model;
pub mod pairs;
pub mod played;
pub mod points;
pub mod ranking;
pub mod ranks;
pub mod residuals;
pub mod seats;
pub mod sprt;
pub mod tally;

use std::fmt;

pub use anchors::{Contradiction, contradiction};
pub use fit::{Estimate, Fit, fit};
pub use pairs::GameOutcome;
pub use played::{Conduct, Played};
pub use points::Points;
pub use ranking::{Out, Rank, Ranking, Unranked};
pub use ranks::Band;
pub use seats::{SeatEffects, seat_effects};
pub use tally::Tally;

/// Why results could not be counted or rated.
#[derive(Debug, Clone, PartialEq)]
pub enum RatingError {
    /// A game or the anchor names a player that is not in the tournament.
    UnknownPlayer(String),
    /// A game has the same player at both seats.
    SelfPlay(String),
    /// A game's result is neither one of its seats nor `draw`.
    UnknownResult {
        /// The game's id.
        id: String,
        /// The result as recorded.
        result: String,
    },
    /// A player is an anchor twice.
    DoubleAnchor(String),
    /// The anchor's rating is not a finite number.
    AnchorRating(f64),
}

impl fmt::Display for RatingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownPlayer(name) => write!(f, "no player is called {name:?}"),
            Self::SelfPlay(name) => write!(f, "{name:?} cannot play against itself"),
            Self::UnknownResult { id, result } => {
                write!(f, "game {id:?}: the result {result:?} is neither a seat nor `draw`")
            }
            Self::DoubleAnchor(name) => write!(f, "{name:?} has two ratings given; keep one"),
            Self::AnchorRating(rating) => write!(f, "an anchor cannot have the rating {rating}"),
        }
    }
}

impl std::error::Error for RatingError {}
