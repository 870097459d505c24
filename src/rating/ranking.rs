//! The ranking: one order of all players, for who goes on to the next stage and for what people
//! see.
//!
//! Only players that play have a rank. Those of whom nothing but faults is known stand below them,
//! and say why, however their games came out: two that never start would otherwise draw with each
//! other. A rank compares, so it takes a chain of games to all the others that have one.

use std::cmp::Reverse;
use std::fmt;

use serde::Serialize;

use super::fit::{Fit, fit};
use super::{Band, RatingError, Tally};
use crate::model::record::Anchor;

/// Why a player was taken out of the tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Out {
    /// It made too many faults in a row.
    Quarantined,
    /// It made a fault in a check.
    Unchecked,
}

/// Why a player has no rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unranked {
    /// It plays, but no chain of games connects it with most of those who do.
    Apart,
    /// None of its games counts.
    NoGame,
    /// It made faults, and none of its games came to its end.
    Faults,
    /// It made too many faults in a row.
    Quarantine,
    /// It made a fault in the check.
    Check,
}

impl Unranked {
    /// The player failed, instead of being left without a rank by no fault of its own.
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Faults | Self::Quarantine | Self::Check)
    }

    /// The reason as the tables write it, for example `no-game`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apart => "apart",
            Self::NoGame => "no-game",
            Self::Faults => "faults",
            Self::Quarantine => "quarantine",
            Self::Check => "check",
        }
    }
}

impl fmt::Display for Unranked {
    /// The reason in words that go on after the player's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Apart => "not connected with most others by games",
            Self::NoGame => "no game that counts",
            Self::Faults => "made faults and finished no game",
            Self::Quarantine => "quarantined for faults",
            Self::Check => "failed the check",
        })
    }
}

/// A rank and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The place, from 1; nobody else has it.
    pub place: usize,
    /// The ranks the player may have, at 95%.
    pub band: Band,
}

/// All players in order.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The ratings.
    pub fit: Fit,
    /// The players' numbers, the best first. Those without a rank stand at the end.
    pub order: Vec<usize>,
    /// The place of each player by number, from 1, or why it has no rank.
    pub places: Vec<Result<usize, Unranked>>,
    /// The group of each player by number, from 1: the one with most players that play first.
    pub groups: Vec<usize>,
    /// What comes before ratings when players are put in order, by number.
    classes: Vec<Class>,
}

/// Players of a lower class stand before all players of a higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Some of its games came to their end.
    Seen,
    /// All its games ended with faults of its opponents: it may be about to fail as well.
    Spared,
    /// It has no rank.
    Unranked(Unranked),
}

impl Ranking {
    /// Ranks the players of `tally`, where `out` says by number who was taken out and why.
    ///
    /// Ratings decide, then scores, then names.
    ///
    /// # Errors
    ///
    /// As [`fit()`].
    pub fn new(
        tally: &Tally,
        anchors: &[Anchor],
        out: &[Option<Out>],
    ) -> Result<Self, RatingError> {
        let fit = fit(tally, anchors)?;
        let classes = classes(tally, &fit, out);
        let mut order: Vec<usize> = (0..classes.len()).collect();
        let key = |player: usize| (classes[player], Reverse(tally.of(player).score()));
        let shown = |player: usize| match classes[player] {
            Class::Unranked(why) if why.is_failure() => 0.0,
            _ => fine(fit.ratings[player].value),
        };
        order.sort_by(|&one, &other| {
            let (above, below) = (key(one), key(other));
            let rating = || shown(other).total_cmp(&shown(one));
            let name = || tally.names()[one].cmp(&tally.names()[other]);
            above.0.cmp(&below.0).then_with(rating).then(above.1.cmp(&below.1)).then_with(name)
        });
        let mut places = vec![Err(Unranked::NoGame); classes.len()];
        // Those without a rank stand at the end.
        for (&player, place) in order.iter().zip(1..) {
            places[player] = match classes[player] {
                Class::Seen | Class::Spared => Ok(place),
                Class::Unranked(why) => Err(why),
            };
        }
        let groups = group_numbers(&fit.groups, &classes);
        Ok(Self { fit, order, places, groups, classes })
    }

