//! Static evaluation of a position.

use referee_games::backdraughts::{Board, Movement, Rules, Turning, pawn_goal};
use referee_games::board::{Bitboard, Direction, Square};
use referee_games::two_player::Side;

/// The value of a position for one side, about 100 per pawn.
pub(super) type ExpectedScore = f64;

/// The score of a won game, the highest of all.
pub(super) const WIN: ExpectedScore = 2000.0;
/// The highest score of a game that is not won yet.
const CLEAR: ExpectedScore = 1900.0;
const PAWN: ExpectedScore = 100.0;
/// The value of a threat to win with every number: on the next turn, and on the turn after it.
const THREATS: [ExpectedScore; 2] = [1600.0, 1000.0];
/// The bonus for a pawn on the row or the column of its goal.
const ALIGNED: ExpectedScore = 20.0;
/// The bonus for each square nearer to the goal.
const NEARER: ExpectedScore = 3.0;
/// The penalty for each pawn that a single capture would take.
const EXPOSED: ExpectedScore = 12.0;
/// The greatest distance between two squares.
const FARTHEST: u8 = 14;

/// Evaluates an unfinished game for `next`, whose turn is about to begin.
pub(super) fn evaluate_backdraughts(board: &Board, next: Side, rules: &Rules) -> ExpectedScore {
    let [soon, later] = THREATS;
    let threats =
        soon * evaluate_threats(board, next, rules) - later * evaluate_threats(board, !next, rules);
    (threats + evaluate_pawns(board, next) - evaluate_pawns(board, !next)).clamp(-CLEAR, CLEAR)
}

/// The value of the pawns of `seat`, regardless of the turn.
pub(super) fn evaluate_pawns(board: &Board, seat: Side) -> ExpectedScore {
    let goal = pawn_goal(seat);
    let each = |at: Square| {
        let aligned = at.column == goal.column || at.row == goal.row;
        let nearness = f64::from(FARTHEST - goal_distance(at, goal));
        PAWN + NEARER * nearness + if aligned { ALIGNED } else { 0.0 }
    };
    let all: ExpectedScore = board.pawns(seat).iter().map(each).sum();
    all - EXPOSED * f64::from(count_exposed_pawns(board, seat))
}

fn goal_distance(one: Square, other: Square) -> u8 {
    one.column.abs_diff(other.column) + one.row.abs_diff(other.row)
}

/// The most pawns that `seat` would lose to one capture.
fn count_exposed_pawns(board: &Board, seat: Side) -> u32 {
    let losses = board.capturers(!seat).iter().map(|by| board.captured_by(!seat, by).len());
    losses.max().unwrap_or(0)
}

/// The share of the numbers `seat` may get that take a pawn to its goal.
fn evaluate_threats(board: &Board, seat: Side, rules: &Rules) -> ExpectedScore {
    let share = |wins: bool, of: ExpectedScore| if wins { 1.0 / of } else { 0.0 };
    match rules.movement {
        Movement::NoDice => share(
            can_pawn_reach_goal(board, seat, board.distance_without_dice(seat), rules.turning),
            1.0,
        ),
        Movement::Dice => (1..=6)
            .map(|number| share(can_pawn_reach_goal(board, seat, number, rules.turning), 6.0))
            .sum(),
    }
}

/// Returns whether `seat` can move a pawn to its goal with this number.
pub(super) fn can_pawn_reach_goal(board: &Board, seat: Side, number: u8, turning: Turning) -> bool {
    match turning {
        Turning::Off => can_pawn_reach_goal_straight(board, seat, number),
        Turning::On => {
            let goal = pawn_goal(seat);
            let arrives = |from| board.pawn_targets(from, number, turning).contains(goal);
            board.pawns(seat).iter().any(arrives)
        }
    }
}

/// Returns whether a pawn of `seat` stands `number` squares from its goal in a straight line with
/// nothing in between. The search runs backwards from the goal.
fn can_pawn_reach_goal_straight(board: &Board, seat: Side, number: u8) -> bool {
    let empty = board.empty();
    let goal = Bitboard::from_square(pawn_goal(seat));
    let before = |way: Direction| (1..number).fold(goal & empty, |at, _| at.step(way) & empty);
    Direction::ALL.into_iter().any(|way| before(way).step(way).meets(board.pawns(seat)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::{Game, Options, backdraughts::Backdraughts};

    const EMPTY: &str = "........";

    fn rules(turning: &str) -> Rules {
        let options = Options::resolve(&Backdraughts::sheet().options, [("turning", turning)]);
        Backdraughts::rules(&options.expect("values that fit")).expect("rules that make sense")
    }

    fn board(first: &str, second: &str) -> Board {
        let rows = [first, second, EMPTY, EMPTY, EMPTY, EMPTY, "B......B", "......B."];
        Board::from_rows(&rows).expect("a board")
    }

    #[test]
    fn winning_numbers_are_those_that_reach_the_goal() {
        let board = board("..WW....", ".......W");
        // With turning, a pawn that gets stuck on the goal stops there.
        for (turning, expected) in [(Turning::Off, &[1, 4][..]), (Turning::On, &[1, 4, 5, 6][..])] {
            let numbers: Vec<_> = (1..=6)
                .filter(|number| can_pawn_reach_goal(&board, Side::First, *number, turning))
                .collect();
            let moves = |number: &u8| {
                let pawns = board.pawns(Side::First).iter();
                pawns.into_iter().any(|from| {
                    board.pawn_targets(from, *number, turning).contains(pawn_goal(Side::First))
                })
            };
            assert_eq!(numbers, (1..=6).filter(moves).collect::<Vec<_>>());
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn pawns_and_threats_count_and_the_sides_are_alike() {
        let rules = rules("off");
        let threat = board("...W....", "...W....");
        let none = board("........", "...WW...");
        let value = |board| evaluate_backdraughts(board, Side::First, &rules);
        assert!(value(&threat) > value(&none));
        assert!(value(&none) > value(&board("........", "...W....")));
        let start = evaluate_backdraughts(&Board::START, Side::First, &rules);
        assert!((start - evaluate_backdraughts(&Board::START, Side::Second, &rules)).abs() < 1e-9);
        assert!(start.abs() < 1e-9);
    }
}
