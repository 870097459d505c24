//! One pass over a log, shared by everything that examines each game.

use std::borrow::Cow;

use crate::error::Failure;
use crate::model::game_summary::GameSummary;
use crate::model::record::{GameOutline, GameRecord};

/// A game of a log, as visitors see it.
#[derive(Debug, Clone, Copy)]
pub struct LoggedGame<'a> {
    /// The record without its moves; under pseudonyms, as anyone may see it.
    pub outline: &'a GameOutline,
    /// What results need.
    pub summary: GameSummary,
    /// The whole record.
    pub source: RecordSource<'a>,
    /// Whether it counts, that is, no player of it was taken out before it.
    pub counts: bool,
    /// Whether it belongs to a check.
    pub in_check: bool,
    /// Its line number in the log, from 1; 0 under pseudonyms.
    pub line: usize,
    /// Whether its moves must not be shown yet; see [`SealedGames`](super::sealed::SealedGames).
    pub is_sealed: bool,
}

/// The whole record of a game, perhaps still to be read: it takes many times as long as its outline.
#[derive(Debug, Clone, Copy)]
pub enum RecordSource<'a> {
    /// The line of the log, which has the record.
    Line(&'a [u8]),
    /// The record; under pseudonyms, as anyone may see it.
    Record(&'a GameRecord),
}

impl<'a> LoggedGame<'a> {
    /// The whole record; under pseudonyms, as anyone may see it.
    ///
    /// # Errors
    ///
    /// When its line has changed since it was found.
    pub fn record(&self) -> Result<Cow<'a, GameRecord>, Failure> {
        match self.source {
            RecordSource::Record(record) => Ok(Cow::Borrowed(record)),
            RecordSource::Line(line) => {
                serde_json::from_slice(line).map(Cow::Owned).map_err(|error| {
                    Failure::input(format!(
                        "line {} of the log is not a record: {error}",
                        self.line
                    ))
                })
            }
        }
    }
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