    /// How many groups there are of players that play.
    pub fn group_count(&self) -> usize {
        let plays = self.classes.iter().map(|class| class.plays());
        let groups = self.groups.iter().zip(plays).filter(|(_, plays)| *plays);
        groups.map(|(&group, _)| group).max().unwrap_or(0)
    }

    /// The rank of each player by number with its band, or why it has none.
    pub fn ranks(&self) -> Vec<Result<Rank, Unranked>> {
        let bands = self.fit.bands_by(&self.classes);
        let rank = |(place, band): (&Result<usize, Unranked>, Band)| {
            // Rounding may have put equals in another order than the band was made for.
            let within = |place| Band { low: band.low.min(place), high: band.high.max(place) };
            place.map(|place| Rank { place, band: within(place) })
        };
        self.places.iter().zip(bands).map(rank).collect()
    }

    /// Two players have ranks and are compared by their ratings alone.
    pub fn are_compared(&self, one: usize, other: usize) -> bool {
        self.places[one].is_ok() && self.classes[one] == self.classes[other]
    }
}

impl Class {
    fn plays(self) -> bool {
        !matches!(self, Self::Unranked(why) if why != Unranked::Apart)
    }
}

/// The class of each player by number.
fn classes(tally: &Tally, fit: &Fit, out: &[Option<Out>]) -> Vec<Class> {
    let alone = |player: usize| {
        let conduct = tally.conduct(player);
        match out[player] {
            Some(Out::Unchecked) => Class::Unranked(Unranked::Check),
            Some(Out::Quarantined) => Class::Unranked(Unranked::Quarantine),
            None if conduct.fails() => Class::Unranked(Unranked::Faults),
            None if tally.of(player).games() == 0 => Class::Unranked(Unranked::NoGame),
            None if conduct.finished == 0 => Class::Spared,
            None => Class::Seen,
        }
    };
    let mut classes: Vec<Class> = (0..tally.names().len()).map(alone).collect();
    let main = main_group(&fit.groups, &classes);
    for (class, &group) in classes.iter_mut().zip(&fit.groups) {
        if class.plays() && Some(group) != main {
            *class = Class::Unranked(Unranked::Apart);
        }
    }
    classes
}

/// The group that holds more than half of the players that play.
fn main_group(groups: &[usize], classes: &[Class]) -> Option<usize> {
    let sizes = sizes(groups, classes);
    let all: usize = sizes.iter().sum();
    sizes.iter().position(|&size| 2 * size > all)
}

