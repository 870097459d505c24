//! What a worker is given to do, and what it reports.

use std::any::Any;

use super::entrant::Entrant;
use crate::model::clock::TimeControl;
use crate::model::fault::Fault;
use crate::model::record::{FaultPolicy, GameRecord};
use crate::schedule::Fixture;
use crate::seeds::Secret;
use referee_games::{BySeat, GameError};
use referee_sandbox::Shortage;

/// What all games of a tournament have in common.
#[derive(Debug)]
pub struct Conditions {
    /// The limits of time.
    pub control: TimeControl,
    /// What happens after a refused action.
    pub policy: FaultPolicy,
    /// The players.
    pub players: Vec<Entrant>,
    /// The tournament's secret.
    pub secret: Secret,
}

/// What a slot is to do.
#[derive(Debug, Clone)]
pub enum Job {
    /// Start a player, shake hands and let it leave.
    Probe(usize),
    /// Play the game with this identity.
    Play(String, Fixture),
}

/// What a slot has done.
#[derive(Debug)]
pub enum Done {
    /// A player was started; the fault if it could not be.
    Probed(usize, Option<Fault>),
    /// A game was played.
    Played(Box<Finished>),
    /// The job could not be done: the referee lacks something, and no player failed.
    Shortage(Shortage),
    /// The game itself failed, and no player did.
    Broken(GameError),
    /// The job was given up because the tournament is to stop.
    Stopped,
}

/// A slot panicked in the middle of its job, and has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panic {
    /// What the panic said.
    pub message: String,
}

impl Panic {
    pub(super) fn new(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
        Self { message: text.unwrap_or("without a message").to_owned() }
    }
}

/// A finished game.
#[derive(Debug)]
pub struct Finished {
    /// Its record.
    pub record: GameRecord,
    /// The last exchanges of a game that ended in a fault, as JSON lines.
    pub exchanges: Option<String>,
    /// The most memory that each player's processes held when the game ended, in bytes, where
    /// the system tells.
    pub memory: BySeat<Option<u64>>,
}
