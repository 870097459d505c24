//! Static evaluation of a position.

use referee_games::back_to_the_wall::{BackToTheWall, Board, Piece};
use referee_games::board::Direction;
use referee_games::two_player::Side;

/// The weight of the best run of the next turn, relative to squares already captured.
const NEXT: f64 = 0.4;
/// The lead, as a share of the open squares, that evaluates to about three quarters of a win.
const CLEAR: f64 = 0.25;

/// Evaluates `after`, one turn later than `before`, for `seat`: from −1 (the round is lost) to 1
/// (the round is won).
pub(super) fn evaluate_back_to_the_wall(
    before: &BackToTheWall,
    after: &BackToTheWall,
    seat: Side,
) -> f64 {
    if let Some(round) = after.finished_rounds().get(before.finished_rounds().len()) {
        return 2.0 * round.result.score(seat) - 1.0;
    }
    let board = after.board();
    let lead = evaluate_owned_squares(board, seat) - evaluate_owned_squares(board, !seat);
    0.95 * (lead / (CLEAR * f64::from(board.squares_without_wall().len()))).tanh()
}

/// The squares of `seat`, plus a share of those it can capture next.
fn evaluate_owned_squares(board: &Board, seat: Side) -> f64 {
    let next: u32 =
        Piece::BOTH.into_iter().map(|piece| evaluate_best_run(board, seat, piece)).sum();
    f64::from(board.owned[seat].len()) + NEXT * f64::from(next)
}

/// The most that a run of the piece gains: 1 for a free square, 2 for an enemy's.
fn evaluate_best_run(board: &Board, seat: Side, piece: Piece) -> u32 {
    let from = board.pieces[seat][piece];
    let runs = Direction::ALL.into_iter().map(|way| board.squares_up_to_wall(from, way));
    let changes = runs.map(|run| {
        let new = run - board.owned[seat];
        new.len() + (new & board.owned[!seat]).len()
    });
    changes.max().unwrap_or(0)
}
