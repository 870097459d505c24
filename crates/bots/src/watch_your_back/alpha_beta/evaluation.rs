//! Static evaluation of a position.

use referee_games::board::{Bitboard, Direction, Square};
use referee_games::two_player::{GameResult, Side};
use referee_games::watch_your_back::{Board, BoardSize, SHRINKS};

/// The value of a position for the side to move, about 100 per piece.
pub(super) type SearchScore = i32;

/// The value of a won game, minus the number of plies until then, so that sooner is better.
pub(super) const WIN: SearchScore = 1_000_000;
/// The contempt: the searching side counts a draw as a loss of this much, so that it plays on in a
/// level game.
const CONTEMPT: SearchScore = 250;
/// The searching side's penalty for a small board whose twelve squares will all be occupied, which
/// is likely to be a draw because neither side can move.
const LOCKED: SearchScore = 150;

/// The size of the board after each shrink.
const NEXT: [BoardSize; 2] = [BoardSize::Middle, BoardSize::Small];

/// On each edge of the small board, the square beside the corner that comes first (W8). If two
/// enemies occupy the middle squares of an edge, the earlier corner eliminates the piece beside it,
/// which saves the other.
const EARLIER: Bitboard = Bitboard(
    Bitboard::from_square(Square::new(2, 3)).0
        | Bitboard::from_square(Square::new(3, 2)).0
        | Bitboard::from_square(Square::new(3, 5)).0
        | Bitboard::from_square(Square::new(5, 4)).0,
);

/// The value of a piece on the board. It falls to [`DOOMED`] as a shrink comes near.
const PIECE: SearchScore = 100;
/// The value of a piece on the board at the moment of a shrink.
const DOOMED: SearchScore = 20;
/// The bonus for a piece that would survive the first or the second shrink if it happened now. It
/// starts at `SURVIVAL`, rises by `GROWTH` until the shrink, and by a further `URGENCY` in the last
/// moves before it.
const SURVIVAL: [SearchScore; 2] = [10, 60];
const GROWTH: [SearchScore; 2] = [20, 120];
const URGENCY: SearchScore = 50;
/// The number of last moves before a shrink, in which it becomes urgent.
const LAST_MOVES: SearchScore = 32;
/// The number of pieces on the board at which a lead counts double. A lead is worth more when few
/// pieces are left.
const SCARCITY: SearchScore = 6;
/// The bonuses for standing inside the outer ring, inside the next ring, and in the middle.
const CLOSENESS: [(Bitboard, SearchScore); 3] = [
    (Bitboard::rectangle((1, 6), (1, 6)), 2),
    (Bitboard::rectangle((2, 5), (2, 5)), 4),
    (Bitboard::rectangle((3, 4), (3, 4)), 4),
];

/// Returns whether the score is that of a won or lost game.
pub(super) const fn is_decisive_evaluation(score: SearchScore) -> bool {
    score.abs() > WIN / 2
}

/// The value of a finished game for the side to move. `thinker` is the searching side.
pub(super) fn evaluate_game_result(
    board: &Board,
    result: GameResult,
    thinker: Side,
) -> SearchScore {
    match result {
        GameResult::Draw if board.to_move() == thinker => -CONTEMPT,
        GameResult::Draw => CONTEMPT,
        GameResult::Win(winner) => {
            let score = WIN - board.ply().cast_signed();
            if winner == board.to_move() { score } else { -score }
        }
    }
}

/// Evaluates an unfinished game for the side to move. `thinker` is the searching side.
pub(super) fn evaluate_watch_your_back(board: &Board, thinker: Side) -> SearchScore {
    let seat = board.to_move();
    let all = count_squares(board.occupied()).max(1);
    let lead = evaluate_pieces(board, seat) - evaluate_pieces(board, !seat);
    let lead = lead * (all + SCARCITY) / all;
    let locked = match will_lock_board(board) {
        true if seat == thinker => -LOCKED,
        true => LOCKED,
        false => 0,
    };
    lead + locked + evaluate_centre(board.pieces(seat)) - evaluate_centre(board.pieces(!seat))
}

/// Returns whether the last shrink, if it happened now, would leave no empty square.
fn will_lock_board(board: &Board) -> bool {
    let squares = BoardSize::Small.area() - BoardSize::Small.corners();
    let left = Side::BOTH.map(|seat| count_shrink_survivors(board, seat, BoardSize::Small));
    board.size() != BoardSize::Small && left.iter().sum::<SearchScore>() == count_squares(squares)
}

/// The value of the pieces of `seat`: those on the board, and those that would survive the shrinks.
fn evaluate_pieces(board: &Board, seat: Side) -> SearchScore {
    let shrinks = || board.size() as usize..2;
    let moves = board.moves();
    let hurry = shrinks().next().map_or(0, |next| evaluate_shrink_urgency(SHRINKS[next], moves));
    let standing =
        (PIECE - (PIECE - DOOMED) * hurry / LAST_MOVES) * count_squares(board.pieces(seat));
    let surviving = shrinks().map(|which| {
        evaluate_shrink_survival(which, moves) * count_shrink_survivors(board, seat, NEXT[which])
    });
    standing + surviving.sum::<SearchScore>()
}

