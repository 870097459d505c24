//! The games that a pass over a log has seen so far, so that the next pass can tell whether they are
//! still the same.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::logged_game::LoggedGame;

/// The number of games seen so far, and a hash of them.
#[derive(Debug, Default)]
pub(crate) struct SeenGames {
    /// The number of games.
    pub(crate) games: usize,
    hasher: DefaultHasher,
}

impl SeenGames {
    /// Adds the next game, of the players with these numbers.
    pub(crate) fn add(&mut self, numbers: impl Iterator<Item = usize>, game: &LoggedGame) {
        self.games += 1;
        for number in numbers {
            number.hash(&mut self.hasher);
        }
        let LoggedGame { record, summary, .. } = game;
        (&record.id, &record.result, summary.fingerprint).hash(&mut self.hasher);
    }

    /// A hash of the games so far, in order.
    pub(crate) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
