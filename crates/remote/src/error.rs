//! Errors of runs on many machines.

use std::io;
use std::path::PathBuf;

use async_nats::SubscribeError;

use super::bundle::BundleError;
use super::nats_server::ServerProblem;
use referee_match::game_program::OpenError;
use referee_match::openings::BookError;
use referee_match::player::player_sandbox::describe_unresolved_sandbox;
use referee_protocol::escape::escape_line;
use referee_record::model::game_rules::HeaderError;
use referee_record::seeds::NoRandomNumbers;
use referee_sandbox::ResolveError;

/// The reason why a run cannot be played on many machines, or not here.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] ServerProblem),
    /// The system provides no random numbers.
    #[error(transparent)]
    Random(#[from] NoRandomNumbers),
    /// The files of a player cannot be packed or unpacked.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A file cannot be read, written or removed.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What cannot be done.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Messages of the workers cannot be received.
    #[error("cannot listen to the workers: {0}")]
    Subscribe(#[source] SubscribeError),
    /// The description of the run cannot be written.
    #[error("cannot describe the run: {0}")]
    Undescribed(#[source] serde_json::Error),
    /// A later coordinator plays the same tournament.
    #[error(
        "another coordinator took over: it is playing the same tournament on this server, perhaps \
         from a copy of the results folder. Only one of them can continue"
    )]
    TakenOver,
    /// The connection has ended.
    #[error("the connection to the NATS server is closed")]
    Closed,
    /// The coordinator has another version than this worker.
    #[error(
        "the coordinator has version {} of the referee, this worker {own}: use the same version",
        escape_line(coordinator)
    )]
    Version {
        /// The coordinator's version.
        coordinator: String,
        /// The version of this worker.
        own: &'static str,
    },
    /// The description of the run cannot be read.
    #[error("the description of the run cannot be read: {0}")]
    Description(#[source] serde_json::Error),
    /// The description of the run cannot be used, for this reason.
    #[error("{0}")]
    Unusable(&'static str),
    /// A program or folder that a player needs is missing.
    #[error("this machine has no {}, which {} needs: install it", program.display(), escape_line(player))]
    NoProgram {
        /// The program or folder.
        program: PathBuf,
        /// The player.
        player: String,
    },
    /// Players cannot be contained as the tournament requires.
    #[error("{}", describe_unresolved_sandbox(.0))]
    Containment(#[from] ResolveError),
    /// The rules cannot be used.
    #[error("the log's header cannot be used: {0}")]
    Header(#[source] Box<HeaderError>),
    /// The rules program cannot be used.
    #[error(transparent)]
    Rules(#[from] OpenError),
    /// The openings cannot be played.
    #[error(transparent)]
    Openings(#[from] BookError),
    /// The thread that prepares the run panicked.
    #[error("the run cannot be prepared: {0}")]
    Unprepared(#[from] tokio::task::JoinError),
}

impl RemoteError {
    /// Turns errors of the system into errors about this file.
    pub(super) fn file(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }
}

impl From<HeaderError> for RemoteError {
    fn from(error: HeaderError) -> Self {
        Self::Header(Box::new(error))
    }
}
