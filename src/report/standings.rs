//! The ranking: a row a player, in order.

use crate::rating::tally::{FaultCounts, Outcomes};
use crate::rating::{Estimate, Fit, Points, Tally};
use crate::rules::{BySeat, Seat};

/// A player's place and everything the tables say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The place, from 1; every row has its own.
    pub rank: usize,
    /// The player's number in the tally.
    pub number: usize,
    /// The player's name, as configured.
    pub player: String,
    /// The rating in Elo with its 95% interval.
    pub rating: Estimate,
    /// Wins, draws and losses.
    pub outcomes: Outcomes,
    /// The scores at each seat.
    pub by_seat: BySeat<Points>,
    /// The faults, by code.
    pub faults: FaultCounts,
}

impl Row {
    /// The score of all games.
    pub fn score(&self) -> Points {
        self.outcomes.score()
    }

    /// The number of faults of all kinds.
    pub fn fault_total(&self) -> u32 {
        self.faults.values().sum()
    }
}

/// The ranking of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    /// The players, best first.
    pub rows: Vec<Row>,
    /// All games, from the side of the first seat.
    pub total: Outcomes,
    /// The first seat's advantage in Elo.
    pub first_advantage: Estimate,
    /// The fitted chance of a draw between equals, 0 … 1.
    pub draw_rate: f64,
}

impl Standings {
    /// Ranks the players of `tally` by their ratings in `fit`, which must be of the same tally.
    /// Equal ratings are ranked by score, then by name.
    pub fn new(tally: &Tally, fit: &Fit) -> Self {
        let mut rows: Vec<Row> =
            fit.ratings.iter().enumerate().map(|(n, &rating)| row(tally, n, rating)).collect();
        rows.sort_by(|a, b| {
            let rating = fine(b.rating.value).total_cmp(&fine(a.rating.value));
            rating.then(b.score().cmp(&a.score())).then_with(|| a.player.cmp(&b.player))
        });
        for (place, row) in rows.iter_mut().enumerate() {
            row.rank = place + 1;
        }
        Self {
            rows,
            total: tally.total(),
            first_advantage: fit.first_advantage,
            draw_rate: fit.draw_rate(),
        }
    }

    /// The number of faults of all players.
    pub fn fault_total(&self) -> u32 {
        self.rows.iter().map(Row::fault_total).sum()
    }
}

fn row(tally: &Tally, number: usize, rating: Estimate) -> Row {
    Row {
        rank: 0,
        number,
        player: tally.names()[number].clone(),
        rating,
        outcomes: tally.of(number),
        by_seat: BySeat::from_fn(|seat: Seat| tally.at(number, seat).score()),
        faults: tally.faults(number).clone(),
    }
}

/// A rating in millionths: what is closer than that differs by rounding alone and is equal.
fn fine(rating: f64) -> f64 {
    (rating * 1e6).round() + 0.0
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rating::fit;
    use crate::rating::tally::tests::{any_tally, tally};

    /// The standings of a tally without an anchor.
    pub(crate) fn standings(tally: &Tally) -> Standings {
        Standings::new(tally, &fit(tally, None).expect("no anchor"))
    }

    fn order(standings: &Standings) -> Vec<&str> {
        standings.rows.iter().map(|row| row.player.as_str()).collect()
    }

    #[test]
    fn players_are_ranked_by_rating() {
        let games = [(0, 1, "black"), (1, 2, "draw"), (2, 0, "white"), (1, 2, "white")];
        let standings = standings(&tally(&["ant", "bee", "cat"], &games));
        assert_eq!(order(&standings), ["bee", "cat", "ant"]);
        assert_eq!(standings.rows[2].rank, 3);
        assert_eq!(standings.rows[0].by_seat, BySeat::new(Points::of(1, 1), Points::of(1, 0)));
    }

    #[test]
    fn equal_ratings_are_ranked_by_score_and_then_by_name() {
        // Both pairs are balanced; the second has played more.
        let mut games = vec![(3, 1, "draw"), (1, 3, "draw")];
        games.extend([(2, 0, "white"), (0, 2, "white"), (2, 0, "black"), (0, 2, "black")]);
        let standings = standings(&tally(&["dog", "cat", "bee", "ant"], &games));
        assert_eq!(order(&standings), ["bee", "dog", "ant", "cat"]);
    }

    proptest! {
        #[test]
        fn the_sums_are_those_of_the_games(tally in any_tally()) {
            let standings = standings(&tally);
            let total: Points = standings.rows.iter().map(Row::score).sum();
            prop_assert_eq!(total, Points::of(standings.total.games(), 0));
            for row in &standings.rows {
                prop_assert_eq!(row.by_seat.first + row.by_seat.second, row.score());
            }
        }
    }
}
