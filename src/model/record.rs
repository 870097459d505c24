//! The game record and the log's header: what a results folder says of a tournament.
//!
//! Nothing from here on knows a game's type: a record is names and texts.

#[cfg(test)]
pub(crate) mod examples;

use serde::{Deserialize, Serialize};

use crate::model::clock::TimeControl;
use crate::model::containment::Containment;
use crate::model::fault::Fault;
use crate::model::openings::Openings;
use crate::model::stage::Order;
use crate::model::stage::{PairingRules, Stage};
use referee_games::{Seat, SeatMap};
use referee_ratings::FixedRating;

/// The version of the log's format.
pub const SCHEMA: &str = "referee-log-1";

/// Line 1 of the log: everything that `rank`, `verify` and `replay` need besides the games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the referee that wrote the log.
    pub version: String,
    /// The tournament's name.
    pub tournament: String,
    /// A random identity of this tournament, which every record's check is bound to.
    pub identity: String,
    /// When the log was created, in seconds since 1970.
    pub created: u64,
    /// The game's name.
    pub game: String,
    /// The names of the seats, first seat first.
    pub seats: [String; 2],
    /// The rules options in force, every one.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// The limits of time.
    pub clock: TimeControl,
    /// What happens after a refused action.
    pub fault_policy: FaultPolicy,
    /// Faults in a row that take a player out; 0 for never.
    pub quarantine: u32,
    /// The stages, in order.
    pub stages: Vec<Stage>,
    /// How later meetings follow from earlier results.
    #[serde(default)]
    pub pairing_rules: PairingRules,
    /// The order of the schedule and the first seats are drawn from the identity; otherwise they
    /// follow from the order of the configuration and the names.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub drawn: bool,
    /// Where the openings come from; games begin at the start where this is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    /// The containment in force.
    pub containment: Containment,
    /// The seed from the configuration: present when the tournament could be foreseen.
    pub seed: Option<u64>,
    /// The players whose ratings are fixed, by name.
    pub anchors: Vec<Anchor>,
    /// The players, in the order of the configuration.
    pub players: Vec<PlayerInfo>,
    /// What changed between a stop and its continuation, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

impl Header {
    /// In which order the players enter the schedule.
    pub fn order(&self) -> Order {
        if self.drawn { Order::Drawn(self.identity.clone()) } else { Order::Listed }
    }
}

/// A player whose rating is given instead of fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// The player's name.
    pub player: String,
    /// Its rating, in Elo.
    pub rating: f64,
}

/// The given ratings by the players' numbers, those of their places in `names`.
///
/// # Errors
///
/// The first anchor that is not among the players.
pub fn fixed_ratings<'a>(
    anchors: &'a [Anchor],
    names: &[String],
) -> Result<Vec<FixedRating>, &'a Anchor> {
    let fixed = |anchor: &'a Anchor| {
        let player = names.iter().position(|name| *name == anchor.player).ok_or(anchor)?;
        Ok(FixedRating { player, rating: anchor.rating })
    };
    anchors.iter().map(fixed).collect()
}

/// What the header says of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerInfo {
    /// The configured name.
    pub name: String,
    /// How it is run, for people.
    pub command: String,
    /// A hash of the command and of the files that make the player.
    pub hash: String,
    /// It can begin after an opening, as a class of the 2018 interface cannot.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub takes_openings: bool,
}

fn yes() -> bool {
    true
}

/// What happens after a refused action (`malformed` or `illegal`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPolicy {
    /// The game is lost.
    Lose,
    /// The turn is asked again, up to so many times in a row.
    Retry(u32),
}

/// A score: 0, 0.5 or 1, written in the shortest form. Both players score 0 in a game in which
/// both failed; older logs have 0.5 there.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize)]
#[serde(from = "f64")]
pub struct Score(pub f64);

impl From<f64> for Score {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0.0 => serializer.serialize_u8(0),
            1.0 => serializer.serialize_u8(1),
            other => serializer.serialize_f64(other),
        }
    }
}

/// One finished game: a line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game's identity, a function of the two names, the pair number and the game number.
    pub id: String,
    /// The number of its pair among the pairs of these two players, from 1.
    pub pair: u32,
    /// Which game of the pair: 1 or 2.
    pub game: u8,
    /// The players' names by seat.
    pub players: SeatMap<String>,
    /// The players' own seeds by seat.
    pub seed: SeatMap<u64>,
    /// What was drawn by the referee, in order.
    pub rolls: Vec<String>,
    /// The opening's actions.
    pub opening: Vec<String>,
    /// The actions played after the opening, in order, forced passes included.
    pub actions: Vec<String>,
    /// The times.
    pub clock: ClockRecord,
    /// The name of the winning seat, or `draw`.
    pub result: String,
    /// Why: a reason of the rules, or the code of the fault that decided the game.
    pub reason: String,
    /// The faults by seat name; absent where there was none.
    pub fault: Option<FaultRecord>,
    /// The scores by seat.
    pub scores: SeatMap<Score>,
    /// Plies played, opening and forced passes included.
    pub plies: u32,
    /// Things worth knowing that decided nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the players said of their moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The names and versions the players gave of themselves, escaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported: Option<SeatMap<String>>,
    /// Earlier attempts at this game that were void, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<String>,
}

/// The faults of a game by seat name (`{"white":{…}}`): one, or two for a double fault.
pub type FaultRecord = std::collections::BTreeMap<String, Fault>;

/// The times of a game, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRecord {
    /// From the start of the process to the end of the handshake, by seat.
    pub startup_ns: SeatMap<u64>,
    /// Time used a turn that was asked, in order, by seat: what the time control judged by.
    pub used_ns: SeatMap<Vec<u64>>,
    /// CPU time of the players' processes over the whole game, where it could be measured.
    pub cpu_ns: SeatMap<Option<u64>>,
    /// Wall time of the whole game, from the start of the first player until both had left; 0 in
    /// older logs.
    #[serde(default)]
    pub wall_ns: u64,
}

/// What a player said of a move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// The ply of the move.
    pub ply: u32,
    /// The seat's name.
    pub by: String,
    /// Its note, as sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Its evaluation, -1 … 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<f64>,
}

impl GameRecord {
    /// The score of `seat`: 1, 0.5 or 0.
    pub fn score(&self, seat: Seat) -> f64 {
        self.scores[seat].0
    }

    /// The fault of `seat`, if it made one.
    pub fn fault_of(&self, seat: Seat) -> Option<&Fault> {
        self.fault.as_ref()?.get(self.players.names[seat].as_ref())
    }

    /// The winner's name among the players; none for a draw.
    pub fn winner(&self) -> Option<&str> {
        Seat::BOTH
            .into_iter()
            .find(|&seat| self.players.names[seat] == self.result)
            .map(|seat| self.players[seat].as_str())
    }
}
