//! The jobs of workers, and their reports.

use std::error::Error;
use std::sync::Arc;

use super::entrant::Entrant;
use super::event::{RunWarning, WorkerPool};
use super::failure::JobFailure;
use super::spectators::Spectators;
use crate::schedule::Fixture;
use referee_games::{BySeat, GameError};
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::Fault;
use referee_record::model::record::{FaultPolicy, GameRecord};
use referee_record::model::warning::GameWarning;
use referee_record::seeds::Secret;
use referee_sandbox::Shortage;

/// The conditions that all games of a tournament share.
#[derive(Debug)]
pub struct Conditions {
    /// The time limits.
    pub control: TimeControl,
    /// The policy after a rejected action.
    pub policy: FaultPolicy,
    /// The players.
    pub players: Vec<Entrant>,
    /// The tournament's secret.
    pub secret: Secret,
    /// The people who look at the games.
    pub spectators: Arc<Spectators>,
}

/// A job for a worker.
#[derive(Debug, Clone)]
pub enum Job {
    /// Start a player, wait for its greeting, and let it quit.
    Probe(usize),
    /// Play these games, one after the other: one game, or both of a pair.
    Play(Vec<DueGame>),
}

/// A game that is to be played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueGame {
    /// Its identity.
    pub id: String,
    /// Its place in the schedule.
    pub fixture: Fixture,
}

/// The outcome of a job.
#[derive(Debug)]
pub enum JobOutcome {
    /// A player was started, or failed with this fault.
    Probed(usize, Option<Fault>),
    /// The games were played.
    Played(Vec<Finished>),
    /// The job could not be done: the referee lacks resources, and no player failed.
    Shortage(Shortage),
    /// The game's implementation failed, and no player did.
    Broken(GameError),
    /// The job was abandoned because the run was asked to stop.
    Stopped,
    /// A worker could not do the job.
    Failed(JobFailure),
}

/// A message from a worker.
#[derive(Debug)]
pub enum Report {
    /// The worker with this number has done its job, or cannot do it.
    Done(usize, JobOutcome),
    /// A worker panicked in the middle of its job.
    Panicked(usize, JobFailure),
    /// Something went wrong that no player caused.
    Warning(RunWarning),
    /// The set of worker machines changed.
    WorkerPool(WorkerPool),
    /// Nothing more can be played.
    Failed(Box<dyn Error + Send + Sync>),
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// Its record.
    pub record: GameRecord,
    /// The warnings of the record.
    pub warnings: Vec<GameWarning>,
    /// The transcript of a game that ended in a fault, as JSON lines.
    pub transcript: Option<String>,
    /// The peak memory of each player's processes that were alive when the game ended, in bytes, if
    /// the system reports it.
    pub memory: BySeat<Option<u64>>,
}
