//! A position as sent to players and shown to people.

use serde::Serialize;

use super::WatchYourBack;
use super::board::{Board, PLACEMENTS};
use crate::Game;
use crate::seat::SeatMap;
use crate::two_player::BySide;

/// The complete state for players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// The phase of the game.
    phase: Phase,
    /// Eight rows of `W`, `B`, `.`, `X` and `#`.
    board: Vec<String>,
    /// The name of the seat to move.
    to_move: &'static str,
    /// The number of pieces that each seat has placed, 0 to 12.
    placed: SeatMap<u32>,
    /// The number of moves in the moving phase, including forfeits.
    moves: u32,
    /// The side of the board: 8, 6 or 4.
    size: u8,
}

/// The two phases of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Phase {
    /// Pieces are placed (W2).
    Placing,
    /// Pieces are moved (W5).
    Moving,
}

impl State {
    pub(super) fn new(board: &Board) -> Self {
        Self {
            phase: if board.is_placing() { Phase::Placing } else { Phase::Moving },
            board: board.rows(),
            to_move: WatchYourBack::SEATS[board.to_move()],
            placed: board.placed().to_seat_map(WatchYourBack::SEATS),
            moves: board.moves(),
            size: board.size().side(),
        }
    }
}

/// A line with what the drawing of `board` does not show.
pub(super) fn state_caption(board: &Board) -> String {
    let seat = WatchYourBack::SEATS[board.to_move()];
    let BySide { first, second } = BySide::from_fn(|seat| board.pieces(seat).len());
    let progress = if board.is_placing() {
        format!("placing, {} of {PLACEMENTS} placed", board.ply())
    } else {
        format!("moving, {} moves made", board.moves())
    };
    format!("{progress}; {seat} to move; white {first}, black {second} pieces")
}
