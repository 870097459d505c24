//! Why a tournament cannot start or resume.

use std::io;
use std::path::PathBuf;

use referee_games::{GameError, safe_one_line};
use referee_record::log::WriteError;
use referee_record::model::opening_source::UnreadableBook;

use super::continuation::ContinuationError;
use crate::folder::{self, FolderError, LineProblem};
use crate::verify_record::RecordFinding;

/// The reason why a tournament cannot start or resume.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The log cannot be created.
    #[error(transparent)]
    NotCreated(WriteError),
    /// A player to replace is not configured.
    #[error("--replace {0}: no player with this name is configured")]
    Unknown(String),
    /// A line is not a game of this tournament.
    #[error(
        "{0}, so it is unclear what to play next; nothing was changed; `referee verify` finds \
         every such line, and `referee verify --repair` moves them out of the log"
    )]
    Foreign(LineProblem),
    /// The folder has games, but not the secret that they drew their seeds from.
    #[error(
        "{} has lost the file `{}`, from which its games drew their seeds; restore it, or give \
         the tournament another name",
        .0.display(),
        folder::SECRET
    )]
    LostSecret(PathBuf),
    /// The configuration has changed in a way that the results do not allow.
    #[error(
        "the configuration differs from the results in {}:\n  {differences}\nnothing was changed; \
         give the tournament another name, or restore the configuration{offer}",
        dir.display()
    )]
    Differs {
        /// The results folder.
        dir: PathBuf,
        /// What differs, a line each.
        differences: String,
        /// How to rank the players that cannot join.
        offer: String,
    },
    /// Programs have changed.
    #[error(
        "programs have changed since they played the games in {}:\n  {differences}\nthe results \
         are untouched; put the old programs back, or play their games again\nnext: {command}",
        dir.display()
    )]
    Programs {
        /// The results folder.
        dir: PathBuf,
        /// What differs, a line each.
        differences: String,
        /// The command that replaces them.
        command: String,
    },
    /// The rules program has changed, and with it the result of a game.
    #[error(
        "{}; game {} differs at ply {ply}: {}; nothing was changed; restore the program, or give the \
         tournament another name",
        change,
        safe_one_line(id),
        safe_one_line(&finding.to_string())
    )]
    Rules {
        /// The change.
        change: String,
        /// The game.
        id: String,
        /// The first ply that differs.
        ply: u32,
        /// The difference.
        finding: Box<RecordFinding>,
    },
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The league cannot continue another one.
    #[error(transparent)]
    Continuation(#[from] ContinuationError),
    /// The book of openings cannot be read any more.
    #[error("cannot read the openings of {file}: {source}")]
    Book {
        /// The name of the file.
        file: String,
        /// What is wrong with it.
        source: UnreadableBook,
    },
    /// The games of replaced players cannot be saved.
    #[error("cannot write {}: {source}", path.display())]
    Superseded {
        /// Their file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl From<WriteError> for ResumeError {
    fn from(error: WriteError) -> Self {
        Self::Folder(error.into())
    }
}