/// How many players of each group play.
fn sizes(groups: &[usize], classes: &[Class]) -> Vec<usize> {
    let mut sizes = vec![0_usize; groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    for (&group, class) in groups.iter().zip(classes) {
        sizes[group] += usize::from(class.plays());
    }
    sizes
}

/// The group of each player, numbered from 1: the largest first, then by who is listed first.
fn group_numbers(groups: &[usize], classes: &[Class]) -> Vec<usize> {
    let sizes = sizes(groups, classes);
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&group| Reverse(sizes[group]));
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
mod tests {
    use super::super::tally::tests::{distinct, faulty, game, tally};
    use super::*;
    use crate::model::fault::FaultCode;

    const NAMES: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];

    /// The players' names in order, with their ranks.
    fn ranked(tally: &Tally, out: &[Option<Out>]) -> Vec<(String, Result<usize, Unranked>)> {
        let ranking = Ranking::new(tally, &[], out).expect("no anchor");
        let row = |&player: &usize| (tally.names()[player].clone(), ranking.places[player]);
        ranking.order.iter().map(row).collect()
    }

    fn expected(
        rows: &[(&str, Result<usize, Unranked>)],
    ) -> Vec<(String, Result<usize, Unranked>)> {
        rows.iter().map(|&(name, rank)| (name.to_owned(), rank)).collect()
    }

    fn lost_by_fault(tally: &mut Tally, loser: &str, winner: &str, number: u32) {
        let game = faulty(game(loser, winner, "black"), &[("white", FaultCode::Crash)]);
        tally.add(&distinct(game, number)).expect("known players");
    }

    #[test]
    fn who_only_fails_stands_below_whoever_plays() {
        // Dog beats eel, for eel fails earlier; cat loses everything, but plays.
        let mut tally = tally(&NAMES, &[(0, 2, "white"), (1, 2, "white"), (0, 1, "draw")]);
        for number in 10..16 {
            lost_by_fault(&mut tally, "eel", "dog", number);
        }
        lost_by_fault(&mut tally, "dog", "cat", 20);
        let failed = Err(Unranked::Faults);
        let rows =
            [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", failed), ("eel", failed)];
        assert_eq!(ranked(&tally, &[None; 5]), expected(&rows));
    }

    #[test]
    fn who_was_never_seen_to_finish_stands_after_who_was() {
        // Nobody knows whether dog would have failed: it only met eel.
        let mut tally = tally(&NAMES, &[(0, 2, "white"), (1, 2, "white"), (0, 1, "draw")]);
        for number in 10..16 {
            lost_by_fault(&mut tally, "eel", "dog", number);
        }
        lost_by_fault(&mut tally, "eel", "cat", 20);
        let rows = [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", Ok(4))];
        let ranking = ranked(&tally, &[None; 5]);
        assert_eq!(ranking[..4], expected(&rows));
        // Alone with the one that fails it is the best of those who play.
        let mut two = super::super::tally::tests::tally(&["dog", "eel"], &[]);
        lost_by_fault(&mut two, "eel", "dog", 1);
        let rows = [("dog", Ok(1)), ("eel", Err(Unranked::Faults))];
        assert_eq!(ranked(&two, &[None; 2]), expected(&rows));
    }

    #[test]
    fn who_is_out_has_no_rank_however_well_it_played_before() {
        let games = [(0, 1, "white"), (0, 2, "white"), (1, 2, "white")];
        let out = [Some(Out::Quarantined), None, None, Some(Out::Unchecked), None];
        let rows = [
            ("bee", Ok(1)),
            ("cat", Ok(2)),
            ("eel", Err(Unranked::NoGame)),
            ("ant", Err(Unranked::Quarantine)),
            ("dog", Err(Unranked::Check)),
        ];
        assert_eq!(ranked(&tally(&NAMES, &games), &out), expected(&rows));
    }

    #[test]
    fn a_double_fault_connects_nobody() {
        let mut tally = tally(&NAMES, &[(0, 1, "white"), (1, 2, "white")]);
        let both = [("white", FaultCode::NoStart), ("black", FaultCode::NoStart)];
        tally.add(&faulty(game("dog", "eel", "draw"), &both)).expect("known players");
        let failed = Err(Unranked::Faults);
        let rows =
            [("ant", Ok(1)), ("bee", Ok(2)), ("cat", Ok(3)), ("dog", failed), ("eel", failed)];
        assert_eq!(ranked(&tally, &[None; 5]), expected(&rows));
        let ranking = Ranking::new(&tally, &[], &[None; 5]).expect("no anchor");
        assert_eq!(ranking.group_count(), 1);
        let ranks = ranking.ranks();
        assert!(ranks[..3].iter().flatten().all(|rank| rank.band.high <= 3) && ranks[3].is_err());
    }

    #[test]
    fn a_rank_takes_a_chain_of_games_to_most_others() {
        let apart = Err(Unranked::Apart);
        let games = [(0, 4, "white"), (2, 1, "white"), (1, 3, "white")];
        let rows = [("cat", Ok(1)), ("bee", Ok(2)), ("dog", Ok(3)), ("ant", apart), ("eel", apart)];
        assert_eq!(ranked(&tally(&NAMES, &games), &[None; 5]), expected(&rows));
        // Two groups of the same size: neither is the tournament.
        let even = ranked(&tally(&NAMES, &[(0, 1, "white"), (2, 3, "white")]), &[None; 5]);
        assert!(even[..4].iter().all(|row| row.1 == apart), "{even:?}");
    }
}