/// Counts the pieces of `seat` that would survive a shrink to `size` if it happened now: those
/// inside that no new corner eliminates.
fn count_shrink_survivors(board: &Board, seat: Side, size: BoardSize) -> SearchScore {
    let corners = size.corners();
    let inside = board.pieces(seat) & (size.area() - corners);
    let enemies = board.pieces(!seat) & (size.area() - corners);
    let endangered = if size == BoardSize::Small { inside & EARLIER } else { inside };
    let taken = Direction::ALL.into_iter().fold(Bitboard::EMPTY, |taken, direction| {
        taken | corners.step(direction) & endangered & enemies.step(direction.opposite())
    });
    count_squares(inside - taken)
}

/// The bonus for surviving a shrink (`which` is 0 or 1) after `moves` moves of the moving phase.
fn evaluate_shrink_survival(which: usize, moves: u32) -> SearchScore {
    let shrink = SHRINKS[which];
    let growth = GROWTH[which] * moves.cast_signed() / shrink.cast_signed();
    SURVIVAL[which] + growth + URGENCY * evaluate_shrink_urgency(shrink, moves) / LAST_MOVES
}

/// The urgency of a shrink after `moves` moves: 0 at first, then rising to [`LAST_MOVES`] at the
/// shrink.
fn evaluate_shrink_urgency(shrink: u32, moves: u32) -> SearchScore {
    (LAST_MOVES - shrink.saturating_sub(moves).cast_signed()).max(0)
}

/// The bonus for pieces near the middle.
fn evaluate_centre(pieces: Bitboard) -> SearchScore {
    CLOSENESS.iter().map(|(squares, worth)| count_squares(pieces & *squares) * worth).sum()
}

const fn count_squares(squares: Bitboard) -> SearchScore {
    squares.len().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::watch_your_back::{Action, EndCheck};

    fn worth(board: &Board) -> SearchScore {
        evaluate_watch_your_back(board, board.to_move())
    }

    fn moving(row: &str, moves: u32) -> Board {
        let empty = "........";
        let rows = ["X......X", empty, empty, row, empty, empty, empty, "X......X"];
        Board::from_rows(&rows, 24 + moves).expect("a board")
    }

    #[test]
    fn pieces_and_the_centre_count() {
        assert!(worth(&moving("WW...B..", 0)) > 80);
        assert!(worth(&moving("WW...B..", 1)) < -80);
        assert!(worth(&moving("..WW..BB", 0)) > 0);
        assert_eq!(worth(&moving("W......B", 0)), 0);
    }

    #[test]
    fn the_edge_is_worse_closer_to_the_shrink() {
        let [early, late, last] = [0, 100, 126].map(|moves| worth(&moving("W.....B.", moves)));
        assert!(early < 0 && early > late && late > last);
    }

    #[test]
    fn surviving_pieces_are_inside_and_not_captured_by_corners() {
        let left = |rows: &[&str; 8], size| {
            let board = Board::from_rows(rows, 24).expect("a board");
            Side::BOTH.map(|seat| count_shrink_survivors(&board, seat, size))
        };
        let rows = [
            "X......X", "........", "..WWBB..", ".WWWBBB.", "........", "...W....", "........",
            "X......X",
        ];
        assert_eq!(left(&rows, BoardSize::Middle), [6, 5]);
        assert_eq!(left(&rows, BoardSize::Small), [3, 3]);
    }

    #[test]
    fn predicted_survivors_match_the_shrink() {
        let rows = [
            "########", "#X.B..X#", "#WWWBB.#", "#.BWWB.#", "#WWBBW.#", "#.BBWW.#", "#X...WX#",
            "########",
        ];
        let mut board = Board::from_rows(&rows, 24 + SHRINKS[1] - 1).expect("a board");
        let expected =
            Side::BOTH.map(|seat| count_shrink_survivors(&board, seat, BoardSize::Small));
        board.play_unchecked(Action::Pass, EndCheck::BeforeAndAfterShrink);
        assert_eq!(board.size(), BoardSize::Small);
        assert_eq!(Side::BOTH.map(|seat| count_squares(board.pieces(seat))), expected);
    }

    #[test]
    fn a_full_small_board_counts_as_locked() {
        let rows = [
            "X......X", "........", "...WW...", "..WWBB..", "..WWBB..", "...BB...", "........",
            "X......X",
        ];
        let board = Board::from_rows(&rows, 24).expect("a board");
        assert!(will_lock_board(&board));
        assert_eq!(evaluate_watch_your_back(&board, Side::First), -LOCKED);
        assert_eq!(evaluate_watch_your_back(&board, Side::Second), LOCKED);
    }

    #[test]
    fn quick_wins_score_highest_and_draws_below_zero() {
        let score =
            |moves, result| evaluate_game_result(&moving("W...W...", moves), result, Side::First);
        let win = |moves| score(moves, GameResult::Win(Side::First));
        assert!(win(10) > win(12));
        assert!(win(11) < -WIN / 2);
        assert!(is_decisive_evaluation(win(10)));
        assert!(score(10, GameResult::Draw) < 0 && score(11, GameResult::Draw) > 0);
    }
}
