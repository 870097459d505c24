//! One pass over a log, shared by everything that looks at every game.

use crate::error::Failure;
use crate::model::record::GameRecord;

/// A game of a log, as visitors see it.
#[derive(Debug, Clone, Copy)]
pub struct LoggedGame<'a> {
    /// The record; under pseudonyms as anyone may see it.
    pub record: &'a GameRecord,
    /// It counts: none of its players was taken out before it.
    pub counts: bool,
    /// It belongs to a check.
    pub in_check: bool,
    /// The check of its line; none under pseudonyms, for it would tell whose game it is.
    pub check: Option<&'a str>,
    /// Its line in the log, from 1; 0 under pseudonyms.
    pub line: usize,
}

/// Takes in the games of a log, one after the other.
pub trait LogVisitor {
    /// Takes in the next game.
    ///
    /// # Errors
    ///
    /// When the game makes no sense, or what was made of it cannot be written. The pass ends.
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure>;
}

/// Several visitors as one.
#[derive(Default)]
pub struct Visitors<'a>(pub Vec<&'a mut dyn LogVisitor>);

impl LogVisitor for Visitors<'_> {
    fn visit(&mut self, game: &LoggedGame<'_>) -> Result<(), Failure> {
        self.0.iter_mut().try_for_each(|visitor| visitor.visit(game))
    }
}
