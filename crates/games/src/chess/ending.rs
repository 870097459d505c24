//! The ends of a game (C4 to C7).

use cozy_chess::{BitBoard, Board, Color, Move, Piece, Rank, Square, get_pawn_attacks};

use crate::position_history::PositionHistory;
use crate::two_player::{GameResult, Outcome, Side};

/// Half-moves without a capture or a move of a pawn that make a draw.
const STALE: u8 = 100;

/// How the game ended at this position, if it did. `past` ends with it.
pub(super) fn find_chess_ending(board: &Board, past: &PositionHistory<u64>) -> Option<Outcome> {
    if !board.generate_moves(|_| true) {
        return Some(ending_without_moves(board));
    }
    let draw = |reason| Some(Outcome { result: GameResult::Draw, reason });
    if is_dead_position(board) {
        draw("dead-position")
    } else if past.occurrences(2) >= 3 {
        draw("repetition")
    } else if board.halfmove_clock() >= STALE {
        draw("fifty-moves")
    } else {
        None
    }
}

/// How the game ends for a side that cannot move (C4).
fn ending_without_moves(board: &Board) -> Outcome {
    if board.checkers().is_empty() {
        return Outcome { result: GameResult::Draw, reason: "stalemate" };
    }
    let winner = match board.side_to_move() {
        Color::White => Side::Second,
        Color::Black => Side::First,
    };
    Outcome { result: GameResult::Win(winner), reason: "checkmate" }
}

/// Whether neither side has the pieces for any checkmate (C5): kings and one knight or bishop, or
/// kings and bishops that all stand on one colour.
fn is_dead_position(board: &Board) -> bool {
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    if board.occupied() != board.pieces(Piece::King) | knights | bishops {
        return false;
    }
    let is_one_coloured =
        bishops.is_subset(BitBoard::LIGHT_SQUARES) || bishops.is_subset(BitBoard::DARK_SQUARES);
    (knights.is_empty() && is_one_coloured) || (knights | bishops).len() <= 1
}

/// A number that is the same for equal positions (C6): equal pieces, side to move, castling rights
/// and captures en passant.
pub(super) fn repetition_key(board: &Board) -> u64 {
    if can_capture_en_passant(board) { board.hash() } else { board.hash_without_ep() }
}

fn can_capture_en_passant(board: &Board) -> bool {
    let color = board.side_to_move();
    board.en_passant().is_some_and(|file| {
        let to = Square::new(file, Rank::Sixth.relative_to(color));
        let pawns = get_pawn_attacks(to, !color) & board.colored_pieces(color, Piece::Pawn);
        pawns.into_iter().any(|from| board.is_legal(Move { from, to, promotion: None }))
    })
}
