//! Why a check cannot be done.

use std::io;

use referee_games::GameError;
use referee_match::player::player_sandbox::describe_sandbox_shortage;
use referee_match::reask::NotAsked;
use referee_record::log::WriteError;
use referee_record::seeds::NoRandomNumbers;
use referee_sandbox::Shortage;
use referee_tournament::run::job_failure::JobFailure;

/// Why a check cannot be done. The player has nothing to do with it.
#[derive(Debug, thiserror::Error)]
pub enum ExamError {
    /// No thread can be started that notices pauses of the machine.
    #[error("cannot start a thread: {0}")]
    NoThread(#[source] io::Error),
    /// No threads can be started that keep the core busy.
    #[error("cannot start threads that keep the core busy: {0}")]
    NoLoad(#[source] io::Error),
    /// Nothing can wait for events.
    #[error("cannot wait for events: {0}")]
    NoRuntime(#[source] io::Error),
    /// The check itself broke off.
    #[error("the check of {player}: {failure}; this is a bug in the referee")]
    Broken {
        /// The player that was checked.
        player: String,
        /// What happened.
        failure: JobFailure,
    },
    /// The machine lacks resources.
    #[error("{}", describe_sandbox_shortage(.0))]
    Shortage(Shortage),
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A player cannot be asked for a decision.
    #[error(transparent)]
    Question(Box<NotAsked>),
    /// A game could not be played.
    #[error(transparent)]
    Job(#[from] JobFailure),
    /// A built-in player failed.
    #[error("the built-in player {name} failed: {message}")]
    Partner {
        /// The name.
        name: String,
        /// The message of its fault.
        message: String,
    },
    /// The luck of a game cannot be drawn.
    #[error(transparent)]
    NoLuck(#[from] NoRandomNumbers),
    /// The games with a finding cannot be kept.
    #[error(transparent)]
    Records(#[from] WriteError),
}

impl From<Shortage> for ExamError {
    fn from(shortage: Shortage) -> Self {
        Self::Shortage(shortage)
    }
}

impl From<NotAsked> for ExamError {
    fn from(why: NotAsked) -> Self {
        Self::Question(why.into())
    }
}
