//! A player behind one small interface: a process, a person, or a function in this process.

mod barred;
mod cpu_usage;
pub mod diagnosis;
mod exchanges;
mod human;
mod launch;
mod limit;
mod overdue;
mod process;
pub mod sandbox;
#[cfg(test)]
mod scripted;
mod stderr;
mod wire;

use std::time::Duration;

pub use exchanges::{Direction, Exchange};
pub use human::Human;
pub use launch::Launch;
pub use overdue::{LAG, Overdue};
pub use sandbox::{NotStarted, Sandbox};
#[cfg(test)]
pub(crate) use scripted::Script;
pub use wire::{Respond, Wire};

use crate::model::clock::TimeControl;
use crate::model::fault::{Fault, FaultCode};
use crate::model::record::Score;
use crate::model::rules::Rules;
use crate::protocol::{Greeting, Reply, TurnClock};
use referee_games::{AnyPosition, BySeat, Event, Seat, Text};

/// What a player is told at the start of a game.
#[derive(Debug)]
pub struct InitView<'a> {
    /// The seat it takes.
    pub seat: Seat,
    /// The rules in force.
    pub rules: &'a Rules,
    /// The position where the first turn will stand.
    pub position: &'a dyn AnyPosition,
    /// The limits of time.
    pub control: &'a TimeControl,
    /// Its own seed.
    pub seed: u64,
    /// The opening's actions.
    pub opening: &'a [String],
}

/// What a player is told when it is on turn.
#[derive(Debug)]
pub struct TurnView<'a> {
    /// Its seat.
    pub seat: Seat,
    /// The position.
    pub position: &'a dyn AnyPosition,
    /// What happened since its last turn.
    pub events: &'a [Event],
    /// The clocks.
    pub clock: TurnClock,
    /// Which retry of this turn it is, from 1; none for the first asking.
    pub retry: Option<u32>,
    /// How long it may take; unlimited when absent.
    pub allowance: Option<Duration>,
    /// The budget that this is the rest of, if it is.
    pub budget: Option<Duration>,
}

/// What a player is told at the end of a game.
#[derive(Debug)]
pub struct EndView<'a> {
    /// Its seat.
    pub seat: Seat,
    /// The names of the seats.
    pub seats: &'a BySeat<Text>,
    /// The final position.
    pub position: &'a dyn AnyPosition,
    /// What happened since its last turn.
    pub events: &'a [Event],
    /// The scores by seat.
    pub scores: BySeat<Score>,
    /// Why the game ended.
    pub reason: &'a str,
}

/// What came of a turn, and the time by which it is judged.
#[derive(Debug)]
pub struct Answer {
    /// The reply, its action not judged yet; or the fault.
    pub reply: Result<Reply, Fault>,
    /// The time used.
    pub used: Duration,
}

/// A player of one game.
#[derive(Debug)]
pub enum Player {
    /// A program that speaks the protocol.
    Wire(Box<Wire>),
    /// A person at this terminal.
    Human(Box<Human>),
}

/// Statistics of a player after its game.
#[derive(Debug, Default)]
pub struct PlayerStatistics {
    /// Processes besides the player's own that had to be killed.
    pub leftover: usize,
    /// CPU time of its processes, where it could be measured.
    pub cpu: Option<Duration>,
    /// CPU time it used on its opponent's turns.
    pub cpu_off_turn: Duration,
    /// The most memory that each of its processes alive at the end had held, added up, in bytes,
    /// where the system tells.
    pub memory: Option<u64>,
    /// Bytes of its stderr that were not kept.
    pub stderr_lost: u64,
    /// The first line that it wrote after the end of the game, escaped and cut.
    pub afterwards: Option<String>,
    /// The limits it ran into, as sentences without a subject.
    pub notes: Vec<String>,
}

impl Player {
    /// Starts the player and shakes hands. Gives what it said of itself and the time it took, of
    /// the kind that decides.
    pub async fn begin(&mut self, view: &InitView<'_>) -> Result<(Greeting, Duration), NotStarted> {
        match self {
            Self::Wire(wire) => wire.begin(view).await,
            Self::Human(human) => {
                human.begin(view).await;
                Ok((Greeting::default(), Duration::ZERO))
            }
        }
    }

