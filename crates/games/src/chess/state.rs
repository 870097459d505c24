//! A position as sent to players and shown to people.

use cozy_chess::{Board, Color, File, Rank, Square};
use serde::Serialize;

use super::Chess;
use crate::Game;
use crate::drawn_board::{DrawnRow, DrawnSquare};

/// The complete state for players.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// The position in FEN; in Chess960, the castling rights name the files of the rooks.
    fen: String,
    /// The start position in FEN.
    start: String,
    /// All moves from the start position on, in UCI, with blanks between them. Less than 64 KiB,
    /// because of the fifty-move rule.
    moves: String,
    /// Eight rows from rank 8 down: upper-case letters are white's pieces, `.` is an empty square.
    board: Vec<String>,
    /// The name of the seat to move.
    to_move: &'static str,
}

impl State {
    pub(super) fn new(game: &Chess) -> Self {
        Self {
            fen: game.rules.fen(&game.board),
            start: game.rules.fen(&game.rules.start),
            moves: game.line.clone(),
            board: state_rows(&game.board),
            to_move: Chess::SEATS[game.mover()],
        }
    }
}

/// The rows from rank 8 down.
pub(super) fn state_rows(board: &Board) -> Vec<String> {
    chess_state_symbols(board).map(Iterator::collect).collect()
}

/// The same, square by square.
pub(super) fn state_cells(board: &Board) -> Vec<DrawnRow> {
    chess_state_symbols(board)
        .map(|row| DrawnRow(row.map(DrawnSquare::from_symbol).collect()))
        .collect()
}

/// The characters of each row, from rank 8 down.
fn chess_state_symbols(board: &Board) -> impl Iterator<Item = impl Iterator<Item = char>> {
    let symbol = |square| match (board.piece_on(square), board.color_on(square)) {
        (Some(piece), Some(Color::White)) => char::from(piece).to_ascii_uppercase(),
        (Some(piece), _) => char::from(piece),
        (None, _) => '.',
    };
    let ranks = Rank::ALL.into_iter().rev();
    ranks.map(move |rank| File::ALL.into_iter().map(move |file| symbol(Square::new(file, rank))))
}

/// A line with what the drawing of the board does not show.
pub(super) fn state_caption(game: &Chess) -> String {
    let (board, seat) = (&game.board, Chess::SEATS[game.mover()]);
    let check = if board.checkers().is_empty() { "" } else { ", in check" };
    let stale = board.halfmove_clock() / 2;
    let number = board.fullmove_number();
    format!("move {number}; {seat} to move{check}; {stale} of 50 moves without progress")
}
