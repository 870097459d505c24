//! A position as sent to players and shown to people.

use serde::Serialize;

use super::options::Movement;
use super::{Backdraughts, BackdraughtsPhase, pawn_goal};
use crate::Game;
use crate::seat::SeatMap;
use crate::two_player::{BySide, Side};

/// The complete state for players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// Eight rows of `W`, `B` and `.`.
    board: Vec<String>,
    /// The name of the seat to act; null before the rolls that decide who begins.
    to_move: Option<&'static str>,
    /// The roll to play; absent without dice and before the roll.
    #[serde(skip_serializing_if = "Option::is_none")]
    roll: Option<u8>,
    /// The distance that a pawn moves now; absent with dice and until a seat is to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u8>,
    /// The number of pawns that each seat has lost.
    lost: SeatMap<u32>,
    /// The seat that passed; present only while its opponent decides on the overlooked action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlooked_by: Option<&'static str>,
}

impl State {
    pub(super) fn new(game: &Backdraughts) -> Self {
        let name = |seat| Backdraughts::SEATS[seat];
        let dice = game.rules.movement == Movement::Dice;
        let number = game.phase.number();
        Self {
            board: game.board.rows(),
            to_move: game.phase.to_act().map(name),
            roll: number.filter(|_| dice),
            distance: number.filter(|_| !dice),
            lost: BySide::from_fn(|seat| game.board.count_lost_pawns(seat))
                .to_seat_map(Backdraughts::SEATS),
            overlooked_by: match game.phase {
                BackdraughtsPhase::Answer { passer, .. } => Some(name(passer)),
                _ => None,
            },
        }
    }
}

/// A line with what the drawing of the board does not show.
pub(super) fn state_caption(game: &Backdraughts) -> String {
    let name = |seat| Backdraughts::SEATS[seat];
    let act = |seat: Side, number: u8| match game.rules.movement {
        Movement::Dice => format!("{} to play a {number}", name(seat)),
        Movement::NoDice => format!("{} to go {number}", name(seat)),
    };
    let turn = match game.phase {
        _ if game.ending.is_some() => "over".to_owned(),
        BackdraughtsPhase::First => "rolling to see who begins".to_owned(),
        BackdraughtsPhase::Roll(seat) => format!("{} to roll", name(seat)),
        BackdraughtsPhase::Act { seat, number } => act(seat, number),
        BackdraughtsPhase::Answer { passer, number } => {
            format!("{} for {}", act(!passer, number), name(passer))
        }
    };
    let BySide { first, second } = BySide::from_fn(|seat| game.board.pawns(seat).len());
    let goals = BySide::from_fn(pawn_goal);
    format!(
        "ply {}; {turn}; white {first}, black {second} pawns; goals: white {}, black {}",
        game.ply, goals.first, goals.second,
    )
}
