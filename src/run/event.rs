//! What happens in a run, in one closed list, and who listens to it.

use std::fmt;

use crate::error::Failure;
use crate::escape;
use crate::model::fault::Fault;
use crate::model::player::Out;
use crate::model::record::GameRecord;
use crate::player::sandbox::shortage_text;
use crate::schedule::ledger::Ledger;
use referee_sandbox::Shortage;

/// Something that happened in a run.
#[derive(Debug, Clone, Copy)]
pub enum RunEvent<'a> {
    /// A player could not be started. Its games will be lost.
    CannotStart {
        /// The player's name.
        player: &'a str,
        /// Why.
        fault: &'a Fault,
    },
    /// The games begin.
    Begun {
        /// How many are due.
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
        /// Its last exchanges as JSON lines, if it ended in a fault.
        transcript: Option<&'a str>,
    },
    /// A player was taken out of the tournament.
    PlayerOut {
        /// The player's name.
        player: &'a str,
        /// The identity of the game that took it out.
        game: &'a str,
        /// Why.
        why: Out,
    },
    /// A section is over: its results say which games follow.
    SectionOver,
    /// Something went wrong that is no player's fault.
    Warning(&'a Warning),
    /// No more games are played in this run.
    Over,
}

/// Something that went wrong in a run and is no player's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// The referee lacks something to play as many games at once.
    FewerAtOnce {
        /// What it lacks.
        shortage: Shortage,
        /// The most games at once from now on.
        most: usize,
    },
    /// The referee panicked in a job.
    Panicked {
        /// The job in words.
        job: String,
        /// What the panic said.
        message: String,
        /// Whether the job is tried again.
        again: bool,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewerAtOnce { shortage, most } => {
                let why = shortage_text(shortage);
                write!(f, "{why}. From now on at most {most} at once are played")
            }
            Self::Panicked { job, message, again } => {
                let then = if *again { "it is tried again" } else { "it is left out" };
                let message = escape::terminal(message);
                write!(f, "the referee panicked in {job}: {message}; {then}")
            }
        }
    }
}

/// Listens to a run.
pub trait Listener {
    /// Takes in an event; `ledger` is how the tournament stands after it.
    ///
    /// # Errors
    ///
    /// A listener that cannot do its work ends the run.
    fn on(&mut self, event: RunEvent<'_>, ledger: &Ledger) -> Result<(), Failure>;
}

/// Several listeners as one. Each hears every event, in this order, even when one before it failed.
pub struct Listeners<'a>(pub Vec<&'a mut dyn Listener>);

impl Listener for Listeners<'_> {
    /// Gives the first failure.
    fn on(&mut self, event: RunEvent<'_>, ledger: &Ledger) -> Result<(), Failure> {
        let heard = self.0.iter_mut().map(|listener| listener.on(event, ledger));
        heard.fold(Ok(()), Result::and)
    }
}
