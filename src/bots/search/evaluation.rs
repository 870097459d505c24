//! What a position is worth without looking ahead.

use crate::rules::board::Bitboard;
use crate::rules::watch_your_back::{Board, SHRINKS, Shape};
use crate::rules::{GameResult, Seat};

/// The worth of a position for the side to move, about a hundred a piece.
pub(super) type Score = i32;

/// A won game is worth this less the actions until then, so that sooner is better.
pub(super) const WIN: Score = 1_000_000;
/// A drawn game.
pub(super) const DRAW: Score = 0;

const PIECE: Score = 100;
/// Shared out over the pieces on the board: a lead is worth more when few are left.
const SCARCITY: Score = 600;
/// The most that a piece loses in worth where the next shrink will remove it.
const DANGER: Score = 60;
/// Squares inside the outer ring, inside the next ring, and in the middle, with what each adds.
const CLOSENESS: [(Bitboard, Score); 3] = [
    (Bitboard::rectangle((1, 6), (1, 6)), 4),
    (Bitboard::rectangle((2, 5), (2, 5)), 6),
    (Bitboard::rectangle((3, 4), (3, 4)), 4),
];

/// Whether the score is that of a game won or lost.
pub(super) const fn is_decisive(score: Score) -> bool {
    score.abs() > WIN / 2
}

/// The worth of a game that ended now, for the side to move.
pub(super) fn ended(board: &Board, result: GameResult) -> Score {
    match result {
        GameResult::Draw => DRAW,
        GameResult::Win(winner) => {
            let score = WIN - board.ply().cast_signed();
            if winner == board.to_move() { score } else { -score }
        }
    }
}

/// The worth of a game that goes on, for the side to move.
pub(super) fn evaluate(board: &Board) -> Score {
    let seat = board.to_move();
    let all = count(board.occupied()).max(1);
    let lead = count(board.pieces(seat)) - count(board.pieces(!seat));
    lead * (PIECE + SCARCITY / all) + standing(board, seat) - standing(board, !seat)
}

/// How well the pieces of `seat` stand, apart from their number.
fn standing(board: &Board, seat: Seat) -> Score {
    let pieces = board.pieces(seat);
    let closeness: Score =
        CLOSENESS.iter().map(|(squares, worth)| count(pieces & *squares) * worth).sum();
    closeness - danger(board.moves()) * count(pieces & doomed(board.shape()))
}

/// The squares that the next shrink removes or makes corners.
fn doomed(shape: Shape) -> Bitboard {
    let next = shape.shrunk();
    (shape.area() - next.area()) | next.corners()
}

/// What standing on a doomed square costs after `moves` moves of the moving phase.
fn danger(moves: u32) -> Score {
    let left = SHRINKS.iter().find(|&&shrink| moves < shrink).map(|shrink| shrink - moves);
    left.map_or(0, |left| (DANGER - left.cast_signed()).max(0))
}

const fn count(squares: Bitboard) -> Score {
    squares.len().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moving(row: &str, moves: u32) -> Board {
        let empty = "........";
        let rows = ["X......X", empty, empty, row, empty, empty, empty, "X......X"];
        Board::from_rows(&rows, 24 + moves).expect("a board")
    }

    #[test]
    fn pieces_and_the_middle_count() {
        assert!(evaluate(&moving("WW...B..", 0)) > 80);
        assert!(evaluate(&moving("WW...B..", 1)) < -80);
        assert!(evaluate(&moving("..WW..BB", 0)) > 0);
        assert_eq!(evaluate(&moving("W......B", 0)), 0);
    }

    #[test]
    fn the_edge_is_worse_the_nearer_the_shrink() {
        let [early, late, last] = [0, 100, 126].map(|moves| evaluate(&moving("W.....B.", moves)));
        assert!(early > late && late > last);
    }

    #[test]
    fn a_sooner_win_is_worth_more() {
        let win = |moves| ended(&moving("W...W...", moves), GameResult::Win(Seat::First));
        assert!(win(10) > win(12));
        assert!(win(11) < -WIN / 2);
        assert!(is_decisive(win(10)) && !is_decisive(DRAW));
    }
}
