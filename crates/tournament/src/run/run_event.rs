//! The events of a run, as one closed list, and their listeners.

use std::time::Duration;

use crate::schedule::tournament_state::TournamentState;
use referee_record::log::WriteError;
use referee_record::model::fault::Fault;
use referee_record::model::player_spec::Out;
use referee_record::model::record::GameRecord;
use referee_record::model::roster_change::RosterChange;

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
        /// The record.
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
    /// A player comes to a league, or goes.
    PlayersChanged(&'a RosterChange),
    /// Somebody interrupts the run, which goes on only until the games in play are over.
    Finishing {
        /// How many are in play.
        games: usize,
    },
    /// A section is over. Its results determine the next games.
    SectionOver,
    /// Something went wrong that no player caused: a sentence that is safe to show.
    Warning(&'a str),
    /// Something to tell: a sentence that is safe to show.
    Notice(&'a str),
    /// The set of worker machines changed.
    WorkerPool(&'a WorkerPool),
    /// No further games are played in this run.
    Over {
        /// Whether it was asked to stop at once.
        is_stopped: bool,
    },
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
    /// The name.
    pub name: String,
    /// How many games it plays at once.
    pub slots: usize,
    /// How many cores it may use.
    pub cores: usize,
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

/// Listens to a run.
pub trait RunListener {
    /// Handles an event. `state` is the state of the tournament after it.
    ///
    /// # Errors
    ///
    /// If the log cannot be written. The error ends the run.
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError>;
}

/// Several listeners as one. All of them receive every event, in this order, even after one fails.
pub struct RunListeners<'a>(pub Vec<&'a mut dyn RunListener>);

impl RunListener for RunListeners<'_> {
    /// Returns the first error.
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        let heard = self.0.iter_mut().map(|listener| listener.on(event, state));
        heard.fold(Ok(()), Result::and)
    }
}
