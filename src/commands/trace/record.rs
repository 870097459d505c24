//! The JSON line that `referee trace` prints for a position.

use serde::Serialize;

use super::course::Played;
use referee_games::{BySeat, Event, Game, GameResult, Legal, Outcome, Seat, SeatMap, Turn};

/// A position, and what led to it.
#[derive(Debug, Serialize)]
pub(super) struct Record<'a, S> {
    ply: u32,
    action: Option<&'a str>,
    state: S,
    events: &'a [Event],
    turn: TurnRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<LegalRecord>,
}

/// What happens next: `{"move":"white"}` and the like.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum TurnRecord {
    Move(&'static str),
    Both([&'static str; 2]),
    Chance(Vec<String>),
    Over { result: &'static str, reason: &'static str },
}

/// The legal actions: as the wire shows them, by seat on a simultaneous turn.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LegalRecord {
    One(Legal),
    BySeat(SeatMap<Legal>),
}

impl<'a, S> Record<'a, S> {
    /// The record of `game`, which `played` led to; with the legal actions if `legal`.
    pub(super) fn new<G>(game: &G, played: &'a Played, legal: bool) -> Self
    where
        G: Game<State = S>,
    {
        let turn = game.turn();
        Self {
            ply: game.ply(),
            action: played.action.as_deref(),
            state: game.state(),
            events: &played.events,
            legal: legal.then(|| legal_record(game, &turn)),
            turn: turn_record::<G>(turn),
        }
    }
}

fn turn_record<G: Game>(turn: Turn<G::Chance>) -> TurnRecord {
    match turn {
        Turn::Move(seat) | Turn::Pass(seat) => TurnRecord::Move(G::SEATS[seat]),
        Turn::Both => TurnRecord::Both(Seat::BOTH.map(|seat| G::SEATS[seat])),
        Turn::Chance(_, outcomes) => {
            TurnRecord::Chance(outcomes.iter().map(|(outcome, _)| outcome.to_string()).collect())
        }
        Turn::Over(Outcome { result, reason }) => {
            let result = match result {
                GameResult::Win(seat) => G::SEATS[seat],
                GameResult::Draw => "draw",
            };
            TurnRecord::Over { result, reason }
        }
    }
}

/// A forced pass is the one thing that a line may say then; where nobody acts the list is empty.
fn legal_record<G: Game>(game: &G, turn: &Turn<G::Chance>) -> LegalRecord {
    match turn {
        Turn::Move(seat) => LegalRecord::One(game.legal(*seat)),
        Turn::Pass(_) => LegalRecord::One(Legal::List(vec![G::pass().to_string()])),
        Turn::Both => {
            LegalRecord::BySeat(SeatMap::new(G::SEATS, BySeat::from_fn(|seat| game.legal(seat))))
        }
        Turn::Chance(..) | Turn::Over(_) => LegalRecord::One(Legal::List(Vec::new())),
    }
}
