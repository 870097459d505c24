//! What a position is worth without looking ahead.

use referee_games::board::{Bitboard, Direction, Square};
use referee_games::watch_your_back::{Board, SHRINKS, Shape};
use referee_games::{GameResult, Seat};

/// The worth of a position for the side to move, about a hundred a piece.
pub(super) type Score = i32;

/// A won game is worth this less the actions until then, so that sooner is better.
pub(super) const WIN: Score = 1_000_000;
/// A drawn game is worth this much less than nothing to the side that thinks: it plays on where
/// the game is level.
const CONTEMPT: Score = 250;
/// Where all twelve squares of the small board are taken for good, nobody will move there: so much
/// like a draw.
const LOCKED: Score = 150;

/// What each shrink leaves.
const NEXT: [Shape; 2] = [Shape::Middle, Shape::Small];

/// The squares beside a corner of the small board whose corner comes first (W8). Along an edge of
/// that board two enemies stand each beside one corner and behind the other, and the earlier corner
/// takes the one beside it, which saves the other.
const EARLIER: Bitboard = Bitboard(
    Bitboard::of(Square::new(2, 3)).0
        | Bitboard::of(Square::new(3, 2)).0
        | Bitboard::of(Square::new(3, 5)).0
        | Bitboard::of(Square::new(5, 4)).0,
);

/// What a piece is worth by standing on the board, and no more once a shrink is upon it.
const PIECE: Score = 100;
const DOOMED: Score = 20;
/// What a piece is worth besides where the first and the second shrink, made at once, would leave
/// it standing: long before the shrink, how much that grows until it, and how much more it grows in
/// the last moves.
const SURVIVAL: [Score; 2] = [10, 60];
const GROWTH: [Score; 2] = [20, 120];
const URGENCY: Score = 50;
/// The last moves before a shrink.
const LAST_MOVES: Score = 32;
/// Pieces on the board for which a lead counts double: it is worth more when few are left.
const SCARCITY: Score = 6;
/// Squares inside the outer ring, inside the next ring, and in the middle, with what each adds.
const CLOSENESS: [(Bitboard, Score); 3] = [
    (Bitboard::rectangle((1, 6), (1, 6)), 2),
    (Bitboard::rectangle((2, 5), (2, 5)), 4),
    (Bitboard::rectangle((3, 4), (3, 4)), 4),
];

/// Whether the score is that of a game won or lost.
pub(super) const fn is_decisive(score: Score) -> bool {
    score.abs() > WIN / 2
}

/// The worth of a game that ended now, for the side to move; `thinker` is the side that thinks.
pub(super) fn ended(board: &Board, result: GameResult, thinker: Seat) -> Score {
    match result {
        GameResult::Draw if board.to_move() == thinker => -CONTEMPT,
        GameResult::Draw => CONTEMPT,
        GameResult::Win(winner) => {
            let score = WIN - board.ply().cast_signed();
            if winner == board.to_move() { score } else { -score }
        }
    }
}

/// The worth of a game that goes on, for the side to move; `thinker` is the side that thinks.
pub(super) fn evaluate(board: &Board, thinker: Seat) -> Score {
    let seat = board.to_move();
    let all = count(board.occupied()).max(1);
    let lead = strength(board, seat) - strength(board, !seat);
    let lead = lead * (all + SCARCITY) / all;
    let locked = match locked(board) {
        true if seat == thinker => -LOCKED,
        true => LOCKED,
        false => 0,
    };
    lead + locked + closeness(board.pieces(seat)) - closeness(board.pieces(!seat))
}

/// Whether the last shrink, if it were made at once, would leave no empty square.
fn locked(board: &Board) -> bool {
    let squares = Shape::Small.area() - Shape::Small.corners();
    let left = Seat::BOTH.map(|seat| survivors(board, seat, Shape::Small));
    board.shape() != Shape::Small && left.iter().sum::<Score>() == count(squares)
}

/// The worth of the pieces of `seat`: how many there are, and how many the shrinks would leave.
fn strength(board: &Board, seat: Seat) -> Score {
    let shrinks = || board.shape() as usize..2;
    let moves = board.moves();
    let hurry = shrinks().next().map_or(0, |next| urgency(SHRINKS[next], moves));
    let standing = (PIECE - (PIECE - DOOMED) * hurry / LAST_MOVES) * count(board.pieces(seat));
    let surviving =
        shrinks().map(|which| survival(which, moves) * survivors(board, seat, NEXT[which]));
    standing + surviving.sum::<Score>()
}

