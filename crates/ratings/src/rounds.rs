//! Games against opponents that take turns, in whole rounds, so that each counts equally.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU64;

/// Which of the two players that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rival {
    /// The one that may be better.
    #[default]
    New,
    /// The one it is compared with.
    Old,
}

/// A game of one of the two against an opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldGame {
    /// The number of its deal, from 1. Opponents take turns.
    pub deal: u32,
    /// Which of the two played.
    pub rival: Rival,
    /// Whether it had the first seat. The other game of its pair has the seats swapped.
    pub at_first_seat: bool,
    /// Its score in half points, 0 … 2; 0 also if both players forfeited.
    pub halves: u32,
    /// Whether a player forfeited.
    pub forfeited: bool,
    /// Deals with the same fingerprints are copies of each other. `None` if the game cannot be one.
    pub fingerprint: Option<NonZeroU64>,
}

impl FieldGame {
    /// Its place among the games of its deal.
    pub(crate) fn place(&self) -> usize {
        2 * self.rival as usize + usize::from(!self.at_first_seat)
    }
}

/// Collects games until rounds are complete. `N` games against an opponent make a deal: two for each
/// player that is compared.
#[derive(Debug, Clone)]
pub(crate) struct Rounds<const N: usize> {
    opponents: usize,
    /// The number of deals in the rounds that were taken.
    taken: u32,
    /// Games of deals that are not complete or not due yet.
    waiting: BTreeMap<u32, [Option<FieldGame>; N]>,
    seen: HashSet<[NonZeroU64; N]>,
}

/// A deal against each opponent, in their order.
#[derive(Debug, Clone)]
pub(crate) struct Round<const N: usize> {
    pub(crate) deals: Vec<[FieldGame; N]>,
    /// How many of these deals repeat earlier ones.
    pub(crate) copies: usize,
}

impl<const N: usize> Round<N> {
    /// Whether it only repeats what was played before.
    pub(crate) fn is_copy(&self) -> bool {
        self.copies == self.deals.len()
    }
}

impl<const N: usize> Rounds<N> {
    pub(crate) fn new(opponents: usize) -> Self {
        Self { opponents, taken: 0, waiting: BTreeMap::new(), seen: HashSet::new() }
    }

    /// Adds a game. A game of a round that was taken changes nothing.
    pub(crate) fn add(&mut self, game: FieldGame) {
        if game.deal > self.taken {
            let deal = self.waiting.entry(game.deal).or_insert([None; N]);
            if let Some(place) = deal.get_mut(game.place()) {
                *place = Some(game);
            }
        }
    }

    /// Takes the next round, if it is complete.
    pub(crate) fn take(&mut self) -> Option<Round<N>> {
        let numbers = 1..=u32::try_from(self.opponents).ok()?;
        let deal = |number: u32| {
            let games = self.waiting.get(&self.taken.checked_add(number)?)?;
            games.iter().all(Option::is_some).then(|| games.map(Option::unwrap_or_default))
        };
        let deals = numbers.map(deal).collect::<Option<Vec<[FieldGame; N]>>>()?;
        self.taken += u32::try_from(deals.len()).ok()?;
        self.waiting = self.waiting.split_off(&(self.taken + 1));
        let copies = deals.iter().filter(|deal| self.is_copy(deal)).count();
        Some(Round { deals, copies })
    }

    fn is_copy(&mut self, deal: &[FieldGame; N]) -> bool {
        let mut fingerprints = [NonZeroU64::MIN; N];
        for (fingerprint, game) in fingerprints.iter_mut().zip(deal) {
            let Some(known) = game.fingerprint else { return false };
            *fingerprint = known;
        }
        !self.seen.insert(fingerprints)
    }
}
