//! The report of a game.

use std::time::Duration;

use serde_json::{Map, Number, Value};

use referee_games::{AnyPosition, BySeat, GameResult, Outcome, Seat};
use referee_protocol::Greeting;
use referee_record::model::fault::{DRAWN_ON_TIME, Fault, FaultCode};
use referee_record::model::record::Note;
use referee_record::model::tc::ShortClock;
use referee_record::model::warning::GameWarning;

/// The ending of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// By the rules, or adjudicated.
    Rules(Outcome),
    /// By a fault of one player, which loses.
    Fault(Seat, Fault),
    /// By a fault of one player, which ran out of time when its opponent could no longer win, so
    /// that neither wins.
    Drawn(Seat, Fault),
    /// By a fault of each player, so that neither wins.
    DoubleFault(BySeat<Fault>),
}

impl Ending {
    /// The ending by these faults, if there are any.
    pub fn by_faults(faults: BySeat<Option<Fault>>) -> Option<Self> {
        match (faults.first, faults.second) {
            (Some(first), Some(second)) => Some(Self::DoubleFault(BySeat::new(first, second))),
            (Some(fault), None) => Some(Self::Fault(Seat::First, fault)),
            (None, Some(fault)) => Some(Self::Fault(Seat::Second, fault)),
            (None, None) => None,
        }
    }

    /// The ending by a fault of `seat` in this position.
    pub(super) fn by_fault(seat: Seat, fault: Fault, position: &dyn AnyPosition) -> Self {
        if fault.code.is_late() && !position.can_win(!seat) {
            Self::Drawn(seat, fault)
        } else {
            Self::Fault(seat, fault)
        }
    }

    /// The winner.
    pub fn result(&self) -> GameResult {
        match self {
            Self::Rules(outcome) => outcome.result,
            Self::Fault(seat, _) => GameResult::Win(!*seat),
            Self::Drawn(..) | Self::DoubleFault(_) => GameResult::Draw,
        }
    }

    /// The scores by seat: 1, 0.5 or 0. After a double fault, both score 0.
    pub fn scores(&self) -> BySeat<f64> {
        match self {
            Self::DoubleFault(_) => BySeat::new(0.0, 0.0),
            _ => BySeat::from_fn(|seat| self.result().score(seat)),
        }
    }

    /// The reason: from the rules, `adjudicated-` and a key of the configuration, the code of the
    /// fault, [`DRAWN_ON_TIME`] or `double-fault`.
    pub fn reason(&self) -> &str {
        match self {
            Self::Rules(outcome) => &outcome.reason,
            Self::Fault(_, fault) => fault.code.name(),
            Self::Drawn(..) => DRAWN_ON_TIME,
            Self::DoubleFault(_) => "double-fault",
        }
    }

    /// Whether a player ran out of time, on a turn or at its start.
    pub fn is_by_time(&self) -> bool {
        Seat::BOTH
            .into_iter()
            .filter_map(|seat| self.fault(seat))
            .any(|fault| matches!(fault.code, FaultCode::Timeout | FaultCode::NoStart))
    }

    /// The fault of `seat`, if any.
    pub fn fault(&self, seat: Seat) -> Option<&Fault> {
        match self {
            Self::Rules(_) => None,
            Self::Fault(by, fault) | Self::Drawn(by, fault) => Some(fault).filter(|_| *by == seat),
            Self::DoubleFault(faults) => Some(&faults[seat]),
        }
    }
}

/// The report of a game.
#[derive(Debug)]
pub struct GameReport {
    /// Its ending.
    pub ending: Ending,
    /// The rest of the data.
    pub trace: GameTrace,
}

/// The trace of a game: its data besides the ending.
#[derive(Debug, Default)]
pub struct GameTrace {
    /// The options of the game that differ from those of the tournament.
    pub options: Map<String, Value>,
    /// The clocks of players that have their own.
    pub tc: BySeat<Option<ShortClock>>,
    /// The opening's actions.
    pub opening: Vec<String>,
    /// The actions after the opening, forced passes included.
    pub actions: Vec<String>,
    /// The outcomes of chance.
    pub rolls: Vec<String>,
    /// The scores, if the rules decided the game by them.
    pub scores: Option<BySeat<Number>>,
    /// The number of plies, opening included.
    pub plies: u32,
    /// Start-up times, from the start of the process to the greeting.
    pub startup: BySeat<Duration>,
    /// The time used in each turn that was asked.
    pub used: BySeat<Vec<Duration>>,
    /// The players' reports about themselves.
    pub greetings: BySeat<Greeting>,
    /// The players' comments.
    pub notes: Vec<Note>,
    /// Incidents that did not affect the result.
    pub warnings: Vec<GameWarning>,
    /// The ply since which a player was frozen off turn.
    pub frozen: BySeat<Option<u32>>,
    /// The seat whose player may have cost its opponent the game: it used CPU time on the shared
    /// core while its opponent was on turn, and that lost on time.
    pub disturber: Option<Seat>,
}
