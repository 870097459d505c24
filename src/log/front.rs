//! The front of a game's line: what tables, ratings and resuming need, before the moves.
//!
//! A line of an older log has no fingerprint and another order, so it is read whole.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::model::fault::FaultCode;
use crate::model::game_summary::fingerprint;
use crate::model::record::GameRecord;
use referee_games::{BySeat, SeatMap};

/// The field that begins the rest of a line. In a text, its quotes would be escaped.
const REST: &[u8] = b",\"seed\":{";

/// A record as a line of the log: with its fingerprint in front.
#[derive(Serialize)]
pub(super) struct StoredGame<'a> {
    #[serde(serialize_with = "hex")]
    fingerprint: Option<NonZeroU64>,
    #[serde(flatten)]
    record: &'a GameRecord,
}

impl<'a> StoredGame<'a> {
    pub(super) fn new(record: &'a GameRecord) -> Self {
        Self { fingerprint: fingerprint(record), record }
    }
}

/// The front of a game's line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GameFront {
    /// What identical games share; see [`GameSummary`](crate::model::game_summary::GameSummary).
    #[serde(deserialize_with = "from_hex")]
    pub fingerprint: Option<NonZeroU64>,
    /// The game's identity.
    pub id: String,
    /// The pair's number.
    pub pair: u32,
    /// The game's number in its pair.
    pub game: u8,
    /// The players' names by seat.
    pub players: SeatMap<String>,
    /// The name of the winning seat, or `draw`.
    pub result: String,
    /// The reason why the game ended.
    pub reason: String,
    /// Plies played.
    pub plies: u32,
    fault: Option<BTreeMap<String, FrontFault>>,
    clock: FrontClock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
struct FrontFault {
    code: FaultCode,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct FrontClock {
    used_ns: SeatMap<Sum>,
    #[serde(default)]
    wall_ns: u64,
}

/// The sum of a list of numbers, at most `u64::MAX`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum(u64);

impl GameFront {
    /// The front of a record.
    pub fn of(record: &GameRecord) -> Self {
        let faults = record.fault.as_ref().map(|faults| {
            let fault = |(seat, fault): (&String, &crate::model::fault::Fault)| {
                (seat.clone(), FrontFault { code: fault.code })
            };
            faults.iter().map(fault).collect()
        });
        let used = BySeat::from_fn(|seat| record.clock.used_ns[seat].iter().copied().collect());
        Self {
            fingerprint: fingerprint(record),
            id: record.id.clone(),
            pair: record.pair,
            game: record.game,
            players: record.players.clone(),
            result: record.result.clone(),
            reason: record.reason.clone(),
            plies: record.plies,
            fault: faults,
            clock: FrontClock {
                used_ns: SeatMap::new(record.clock.used_ns.names.clone(), used),
                wall_ns: record.clock.wall_ns,
            },
        }
    }

    /// Reads the front of a line, and nothing behind it. `None` if the line is not written this
    /// way, as in older logs: only the whole line says what it is.
    pub fn read(line: &[u8]) -> Option<Self> {
        let end = memchr::memmem::find(line, REST)?;
        let mut front = line[..end].to_vec();
        front.push(b'}');
        serde_json::from_slice(&front).ok()
    }

    /// The faults by seat.
    pub fn faults(&self) -> BySeat<Option<FaultCode>> {
        let code = |name: &str| Some(self.fault.as_ref()?.get(name)?.code);
        BySeat::from_fn(|seat| code(&self.players.names[seat]))
    }

    /// The total time of all turns by seat, in whole milliseconds, rounded down.
    pub fn used_ms(&self) -> BySeat<u64> {
        BySeat::from_fn(|seat| self.clock.used_ns[seat].0 / 1_000_000)
    }

    /// The wall time of the game, in nanoseconds.
    pub fn wall_ns(&self) -> u64 {
        self.clock.wall_ns
    }
}

impl FromIterator<u64> for Sum {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Self {
        Self(numbers.into_iter().fold(0, u64::saturating_add))
    }
}

impl<'de> Deserialize<'de> for Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Sum;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of numbers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sum, A::Error> {
                let mut sum = 0_u64;
                while let Some(number) = list.next_element::<u64>()? {
                    sum = sum.saturating_add(number);
                }
                Ok(Sum(sum))
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
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
