//! A position as the wire and people see it.

use serde::Serialize;

use super::WatchYourBack;
use super::board::{Board, PLACEMENTS};
use crate::Game;
use crate::seat::{BySeat, SeatMap};

/// The complete state as the wire shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// Whether pieces are placed or moved.
    pub phase: Phase,
    /// Eight rows of `W B . X #`.
    pub board: Vec<String>,
    /// The name of the seat to move.
    pub to_move: &'static str,
    /// Pieces placed, 0 to 12 a seat.
    pub placed: SeatMap<u32>,
    /// Moves of the moving phase, forfeits included.
    pub moves: u32,
    /// The side of the board: 8, 6 or 4.
    pub size: u8,
}

/// The two phases of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
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
            placed: SeatMap::new(WatchYourBack::SEATS, board.placed()),
            moves: board.moves(),
            size: board.shape().size(),
        }
    }
}

/// A line about what the drawing of `board` does not show.
pub(super) fn caption(board: &Board) -> String {
    let seat = WatchYourBack::SEATS[board.to_move()];
    let BySeat { first, second } = BySeat::from_fn(|seat| board.pieces(seat).len());
    let progress = if board.is_placing() {
        format!("placing, {} of {PLACEMENTS} placed", board.ply())
    } else {
        format!("moving, {} moves made", board.moves())
    };
    format!("{progress}; {seat} to move; white {first}, black {second} pieces")
}
