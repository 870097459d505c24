//! One pass over a log, shared by everything that examines each game.

use std::borrow::Cow;

use super::results::AnalysisError;
use crate::folder::FolderError;
use referee_record::model::game_summary::{GameSummary, UnknownResult};
use referee_record::model::record::{GameOutline, GameRecord};

/// The reason why a log cannot be analysed.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// It cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A line has changed since it was found.
    #[error("line {line} of the log is not a record: {source}")]
    Record {
        /// Its number, from 1.
        line: usize,
        /// Why it cannot be read.
        source: serde_json::Error,
    },
    /// A game has an unknown result.
    #[error(transparent)]
    Result(UnknownResult),
    /// The given ratings cannot be used.
    #[error("the ratings cannot be computed: {0}")]
    Ratings(#[from] AnalysisError),
}

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
    pub(crate) in_check: bool,
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
    pub fn record(&self) -> Result<Cow<'a, GameRecord>, PassError> {
        match self.source {
            RecordSource::Record(record) => Ok(Cow::Borrowed(record)),
            RecordSource::Line(line) => {
                let record = serde_json::from_slice(line).map(Cow::Owned);
                record.map_err(|source| PassError::Record { line: self.line, source })
            }
        }
    }
}
