//! The JSON line that `referee trace` prints for a position.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

use super::traced_game::TracedStep;
use referee_games::{
    AnyPosition, BySeat, Event, GameResult, Legal, Outcome, PASS, SeatMap, Text, Turn,
};

/// A position, and the step that led to it.
#[derive(Debug, Serialize)]
pub(super) struct Record<'a> {
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
    Both([Text; 2]),
    Chance(Vec<String>),
    Over { result: Text, reason: Text },
}

/// The legal actions as in the protocol; by seat on a simultaneous turn.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LegalRecord {
    One(Legal),
    BySeat(SeatMap<Legal>),
}

impl<'a> Record<'a> {
    /// The record of `game` after the step `played`; with the legal actions if `legal`.
    pub(super) fn new(game: &'a dyn AnyPosition, played: &'a TracedStep, legal: bool) -> Self {
        let turn = game.turn();
        Self {
            ply: game.ply(),
            action: played.action.as_deref(),
            state: game.state(),
            events: &played.events,
            legal: legal.then(|| legal_record(game, &turn)),
            turn: turn_record(game, turn),
        }
    }
}

fn turn_record(game: &dyn AnyPosition, turn: Turn) -> TurnRecord {
    let seats = game.seats();
    match turn {
        Turn::Move(seat) | Turn::Pass(seat) => TurnRecord::Move(seats[seat].clone()),
        Turn::Both => TurnRecord::Both([seats.first, seats.second]),
        Turn::Chance(_) => {
            let outcomes = game.outcomes().into_iter();
            TurnRecord::Chance(outcomes.map(|(outcome, _)| outcome).collect())
        }
        Turn::Over(Outcome { result, reason }) => {
            let result = match result {
                GameResult::Win(seat) => seats[seat].clone(),
                GameResult::Draw => "draw".into(),
            };
            TurnRecord::Over { result, reason }
        }
    }
}

/// At a forced pass, the pass is the only legal line. If nobody acts, the list is empty.
fn legal_record(game: &dyn AnyPosition, turn: &Turn) -> LegalRecord {
    match turn {
        Turn::Move(seat) => LegalRecord::One(game.legal(*seat)),
        Turn::Pass(_) => LegalRecord::One(Legal::List(vec![PASS.to_owned()])),
        Turn::Both => {
            let legal = BySeat::from_fn(|seat| game.legal(seat));
            LegalRecord::BySeat(SeatMap::new(game.seats(), legal))
        }
        Turn::Chance(_) | Turn::Over(_) => LegalRecord::One(Legal::List(Vec::new())),
    }
}
