//! Why a report cannot be written.

use std::io;
use std::path::{Path, PathBuf};

use referee_games::GameError;
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::folder::FolderError;

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A game of the log cannot be read.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A replay cannot become JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl ReportError {
    /// Turns the reason why `path` cannot be written into an error.
    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Unwritable { path, source }
    }
}
