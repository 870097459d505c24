//! The report of a game.

use std::time::Duration;

use serde_json::{Map, Number, Value};

use referee_games::{AnyPosition, BySeat, Outcome, Places, Seat, SeatSet};
use referee_protocol::Greeting;
use referee_record::model::fault::{DRAWN_ON_TIME, Fault, FaultCode};
use referee_record::model::record::{RESIGNATION, RecordedNote};
use referee_record::model::short_clock::ShortClock;
use referee_record::model::warning::GameWarning;

/// The ending of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefereeEnding {
    /// By the rules, adjudicated, or by resignation.
    Rules(Outcome),
    /// By faults.
    Faults {
        /// The faults by seat, one at least.
        faults: BySeat<Option<Fault>>,
        /// The places: who failed is behind the others, unless neither wins.
        places: Places,
    },
}

impl RefereeEnding {
    /// The ending by these faults, if there are any.
    pub fn by_faults(faults: BySeat<Option<Fault>>) -> Option<Self> {
        let guilty = failed_seats(&faults);
        let places = Places::lost_by(guilty, faults.len());
        (!guilty.is_empty()).then_some(Self::Faults { faults, places })
    }

    /// The ending by these faults in this position. Of two players, one that runs out of time when
    /// the other can no longer win does not lose.
    pub fn by_faults_at(faults: BySeat<Option<Fault>>, position: &dyn AnyPosition) -> Option<Self> {
        let is_drawn = |(seat, fault): (Seat, &Option<Fault>)| {
            let is_late = fault.as_ref().is_some_and(|fault| fault.code.is_late());
            is_late && faults.others(seat).all(|other| !position.can_win(other))
        };
        if faults.len() == 2 && failed_seats(&faults).len() == 1 && faults.iter().any(is_drawn) {
            return Some(Self::Faults { places: Places::level(2), faults });
        }
        Self::by_faults(faults)
    }

    /// The ending by the resignation of these seats, of so many.
    pub fn by_resignation(resigned: SeatSet, seats: usize) -> Self {
        let places = Places::lost_by(resigned, seats);
        Self::Rules(Outcome { places, reason: RESIGNATION.into() })
    }

    /// The places.
    pub fn places(&self) -> Places {
        match self {
            Self::Rules(outcome) => outcome.places,
            Self::Faults { places, .. } => *places,
        }
    }

    /// The scores by seat. After a fault of every player, all score 0.
    pub fn scores(&self) -> BySeat<f64> {
        let (places, all_failed) = (self.places(), self.have_all_failed());
        let score = |seat| if all_failed { 0.0 } else { places.score(seat) };
        BySeat::from_fn(places.seats(), score)
    }

    /// The reason: from the rules, `adjudicated-` and a key of the configuration, the code of the
    /// fault, [`DRAWN_ON_TIME`], or `double-fault` for faults of two players or more.
    pub fn reason(&self) -> &str {
        let faults = match self {
            Self::Rules(outcome) => return &outcome.reason,
            Self::Faults { faults, .. } => faults,
        };
        let mut failed = faults.values().iter().flatten();
        match (failed.next(), failed.next()) {
            (Some(_), None) if self.places() == Places::level(faults.len()) => DRAWN_ON_TIME,
            (Some(fault), None) => fault.code.name(),
            _ => "double-fault",
        }
    }

    fn have_all_failed(&self) -> bool {
        match self {
            Self::Rules(_) => false,
            Self::Faults { faults, .. } => faults.values().iter().all(Option::is_some),
        }
    }

    /// Whether a player ran out of time, on a turn or at its start.
    pub fn is_by_time(&self) -> bool {
        let mut codes = self.faults().map(|(_, fault)| fault.code);
        codes.any(|code| matches!(code, FaultCode::Timeout | FaultCode::NoStart))
    }

    /// The faults with their seats, in order.
    pub fn faults(&self) -> impl Iterator<Item = (Seat, &Fault)> {
        let faults = match self {
            Self::Rules(_) => None,
            Self::Faults { faults, .. } => Some(faults.iter()),
        };
        faults.into_iter().flatten().filter_map(|(seat, fault)| Some((seat, fault.as_ref()?)))
    }

    /// The fault of `seat`, if any.
    pub fn fault(&self, seat: Seat) -> Option<&Fault> {
        self.faults().find(|(by, _)| *by == seat).map(|(_, fault)| fault)
    }
}

/// The seats that failed.
fn failed_seats(faults: &BySeat<Option<Fault>>) -> SeatSet {
    faults.iter().filter(|(_, fault)| fault.is_some()).map(|(seat, _)| seat).collect()
}

/// The report of a game.
#[derive(Debug)]
pub struct GameReport {
    /// How it ended.
    pub ending: RefereeEnding,
    /// The rest of the data.
    pub trace: GameTrace,
}

/// The trace of a game: its data besides the ending.
#[derive(Debug)]
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
    pub notes: Vec<RecordedNote>,
    /// Incidents that did not affect the result.
    pub warnings: Vec<GameWarning>,
    /// The ply since which a player was frozen off turn.
    pub frozen: BySeat<Option<u32>>,
    /// The seats whose players may have cost another one the game: they used CPU time on the shared
    /// core while it was on turn, and it lost on time.
    pub disturbers: SeatSet,
}

impl GameTrace {
    /// The trace of a game that has not begun, with this many seats.
    pub fn new(seats: usize) -> Self {
        Self {
            options: Map::new(),
            tc: BySeat::default_for(seats),
            opening: Vec::new(),
            actions: Vec::new(),
            rolls: Vec::new(),
            scores: None,
            plies: 0,
            startup: BySeat::default_for(seats),
            used: BySeat::default_for(seats),
            greetings: BySeat::default_for(seats),
            notes: Vec::new(),
            warnings: Vec::new(),
            frozen: BySeat::default_for(seats),
            disturbers: SeatSet::EMPTY,
        }
    }
}
