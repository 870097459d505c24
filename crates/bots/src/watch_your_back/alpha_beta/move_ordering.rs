//! Move ordering: tries the actions most likely to cause a cutoff first.

use referee_games::board::{Bitboard, Direction, Square};
use referee_games::watch_your_back::{Action, Board, placement_zone};

const KNOWN_BEST: u32 = u32::MAX;
const CAPTURE: u32 = 1 << 30;
const KILLER: u32 = 1 << 29;
/// The number of plies for which killers are kept.
const PLIES: usize = 64;

/// The killers and the history table of one search.
pub(super) struct MoveOrdering {
    /// For each ply, the last two quiet actions that caused a cutoff.
    killers: [[Option<Action>; 2]; PLIES],
    /// For each pair of squares (from, to), a score of the cutoffs that the action caused.
    history: Vec<u32>,
}

impl MoveOrdering {
    /// Creates empty tables.
    pub(super) fn new() -> Self {
        Self { killers: [[None; 2]; PLIES], history: vec![0; 64 * 64] }
    }

    /// Returns the legal actions, most promising first: the best one so far, captures, killers,
    /// then the others by their history score.
    pub(super) fn sort_actions(&self, board: &Board, known_best: Option<Action>) -> Vec<Action> {
        let captures = find_capture_squares(board);
        let killers = self.killers[killer_slot(board)];
        let mut actions = board.legal_actions();
        actions.sort_by_cached_key(|&action| {
            let promise = if Some(action) == known_best {
                KNOWN_BEST
            } else if captures.contains(target_square(action)) {
                CAPTURE
            } else if killers.contains(&Some(action)) {
                KILLER
            } else {
                self.history[history_index(action)]
            };
            std::cmp::Reverse(promise)
        });
        actions
    }

    /// Records that `action` caused a cutoff in a search of this depth.
    pub(super) fn record_cutoff(&mut self, board: &Board, action: Action, depth: u8) {
        if find_capture_squares(board).contains(target_square(action)) {
            return;
        }
        let killers = &mut self.killers[killer_slot(board)];
        if killers[0] != Some(action) {
            *killers = [Some(action), killers[0]];
        }
        let history = &mut self.history[history_index(action)];
        *history = (*history + u32::from(depth).pow(2)).min(KILLER - 1);
    }
}

/// Returns the actions of the side to move that may capture; a few of them capture nothing.
pub(super) fn find_likely_captures(board: &Board) -> Vec<Action> {
    let squares = find_capture_squares(board);
    if board.is_placing() {
        return (squares & placement_zone(board.to_move())).iter().map(Action::Place).collect();
    }
    let mut actions = Vec::new();
    if !squares.is_empty() {
        for from in board.pieces(board.to_move()) {
            let targets = board.piece_targets(Bitboard::from_square(from)) & squares;
            actions.extend(targets.iter().map(|to| Action::Move { from, to }));
        }
    }
    actions
}

/// The empty squares on which a piece of the side to move would complete a capture.
fn find_capture_squares(board: &Board) -> Bitboard {
    let seat = board.to_move();
    let friends = board.pieces(seat) | board.size().corners();
    let enemies = board.pieces(!seat);
    let behind = |direction| (friends.step(direction) & enemies).step(direction);
    Direction::ALL.into_iter().fold(Bitboard::EMPTY, |all, way| all | behind(way)) & board.empty()
}

fn killer_slot(board: &Board) -> usize {
    board.ply() as usize % PLIES
}

fn target_square(action: Action) -> Square {
    match action {
        Action::Place(to) | Action::Move { to, .. } => to,
        Action::Pass => Square::new(0, 0),
    }
}

fn history_index(action: Action) -> usize {
    let number = |square: Square| usize::from(8 * square.column + square.row);
    match action {
        Action::Move { from, to } => 64 * number(from) + number(to),
        Action::Place(to) => 65 * number(to),
        Action::Pass => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [&str; 8] = [
        "XB.W...X", "........", ".B......", "...W....", "........", "........", "........",
        "X......X",
    ];

    fn texts(actions: &[Action]) -> Vec<String> {
        actions.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn captures_are_searched_after_the_best_known_action() {
        let board = Board::from_rows(&ROWS, 24).expect("a board");
        assert_eq!(texts(&find_likely_captures(&board)), ["3,0>2,0"]);
        let quiet = board.legal_actions().into_iter().next_back();
        let sorted = MoveOrdering::new().sort_actions(&board, quiet);
        assert_eq!(sorted.first().copied(), quiet);
        assert_eq!(texts(&sorted[1..2]), ["3,0>2,0"]);
    }

    #[test]
    fn actions_that_refuted_before_are_tried_earlier() {
        let board = Board::from_rows(&ROWS, 24).expect("a board");
        let last = *board.legal_actions().last().expect("an action");
        let mut ordering = MoveOrdering::new();
        ordering.record_cutoff(&board, last, 3);
        assert_eq!(ordering.sort_actions(&board, None)[1], last);
    }
}