/// How many pieces of `seat` a shrink to `shape` would leave, if it were made at once: those that
/// are inside, and that no new corner takes.
fn survivors(board: &Board, seat: Seat, shape: Shape) -> Score {
    let corners = shape.corners();
    let inside = board.pieces(seat) & (shape.area() - corners);
    let enemies = board.pieces(!seat) & (shape.area() - corners);
    let endangered = if shape == Shape::Small { inside & EARLIER } else { inside };
    let taken = Direction::ALL.into_iter().fold(Bitboard::EMPTY, |taken, direction| {
        taken | corners.step(direction) & endangered & enemies.step(direction.opposite())
    });
    count(inside - taken)
}

/// What surviving this shrink, the first or the second, is worth after `moves` moves of the moving
/// phase.
fn survival(which: usize, moves: u32) -> Score {
    let shrink = SHRINKS[which];
    let growth = GROWTH[which] * moves.cast_signed() / shrink.cast_signed();
    SURVIVAL[which] + growth + URGENCY * urgency(shrink, moves) / LAST_MOVES
}

/// How near this shrink is after `moves` moves: 0 until the last moves before it, and then up to
/// their number.
fn urgency(shrink: u32, moves: u32) -> Score {
    (LAST_MOVES - shrink.saturating_sub(moves).cast_signed()).max(0)
}

/// What the pieces are worth for standing near the middle.
fn closeness(pieces: Bitboard) -> Score {
    CLOSENESS.iter().map(|(squares, worth)| count(pieces & *squares) * worth).sum()
}

const fn count(squares: Bitboard) -> Score {
    squares.len().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::watch_your_back::{Action, EndCheck};

    fn worth(board: &Board) -> Score {
        evaluate(board, board.to_move())
    }

    fn moving(row: &str, moves: u32) -> Board {
        let empty = "........";
        let rows = ["X......X", empty, empty, row, empty, empty, empty, "X......X"];
        Board::from_rows(&rows, 24 + moves).expect("a board")
    }

    #[test]
    fn pieces_and_the_middle_count() {
        assert!(worth(&moving("WW...B..", 0)) > 80);
        assert!(worth(&moving("WW...B..", 1)) < -80);
        assert!(worth(&moving("..WW..BB", 0)) > 0);
        assert_eq!(worth(&moving("W......B", 0)), 0);
    }

    #[test]
    fn the_edge_is_worse_the_nearer_the_shrink() {
        let [early, late, last] = [0, 100, 126].map(|moves| worth(&moving("W.....B.", moves)));
        assert!(early < 0 && early > late && late > last);
    }

    #[test]
    fn what_survives_is_inside_and_is_not_taken_by_a_new_corner() {
        let left = |rows: &[&str; 8], shape| {
            let board = Board::from_rows(rows, 24).expect("a board");
            Seat::BOTH.map(|seat| survivors(&board, seat, shape))
        };
        let rows = [
            "X......X", "........", "..WWBB..", ".WWWBBB.", "........", "...W....", "........",
            "X......X",
        ];
        assert_eq!(left(&rows, Shape::Middle), [6, 5]);
        assert_eq!(left(&rows, Shape::Small), [3, 3]);
    }

    #[test]
    fn what_survives_is_what_the_shrink_leaves() {
        let rows = [
            "########", "#X.B..X#", "#WWWBB.#", "#.BWWB.#", "#WWBBW.#", "#.BBWW.#", "#X...WX#",
            "########",
        ];
        let mut board = Board::from_rows(&rows, 24 + SHRINKS[1] - 1).expect("a board");
        let expected = Seat::BOTH.map(|seat| survivors(&board, seat, Shape::Small));
        board.play_unchecked(Action::Pass, EndCheck::BeforeAndAfterShrink);
        assert_eq!(board.shape(), Shape::Small);
        assert_eq!(Seat::BOTH.map(|seat| count(board.pieces(seat))), expected);
    }

    #[test]
    fn a_full_middle_is_like_a_draw() {
        let rows = [
            "X......X", "........", "...WW...", "..WWBB..", "..WWBB..", "...BB...", "........",
            "X......X",
        ];
        let board = Board::from_rows(&rows, 24).expect("a board");
        assert!(locked(&board));
        assert_eq!(evaluate(&board, Seat::First), -LOCKED);
        assert_eq!(evaluate(&board, Seat::Second), LOCKED);
    }

    #[test]
    fn a_sooner_win_is_worth_more_and_a_draw_less_than_nothing() {
        let score = |moves, result| ended(&moving("W...W...", moves), result, Seat::First);
        let win = |moves| score(moves, GameResult::Win(Seat::First));
        assert!(win(10) > win(12));
        assert!(win(11) < -WIN / 2);
        assert!(is_decisive(win(10)));
        assert!(score(10, GameResult::Draw) < 0 && score(11, GameResult::Draw) > 0);
    }
}
