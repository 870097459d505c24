//! The JSON line that `referee trace` prints for a position.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::traced_game::TracedStep;
use referee_games::{AnyPosition, Event, Legal, Outcome, PASS, SeatMap, Text, Turn};

/// A position, and the step that led to it.
#[derive(Debug, Serialize)]
pub(super) struct TraceLine<'a> {
    ply: u32,
    action: Option<&'a str>,
    state: Cow<'a, RawValue>,
    events: &'a [Event],
    turn: TurnRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<LegalRecord>,
}

/// What happens next: `{"move":"white"}` and the like.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum TurnRecord {
    Move(Text),
    Both(Vec<Text>),
    Together(Vec<Text>),
    Chance(Vec<String>),
    Over {
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Text>,
        #[serde(skip_serializing_if = "Option::is_none")]
        places: Option<SeatMap<u8>>,
        reason: Text,
    },
}

/// The legal actions as in the protocol; by seat on a simultaneous turn.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LegalRecord {
    One(Legal),
    BySeat(Box<SeatMap<Legal>>),
}

impl<'a> TraceLine<'a> {
    /// The record of `game` after the step `played`; with the legal actions if `legal`.
    pub(super) fn new(game: &'a dyn AnyPosition, played: &'a TracedStep, legal: bool) -> Self {
        let turn = game.turn();
        Self {
            ply: game.ply(),
            action: played.action.as_deref(),
            state: game.state(),
            events: &played.events,
            legal: legal.then(|| trace_line_legal_actions(game, &turn)),
            turn: trace_line_turn(game, turn),
        }
    }
}

fn trace_line_turn(game: &dyn AnyPosition, turn: Turn) -> TurnRecord {
    let seats = game.seats();
    match turn {
        Turn::Move(seat) | Turn::Pass(seat) => TurnRecord::Move(seats[seat].clone()),
        Turn::Together(_) if seats.len() == 2 => TurnRecord::Both(seats.into_iter().collect()),
        Turn::Together(asked) => {
            TurnRecord::Together(asked.iter().map(|seat| seats[seat].clone()).collect())
        }
        Turn::Chance(_) => {
            let outcomes = game.outcomes().into_iter();
            TurnRecord::Chance(outcomes.map(|(outcome, _)| outcome).collect())
        }
        Turn::Over(Outcome { places, reason }) => {
            let result = places.result(&seats).map(|name| name.to_owned().into());
            let by_seat = || SeatMap::new(seats.clone(), places.counted_from_one());
            let places = result.is_none().then(by_seat);
            TurnRecord::Over { result, places, reason }
        }
    }
}

/// At a forced pass, the pass is the only legal line. If no seat acts, the list is empty.
fn trace_line_legal_actions(game: &dyn AnyPosition, turn: &Turn) -> LegalRecord {
    match turn {
        Turn::Move(seat) => LegalRecord::One(game.legal(*seat)),
        Turn::Pass(_) => LegalRecord::One(Legal::List(vec![PASS.to_owned()])),
        Turn::Together(asked) => {
            let seats = game.seats();
            LegalRecord::BySeat(Box::new(SeatMap {
                names: asked.iter().map(|seat| seats[seat].clone()).collect(),
                values: asked.iter().map(|seat| game.legal(seat)).collect(),
            }))
        }
        Turn::Chance(_) | Turn::Over(_) => LegalRecord::One(Legal::List(Vec::new())),
    }
}
