//! One pass over a log, shared by everything that examines each game.

use std::sync::Arc;

use super::named_results::AnalysisError;
use crate::folder::FolderError;
use referee_record::model::game_summary::{GameSummary, UnknownResult};
use referee_record::model::record::GameRecord;

/// The reason why a log cannot be analysed.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// It cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// It is not the log that an earlier pass read.
    #[error("the first games in the log have changed")]
    OtherGames,
    /// A game has an unknown result.
    #[error(transparent)]
    Result(UnknownResult),
    /// The given ratings cannot be used.
    #[error("the ratings cannot be computed: {0}")]
    Ratings(#[from] AnalysisError),
}

/// A game of a log, as visitors see it.
#[derive(Debug, Clone)]
pub struct LoggedGame {
    /// The record; under pseudonyms, as anyone may see it.
    pub record: Arc<GameRecord>,
    /// What results need.
    pub summary: GameSummary,
    /// Whether it counts, that is, no player of it was taken out before it.
    pub counts: bool,
    /// Whether it belongs to a check.
    pub(crate) in_check: bool,
    /// Its line number in the log, from 1; 0 under pseudonyms.
    pub line: usize,
    /// Whether its moves must not be shown yet; see [`SealedGames`](super::sealed_games::SealedGames).
    pub is_sealed: bool,
}

#[cfg(test)]
impl LoggedGame {
    /// A game that counts.
    pub(crate) fn counted(record: &GameRecord) -> Self {
        let summary = GameSummary::from_record(record).expect("a result");
        let record = Arc::new(record.clone());
        Self { record, summary, counts: true, in_check: false, line: 0, is_sealed: false }
    }
}
