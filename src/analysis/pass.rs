//! One pass over a log, shared by everything that examines each game.

use crate::error::Failure;
use crate::model::record::GameRecord;

/// A game of a log, as visitors see it.
#[derive(Debug, Clone, Copy)]
pub struct LoggedGame<'a> {
    /// The record; under pseudonyms, as anyone may see it.
    pub record: &'a GameRecord,
    /// Whether it counts, that is, no player of it was taken out before it.
    pub counts: bool,
    /// Whether it belongs to a check.
    pub in_check: bool,
    /// Its line number in the log, from 1; 0 under pseudonyms.
    pub line: usize,
    /// Whether its moves must not be shown yet; see [`SealedGames`](super::sealed::SealedGames).
    pub is_sealed: bool,
}

/// Visits the games of a log, one by one.
pub trait LogVisitor {
    /// Visits the next game.
    ///
    /// # Errors
    ///
    /// When the game is invalid, or when the visitor cannot write its output. The pass then ends.
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure>;
}

/// Several visitors that act as one.
#[derive(Default)]
pub struct Visitors<'a>(pub Vec<&'a mut dyn LogVisitor>);

impl LogVisitor for Visitors<'_> {
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure> {
        self.0.iter_mut().try_for_each(|visitor| visitor.visit(game))
    }
}
