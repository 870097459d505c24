//! The ranking: a row a player, in order.

use crate::rating::ranks::Separation;
use crate::rating::tally::{FaultCounts, Outcomes};
use crate::rating::{Band, Contradiction, Estimate, Fit, Points, SeatEffects, Tally};
use crate::rules::{BySeat, Seat};

/// A player's place and everything the tables say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The place in its group, from 1; every row of a group has its own.
    pub rank: usize,
    /// The group, from 1, the largest first: only players of one group can be compared.
    pub group: usize,
    /// The player's number in the tally.
    pub number: usize,
    /// The player's name, as configured.
    pub player: String,
    /// The rating in Elo with its 95% interval.
    pub rating: Estimate,
    /// The ranks it may have, at 95%.
    pub band: Band,
    /// How well it is told apart from the next in its group, if there is one.
    pub next: Option<Separation>,
    /// The ratings at each seat, where the seat is not worth the same to all players.
    pub seat_ratings: Option<BySeat<Estimate>>,
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
    /// How many groups of players there are that no chain of games connects.
    pub groups: usize,
    /// The correlation between a player's scores in the two games of a pair, −1 … 1.
    pub pair_correlation: f64,
    /// How likely players' seat effects differ this much by chance, 0 … 1.
    pub seat_effects_p: f64,
    /// Games that are copies of earlier ones, with the names of the first and second player.
    pub copies: Vec<(String, String, u32)>,
    /// Two anchors whose results do not fit the ratings given; [`new`](Self::new) knows of none.
    pub contradiction: Option<Contradiction>,
}

impl Standings {
    /// Ranks the players of `tally` by their ratings in `fit`, which must be of the same tally, as
    /// `seats` must. Equal ratings are ranked by score, then by name; each group by itself.
    pub fn new(tally: &Tally, fit: &Fit, seats: &SeatEffects) -> Self {
        let groups = group_numbers(&fit.groups);
        let bands = fit.bands();
        let mut rows: Vec<Row> = (0..fit.ratings.len())
            .map(|number| row(tally, number, fit, bands[number], seats))
            .map(|row| Row { group: groups[row.number], ..row })
            .collect();
        rows.sort_by(|a, b| {
            let rating = fine(b.rating.value).total_cmp(&fine(a.rating.value));
            let rating = a.group.cmp(&b.group).then(rating);
            rating.then(b.score().cmp(&a.score())).then_with(|| a.player.cmp(&b.player))
        });
        for group in rows.chunk_by_mut(|above, below| above.group == below.group) {
            for place in 0..group.len() {
                let next = group.get(place + 1).map(|below| below.number);
                let row = &mut group[place];
                row.rank = place + 1;
                // Rounding may have put equals in another order than the band was made for.
                row.band.low = row.band.low.min(row.rank);
                row.band.high = row.band.high.max(row.rank);
                row.next = next.and_then(|below| fit.separation(row.number, below));
            }
        }
        let name = |player: usize| tally.names()[player].clone();
        let copies = tally.copies().iter();
        Self {
            rows,
            total: tally.total(),
            first_advantage: fit.first_advantage,
            draw_rate: fit.draw_rate(),
            groups: groups.iter().copied().max().unwrap_or(0),
            pair_correlation: fit.pair_correlation,
            seat_effects_p: seats.p_value,
            copies: copies.map(|(&(one, two), &count)| (name(one), name(two), count)).collect(),
            contradiction: None,
        }
    }

    /// The number of faults of all players.
    pub fn fault_total(&self) -> u32 {
        self.rows.iter().map(Row::fault_total).sum()
    }
}

fn row(tally: &Tally, number: usize, fit: &Fit, band: Band, seats: &SeatEffects) -> Row {
    Row {
        rank: 0,
        group: 0,
        number,
        player: tally.names()[number].clone(),
        rating: fit.ratings[number],
        band,
        next: None,
        seat_ratings: seats.by_seat.as_ref().map(|ratings| ratings[number]),
        outcomes: tally.of(number),
        by_seat: BySeat::from_fn(|seat: Seat| tally.at(number, seat).score()),
        faults: tally.faults(number).clone(),
    }
}

/// The group of each player, numbered from 1: the largest first, then by who is listed first.
fn group_numbers(groups: &[usize]) -> Vec<usize> {
    let mut sizes = vec![0_usize; groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    for &group in groups {
        sizes[group] += 1;
    }
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&group| std::cmp::Reverse(sizes[group]));
    let mut numbers = vec![0; sizes.len()];
    for (number, group) in (1..).zip(order) {
        numbers[group] = number;
    }
    groups.iter().map(|&group| numbers[group]).collect()
}

/// A rating in millionths: what is closer than that differs by rounding alone and is equal.
fn fine(rating: f64) -> f64 {
    (rating * 1e6).round() + 0.0
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rating::tally::tests::{any_tally, tally};
    use crate::rating::{fit, seat_effects};

    /// The standings of a tally without an anchor.
    pub(crate) fn standings(tally: &Tally) -> Standings {
        let seats = seat_effects(tally, &[]).expect("no anchor");
        Standings::new(tally, &fit(tally, &[]).expect("no anchor"), &seats)
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
        // All are balanced; bee and dog have played more, and all are connected.
        let mut games = vec![(3, 1, "draw"), (1, 3, "draw"), (0, 1, "draw"), (1, 0, "draw")];
        games.extend([(3, 2, "draw"), (2, 3, "draw")]);
        games.extend([(2, 0, "white"), (0, 2, "white"), (2, 0, "black"), (0, 2, "black")]);
        let standings = standings(&tally(&["dog", "cat", "bee", "ant"], &games));
        assert_eq!(order(&standings), ["bee", "dog", "ant", "cat"]);
    }

    #[test]
    fn groups_that_never_met_are_ranked_apart() {
        let games = [(0, 4, "white"), (2, 1, "white"), (1, 3, "white")];
        let standings = standings(&tally(&["eel", "cat", "bee", "dog", "ant", "fox"], &games));
        assert_eq!(order(&standings), ["bee", "cat", "dog", "eel", "ant", "fox"]);
        let places: Vec<_> = standings.rows.iter().map(|row| (row.group, row.rank)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]);
        assert!(standings.rows[2].next.is_none() && standings.rows[0].next.is_some());
        assert_eq!(standings.groups, 3);
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
