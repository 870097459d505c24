//! The front of a game's line: what tables, ratings and resuming need, before the moves.
//!
//! A line in another order, which the referee did not write, is read whole.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Number;

use crate::model::bounds::HasBounds;
use crate::model::fault::{Fault, FaultCode};
use crate::model::game_summary::{SummaryFaults, SummaryOutages, game_fingerprint};
use crate::model::record::{ClockRecord, GameRecord, RecordedOutages};
use crate::model::seat_usage::SeatUsage;
use referee_games::{BySeat, Seat, SeatMap};
use referee_protocol::Usage;

/// The field that begins the rest of a line. In a text, its quotes would be escaped.
const REST: &[u8] = b",\"seed\":{";

/// The field of the final scores, the first that is an object of this name.
const POINTS: &[u8] = b",\"final_scores\":{";

/// A record as a line of the log: in front of it, what follows from the rest.
#[derive(Serialize)]
pub(super) struct StoredGame<'a> {
    #[serde(serialize_with = "hex")]
    fingerprint: Option<NonZeroU64>,
    times: FrontTimes,
    /// The final scores of a game with more than two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<&'a SeatMap<Number>>,
    #[serde(flatten)]
    record: &'a GameRecord,
}

impl<'a> StoredGame<'a> {
    pub(super) fn new(record: &'a GameRecord) -> Self {
        let points = record.final_scores.as_ref().filter(|_| record.players.len() > 2);
        let times = FrontTimes::of(&record.clock);
        Self { fingerprint: game_fingerprint(record), times, points, record }
    }
}

/// The times of a game in total, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FrontTimes {
    /// All turns, by seat; at most `u64::MAX`.
    used_ns: SeatMap<u64>,
    /// The wall time of the game.
    wall_ns: u64,
}

impl FrontTimes {
    fn of(clock: &ClockRecord) -> Self {
        let used = &clock.used_ns;
        let total = |seat: Seat| used[seat].iter().copied().fold(0, u64::saturating_add);
        Self {
            used_ns: SeatMap::new(used.names.clone(), used.values.map_seats(total)),
            wall_ns: clock.wall_ns,
        }
    }
}

/// The front of a game's line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GameFront {
    /// What identical games share; see [`GameSummary`](crate::model::game_summary::GameSummary).
    #[serde(deserialize_with = "from_hex")]
    pub(crate) fingerprint: Option<NonZeroU64>,
    /// The game's identity.
    pub(crate) id: String,
    /// The pair's number.
    pub pair: u32,
    /// The game's number in its pair.
    pub(crate) game: u8,
    /// The players' names by seat.
    pub players: SeatMap<String>,
    /// The name of the winning seat, or `draw`; empty in a game with more than two seats.
    #[serde(default)]
    pub(crate) result: String,
    /// The places by seat, from 1, in a game with more than two seats.
    #[serde(default)]
    pub(crate) places: Option<SeatMap<u8>>,
    /// The reason why the game ended.
    pub(crate) reason: String,
    /// Plies played.
    pub(crate) plies: u32,
    fault: Option<BTreeMap<String, FrontFault>>,
    #[serde(default)]
    outages: RecordedOutages,
    #[serde(default)]
    usage: SeatUsage,
    times: FrontTimes,
    /// The final scores.
    #[serde(default)]
    points: Option<SeatMap<Number>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
struct FrontFault {
    code: FaultCode,
}

impl GameFront {
    /// The front of the line of a record.
    pub fn of(record: &GameRecord) -> Self {
        let StoredGame { fingerprint, times, points, record } = StoredGame::new(record);
        let code =
            |(name, fault): (&String, &Fault)| (name.clone(), FrontFault { code: fault.code });
        Self {
            fingerprint,
            id: record.id.clone(),
            pair: record.pair,
            game: record.game,
            players: record.players.clone(),
            result: record.result.clone(),
            places: record.places.clone(),
            reason: record.reason.clone(),
            plies: record.plies,
            fault: record.fault.as_ref().map(|faults| faults.iter().map(code).collect()),
            outages: record.outages.clone(),
            usage: record.usage.clone(),
            times,
            points: points.or(record.final_scores.as_ref()).cloned(),
        }
    }

    /// Reads the front of a line, and behind it only final scores. `None` if the line is not written this
    /// way: only the whole line says what it is.
    pub fn read(line: &[u8]) -> Option<Self> {
        let end = memchr::memmem::find(line, REST)?;
        let mut front = line[..end].to_vec();
        front.push(b'}');
        let mut front: Self = serde_json::from_slice(&front).ok()?;
        front.reason.cut();
        let seats = front.players.values.len();
        if front.points.is_none() {
            front.points = parse_points_behind_front(&line[end..]).ok()?;
        }
        let of_points = front.points.as_ref().map_or(seats, SeatMap::len);
        (front.times.used_ns.values.len() == seats && of_points == seats).then_some(front)
    }

    pub(crate) fn faults(&self) -> SummaryFaults {
        let code = |name: &str| Some(self.fault.as_ref()?.get(name)?.code);
        let names = self.players.names.iter();
        names.filter_map(|(seat, name)| Some((seat, code(name)?))).collect()
    }

    pub(crate) fn outages(&self) -> SummaryOutages {
        self.outages.by_seat(&self.players.names)
    }

    /// What the players used, by seat; none if nobody reported any.
    pub(crate) fn usage(&self) -> Option<Box<BySeat<Usage>>> {
        self.usage.by_seat(&self.players.names)
    }

    /// The total time of all turns by seat, in whole milliseconds, rounded down.
    pub(crate) fn used_ms(&self) -> BySeat<u64> {
        self.times.used_ns.values.as_ref().map(|used| used / 1_000_000)
    }

    /// The final scores, if it had some.
    pub(crate) fn points(&self) -> Option<&BySeat<Number>> {
        self.points.as_ref().map(|points| &points.values)
    }

    /// The wall time of the game, in nanoseconds.
    pub(crate) fn wall_ns(&self) -> u64 {
        self.times.wall_ns
    }
}

/// The final scores behind the front of a line: those of a game of two seats are only there.
fn parse_points_behind_front(rest: &[u8]) -> serde_json::Result<Option<SeatMap<Number>>> {
    let Some(start) = memchr::memmem::find(rest, POINTS) else { return Ok(None) };
    let mut values = serde_json::Deserializer::from_slice(&rest[start + POINTS.len() - 1..]);
    SeatMap::deserialize(&mut values).map(Some)
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "as serde passes it")]
fn hex<S: Serializer>(number: &Option<NonZeroU64>, serializer: S) -> Result<S::Ok, S::Error> {
    number.map(|number| format!("{number:016x}")).serialize(serializer)
}

fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NonZeroU64>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let number = |text: String| u64::from_str_radix(&text, 16).ok().and_then(NonZeroU64::new);
    text.map(|text| number(text).ok_or_else(|| de::Error::custom("not a fingerprint"))).transpose()
}

#[cfg(test)]
mod tests;
