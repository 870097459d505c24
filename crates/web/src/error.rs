//! Why a page cannot be served.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_games::GameError;
use referee_league::control::ControlError;
use referee_league::invitations::InvitationError;
use referee_record::model::game_rules::HeaderError;
use referee_report::ReportError;
use referee_tournament::analysis::logged_game::PassError;
use referee_tournament::folder::FolderError;
use tokio::sync::AcquireError;
use tokio::task::JoinError;

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Nothing can listen on an address.
    #[error("cannot listen on {on}: {source}{}", web_address_advice(source))]
    NoAddress {
        /// The address.
        on: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// A folder cannot be watched.
    #[error("cannot watch {}: {source}", dir.display())]
    Unwatchable {
        /// The folder.
        dir: PathBuf,
        /// Why.
        source: notify::Error,
    },
    /// A run has begun with another rules program.
    #[error("the rules program has changed: restart `serve`")]
    RulesChanged,
    /// A file or folder cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A packet cannot be kept or read.
    #[error(transparent)]
    Packet(#[from] io::Error),
    /// The page cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The results folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A game of the log cannot be read.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The header of the log cannot be used.
    #[error("the log's header cannot be used: {0}")]
    Header(Box<HeaderError>),
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Something cannot become JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// What the organiser wants cannot be read or written.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The invitations cannot be read.
    #[error(transparent)]
    Invitations(#[from] InvitationError),
    /// Work in the background broke off.
    #[error(transparent)]
    Broken(#[from] JoinError),
    /// What others wait for, too, failed.
    #[error(transparent)]
    Shared(Arc<WebError>),
    /// The server ends.
    #[error(transparent)]
    Ending(#[from] AcquireError),
}

/// What to do if nothing can listen on an address.
fn web_address_advice(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::AddrInUse {
        "; use another port, or 0 for any free one"
    } else {
        ""
    }
}

impl From<HeaderError> for WebError {
    fn from(error: HeaderError) -> Self {
        Self::Header(error.into())
    }
}

impl WebError {
    /// Turns the reason why `path` cannot be written into an error.
    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Unwritable { path, source }
    }
}