    /// Asks for an action.
    pub async fn ask(&mut self, view: &TurnView<'_>) -> Answer {
        match self {
            Self::Wire(wire) => wire.ask(view).await,
            Self::Human(human) => human.ask(view).await,
        }
    }

    /// Tells the player why its reply was refused, before it is asked again.
    pub async fn refuse(&mut self, fault: &Fault) {
        match self {
            Self::Wire(wire) => wire.refuse(fault).await,
            Self::Human(human) => human.refuse(fault),
        }
    }

    /// Tells the player how the game ended, unless it owes a reply.
    pub async fn end(&mut self, view: &EndView<'_>) {
        if let Self::Wire(wire) = self {
            wire.end(view).await;
        }
    }

    /// Lets the player leave, and kills what is left of it.
    pub async fn leave(&mut self) -> PlayerStatistics {
        match self {
            Self::Wire(wire) => wire.leave().await,
            Self::Human(_) => PlayerStatistics::default(),
        }
    }

    /// Kills the player at once.
    pub async fn kill(&mut self) {
        if let Self::Wire(wire) = self {
            wire.kill().await;
        }
    }

    /// Ends a turn of the opponent and returns the CPU time that this player used in it, where
    /// the system tells. Turns of less than 0.2 ms are not measured one by one.
    pub fn end_off_turn(&mut self) -> Duration {
        match self {
            Self::Wire(wire) => wire.end_off_turn(),
            Self::Human(_) => Duration::ZERO,
        }
    }

    /// In this game the player computed on the opponent's turns: at least 50 ms of CPU time and a
    /// tenth of the wall time.
    pub fn ponders(&self) -> bool {
        match self {
            Self::Wire(wire) => wire.ponders(),
            Self::Human(_) => false,
        }
    }

    /// How the player's last reply was overdue, if it was.
    pub fn overdue(&self) -> Option<Overdue> {
        match self {
            Self::Wire(wire) => wire.overdue(),
            Self::Human(_) => None,
        }
    }

    /// The fault of a player that has written although it owes nothing, if it has already.
    pub(crate) async fn spoke_unasked(&mut self) -> Option<Fault> {
        match self {
            Self::Wire(wire) => wire.spoke_unasked().await,
            Self::Human(_) => None,
        }
    }

    /// From now on the player is frozen as soon as it has replied.
    pub fn freeze_off_turn(&mut self) {
        if let Self::Wire(wire) = self {
            wire.freeze_off_turn();
        }
    }

    /// Freezes the player until it is written to again.
    pub fn freeze(&mut self) {
        if let Self::Wire(wire) = self {
            wire.freeze();
        }
    }

    /// The player owes a reply, or cannot be used again.
    pub fn owes(&self) -> bool {
        match self {
            Self::Wire(wire) => wire.owes(),
            Self::Human(_) => false,
        }
    }

    /// What there is to know of a player that stays for another game.
    pub fn statistics(&self) -> PlayerStatistics {
        match self {
            Self::Wire(wire) => wire.statistics(),
            Self::Human(_) => PlayerStatistics::default(),
        }
    }

    /// The last lines both ways, oldest first.
    pub fn exchanges(&self) -> Vec<Exchange> {
        match self {
            Self::Wire(wire) => wire.exchanges(),
            Self::Human(_) => Vec::new(),
        }
    }

    /// Waits until what it has written to stderr by now is read, a moment at most.
    pub async fn settle_stderr(&mut self) {
        if let Self::Wire(wire) = self {
            wire.settle_stderr().await;
        }
    }

    /// What was kept of its stderr.
    pub fn stderr(&self) -> Vec<u8> {
        match self {
            Self::Wire(wire) => wire.stderr(),
            Self::Human(_) => Vec::new(),
        }
    }
}

/// A fault of the handshake: whatever went wrong, the player did not start.
fn no_start(fault: Fault, stage: &str) -> Fault {
    let message = match fault.code {
        FaultCode::NoStart => fault.message,
        FaultCode::Memory | FaultCode::Processes | FaultCode::Disk => {
            format!("{stage}: {}: {}", fault.code, fault.message)
        }
        _ => format!("{stage}: {}", fault.message),
    };
    Fault { code: FaultCode::NoStart, message, ..fault }
}
