//! How a run ends, and why it may end too early.

use std::error::Error;
use std::io;

use crate::run::job_failure::JobFailure;
use crate::schedule::tournament_state::RecordError;
use referee_games::GameError;
use referee_match::openings::BookError;
use referee_match::player::player_sandbox::describe_sandbox_shortage;
use referee_record::log::WriteError;
use referee_sandbox::Shortage;

/// The reason why a run ended before all games were played.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The log cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The game cannot be started.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The openings cannot be played.
    #[error(transparent)]
    Openings(#[from] BookError),
    /// A game that was played does not belong to the tournament.
    #[error("game {id}: {source}")]
    Misfit {
        /// The identity.
        id: String,
        /// What is wrong with it.
        source: RecordError,
    },
    /// No thread can be started.
    #[error("cannot start a thread: {0}")]
    NoWorker(#[source] io::Error),
    /// The game's implementation failed.
    #[error("{job} could not be played: {failure}")]
    Broken {
        /// The job in which it failed.
        job: String,
        /// The failure.
        failure: JobFailure,
    },
    /// The machine lacks resources for even one game.
    #[error(
        "{job} could not begin: {}. None of it was recorded; run the same command again to \
         continue",
        describe_sandbox_shortage(shortage)
    )]
    Shortage {
        /// The job that could not begin.
        job: String,
        /// The missing resource.
        shortage: Shortage,
    },
    /// Some games could not be played, or wait for a budget, and all others were played.
    #[error("{0}")]
    Unplayed(String),
    /// Whoever plays the games elsewhere cannot go on.
    #[error(transparent)]
    Elsewhere(Box<dyn Error + Send + Sync>),
}

/// The outcome of a run. All games played are in the log.
#[derive(Debug)]
pub enum RunEnd {
    /// All games were played.
    Complete,
    /// The run was asked to stop at once: the games in play were dropped.
    Stopped,
    /// The run was asked to finish: the games in play were finished.
    Finished,
    /// No further game was expected to finish before the end time.
    TimeUp,
    /// Some games could not be played.
    Failed(RunError),
}
