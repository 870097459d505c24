//! The games that ratings are fitted to.

use crate::results::deals::{Deals, SeriesCounts};
use crate::results::pairs::{PairCounts, Side};

/// The games that ratings are fitted to, without copies.
#[derive(Debug, Clone)]
pub(crate) enum RatedGames {
    /// Games of two seats: for each two players that met, the upper player's number (the lower of
    /// the two), the lower player's, and the counts of their pairs.
    ///
    /// Pairs are shrunk by pairing, and the first seat has one parameter: what has been published of
    /// games of two seats keeps its last digit. As deals of two they would have the same ratings, but
    /// slightly other intervals.
    Pairs(Vec<(usize, usize, PairCounts)>),
    /// Games of more seats, or of unknown ones.
    Deals(Deals),
}

impl RatedGames {
    /// All comparisons, by players and seats.
    pub(crate) fn series(&self) -> Box<dyn Iterator<Item = SeriesCounts> + '_> {
        match self {
            Self::Pairs(pairings) => Box::new(pairings.iter().map(|&(upper, lower, counts)| {
                let games = Side::BOTH.map(|side| counts.games_by_outcome(side));
                SeriesCounts { upper, lower, seats: [0, 1], games, weight: 1.0 }
            })),
            Self::Deals(deals) => Box::new(deals.series.iter().copied()),
        }
    }

    /// The two players of each series.
    pub(crate) fn players_met(&self) -> impl Iterator<Item = (usize, usize)> {
        self.series().map(|series| (series.upper, series.lower))
    }
}
