//! The events of a run, as one closed list, and their listeners.

use std::fmt;
use std::time::Duration;

use super::failure::JobFailure;
use crate::schedule::state::TournamentState;
use referee_match::player::sandbox::shortage_text;
use referee_protocol::escape;
use referee_record::log::WriteError;
use referee_record::model::fault::Fault;
use referee_record::model::player::Out;
use referee_record::model::record::GameRecord;
use referee_sandbox::Shortage;

/// An event of a run.
#[derive(Debug, Clone, Copy)]
pub enum RunEvent<'a> {
    /// A player could not be started. Its games will be lost.
    CannotStart {
        /// The player's name.
        player: &'a str,
        /// The fault.
        fault: &'a Fault,
    },
    /// The games begin.
    Begun {
        /// How many games are due.
        due: usize,
    },
    /// A game begins.
    GameBegun {
        /// The game's identity.
        id: &'a str,
    },
    /// A game is over.
    GameFinished {
        /// Its record.
        record: &'a GameRecord,
        /// Its transcript as JSON lines, if it ended in a fault.
        transcript: Option<&'a str>,
    },
    /// A player was taken out of the tournament.
    PlayerOut {
        /// The player's name.
        player: &'a str,
        /// The identity of the game that took it out.
        game: &'a str,
        /// The reason.
        why: Out,
    },
    /// A section is over. Its results determine the next games.
    SectionOver,
    /// Something went wrong that no player caused.
    Warning(&'a RunWarning),
    /// The set of worker machines changed.
    WorkerPool(&'a WorkerPool),
    /// No further games are played in this run.
    Over,
}

/// The machines that play for a run on many machines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerPool {
    /// The workers, by name.
    pub members: Vec<WorkerStatus>,
    /// How many jobs may be handed out now: those that are played, and some that wait.
    pub most: usize,
    /// How many jobs wait for a worker.
    pub queued: u64,
    /// How many games were played again by another worker, and compared.
    pub compared: u64,
    /// How many of those were different.
    pub different: u64,
}

/// A machine that plays for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerStatus {
    /// Its name.
    pub name: String,
    /// How many games it plays at once.
    pub slots: usize,
    /// How many cores it may use.
    pub cores: usize,
    /// How many jobs it has done: mostly pairs of games.
    pub played: u64,
    /// How long a fixed computation took on one core when it started.
    pub calibration: Duration,
    /// The containment in force.
    pub containment: String,
}

impl WorkerPool {
    /// How many games are played at once.
    pub fn slots(&self) -> usize {
        self.members.iter().map(|member| member.slots).sum()
    }
}

/// A problem in a run that no player caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunWarning {
    /// More games at once than cores for them.
    Crowded {
        /// Games at once.
        games: usize,
        /// The cores that each needs.
        each: usize,
        /// The cores that there are.
        cores: usize,
    },
    /// The referee lacks resources to play as many games at once.
    FewerAtOnce {
        /// The missing resource.
        shortage: Shortage,
        /// The most games at once from now on.
        most: usize,
    },
    /// A job failed.
    JobFailed {
        /// A description of the job.
        job: String,
        /// The failure.
        failure: JobFailure,
        /// Whether the job is tried again.
        again: bool,
    },
    /// The games in play cannot be shown. They are played all the same.
    NotShown {
        /// The reason.
        why: String,
    },
    /// A worker sent a result that cannot be true. Nothing more is accepted from it.
    Excluded {
        /// The worker's name and key.
        worker: String,
        /// A description of the job.
        job: String,
        /// What is wrong with the result.
        why: String,
    },
    /// Another worker played a game again, as a check, and it was different.
    Different {
        /// The game's identity.
        game: String,
        /// The number of the first other action, from 1; none if only the end differs.
        ply: Option<usize>,
        /// The worker whose game counts.
        counts: String,
        /// The other worker.
        other: String,
    },
    /// A worker cannot play.
    Unfit {
        /// The worker's name.
        worker: String,
        /// The reason.
        why: String,
    },
    /// A worker kept a job longer than the clocks allow. Nothing more is accepted from it.
    HeldUp {
        /// The worker's name and key.
        worker: String,
        /// A description of the job.
        job: String,
        /// For how long it may be kept.
        seconds: u64,
    },
    /// Something about the server or its workers, as a sentence.
    Remote(String),
    /// The server answers again.
    Answers {
        /// How long it did not.
        after: Duration,
    },
    /// The server had queues of this tournament with another configuration.
    OldQueues,
}

impl fmt::Display for RunWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crowded { games, each, cores } => write!(
                f,
                "{games} games at once need {} cores, but there {} only {cores}: they slow each \
                 other down, so players may lose on time. Better: --jobs {}",
                games * each,
                if *cores == 1 { "is" } else { "are" },
                (cores / each).max(1)
            ),
            Self::FewerAtOnce { shortage, most } => {
                let why = shortage_text(shortage);
                write!(f, "{why}. From now on, at most {most} games are played at once")
            }
            Self::JobFailed { job, failure, again } => {
                let then = if *again { "it is tried again" } else { "it is left out" };
                write!(f, "{job} could not be played: {failure}; {then}")
            }
            Self::NotShown { why } => {
                write!(f, "the games in play cannot be shown: {}", escape::terminal(why))
            }
            Self::Excluded { worker, job, why } => {
                let why = escape::terminal(why);
                write!(
                    f,
                    "worker {worker} sent an invalid result for {job}: {why}. It is played again, \
                     and nothing more is accepted from this worker"
                )
            }
            Self::HeldUp { worker, job, seconds } => write!(
                f,
                "worker {worker} has kept {job} for more than {seconds} seconds, longer than the \
                 clocks allow. It goes to another one, and nothing more is accepted from this worker"
            ),
            Self::Different { game, ply, counts, other } => {
                let from = ply.map_or("at its end".to_owned(), |ply| format!("from ply {ply} on"));
                write!(
                    f,
                    "game {game} was different {from} when worker {other} played it again. The \
                     game of worker {counts} counts. If its players always play the same, one of \
                     these workers is not to be trusted"
                )
            }
            Self::Unfit { worker, why } => {
                write!(f, "worker {worker} cannot play: {}", escape::terminal(why))
            }
            Self::Answers { after } => {
                let seconds = after.as_secs();
                write!(f, "the NATS server answers again, after {seconds} seconds; nothing is lost")
            }
            Self::OldQueues => f.write_str(
                "the server still had the queues of this tournament with another configuration; \
                 they were removed, and games that waited there are played again",
            ),
            Self::Remote(problem) => f.write_str(&escape::terminal(problem)),
        }
    }
}

/// Listens to a run.
pub trait Listener {
    /// Handles an event. `state` is the state of the tournament after it.
    ///
    /// # Errors
    ///
    /// If the log cannot be written. The error ends the run.
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError>;
}

/// Several listeners as one. All of them receive every event, in this order, even after one fails.
pub struct Listeners<'a>(pub Vec<&'a mut dyn Listener>);

impl Listener for Listeners<'_> {
    /// Returns the first error.
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        let heard = self.0.iter_mut().map(|listener| listener.on(event, state));
        heard.fold(Ok(()), Result::and)
    }
}
