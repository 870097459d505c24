//! Games against opponents that take turns, in whole rounds, so that each counts equally.
//!
//! A *table* is the opponents of a game: one, or as many as there are other seats.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU64;

use crate::significance::count_as_f64;

/// Which of the two players that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rival {
    /// The one that may be better.
    #[default]
    New,
    /// The one it is compared with.
    Old,
}

/// How many opponents a player has, and how many of them it meets at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSize {
    /// The number of tables, each of which the player meets once in a round; at least one.
    pub tables: usize,
    /// The number of seats of a game; at least two.
    pub seats: usize,
}

impl FieldSize {
    /// This many opponents in games of two seats.
    pub fn with_two_seats(opponents: usize) -> Self {
        Self { tables: opponents, seats: 2 }
    }

    /// The points that a player can win in a deal: for each game, one for each opponent.
    pub fn points(self) -> u32 {
        u32::try_from(self.seats * (self.seats - 1)).unwrap_or(u32::MAX / 2)
    }

    /// The variance of a player's share of these points between equals, if no two share a place.
    pub(crate) fn first_variance(self) -> f64 {
        let seats = count_as_f64(self.seats);
        (seats + 1.0) / (12.0 * (seats - 1.0) * seats)
    }
}

/// A game of one of the two against the opponents of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldGame {
    /// The number of its deal, from 1. Tables take turns.
    pub deal: u32,
    /// Which of the two played.
    pub rival: Rival,
    /// Its seat, from 0. In the games of a deal, it has each seat once.
    pub seat: usize,
    /// Its score in half points, 2 for each opponent that it is ahead of; none for one that forfeited
    /// as it did.
    pub halves: u32,
    /// Whether a player forfeited.
    pub forfeited: bool,
    /// Deals with the same fingerprints are copies of each other. `None` if the game cannot be one.
    pub fingerprint: Option<NonZeroU64>,
}

impl FieldGame {
    /// Its place among the games of its deal, of which each player has one at each seat.
    fn place_in_deal(&self, seats: usize) -> usize {
        seats * self.rival as usize + self.seat
    }
}

/// Collects games until rounds are complete. A deal is a game at each seat against the same
/// opponents, of each player that is compared.
#[derive(Debug, Clone)]
pub(crate) struct FieldRounds {
    field: FieldSize,
    /// The number of players that are compared.
    rivals: usize,
    /// The number of deals in the rounds that were taken.
    taken: u32,
    /// Games of deals that are not complete or not due yet.
    waiting: BTreeMap<u32, Vec<Option<FieldGame>>>,
    seen: HashSet<Vec<NonZeroU64>>,
}

/// A deal at each table, in their order. The games of the new player come first.
#[derive(Debug, Clone)]
pub(crate) struct FieldRound {
    pub(crate) deals: Vec<Vec<FieldGame>>,
    /// How many of these deals repeat earlier ones.
    pub(crate) copies: usize,
}

impl FieldRound {
    /// Whether it only repeats what was played before.
    pub(crate) fn is_copy(&self) -> bool {
        self.copies == self.deals.len()
    }
}

impl FieldRounds {
    pub(crate) fn new(field: FieldSize, rivals: usize) -> Self {
        Self { field, rivals, taken: 0, waiting: BTreeMap::new(), seen: HashSet::new() }
    }

    /// Adds a game. A game of a round that was taken changes nothing.
    pub(crate) fn add(&mut self, game: FieldGame) {
        if game.deal > self.taken {
            let games = self.rivals * self.field.seats;
            let deal = self.waiting.entry(game.deal).or_insert_with(|| vec![None; games]);
            if let Some(place) = deal.get_mut(game.place_in_deal(self.field.seats)) {
                *place = Some(game);
            }
        }
    }

    /// Takes the next round, if it is complete.
    pub(crate) fn take_next(&mut self) -> Option<FieldRound> {
        let numbers = 1..=u32::try_from(self.field.tables).ok()?;
        let deal = |number: u32| -> Option<Vec<FieldGame>> {
            let games = self.waiting.get(&self.taken.checked_add(number)?)?;
            games.iter().copied().collect()
        };
        let deals = numbers.map(deal).collect::<Option<Vec<_>>>()?;
        self.taken += u32::try_from(deals.len()).ok()?;
        self.waiting = self.waiting.split_off(&(self.taken + 1));
        let copies = deals.iter().filter(|deal| self.is_copy(deal)).count();
        Some(FieldRound { deals, copies })
    }

    fn is_copy(&mut self, deal: &[FieldGame]) -> bool {
        let fingerprints: Option<Vec<NonZeroU64>> =
            deal.iter().map(|game| game.fingerprint).collect();
        fingerprints.is_some_and(|fingerprints| !self.seen.insert(fingerprints))
    }
}
