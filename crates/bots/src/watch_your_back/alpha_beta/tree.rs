//! The alpha-beta search.

use super::evaluation::{
    SearchScore, WIN, evaluate_game_result, evaluate_watch_your_back, is_decisive_evaluation,
};
use super::move_ordering::{MoveOrdering, find_likely_captures};
use super::transposition_table::{Bound, TranspositionTable, transposition_key};
use crate::iterative_deepening::{DeepeningRoot, DeepeningSearch};
use crate::meter::Meter;
use referee_games::two_player::{GameResult, Side};
use referee_games::watch_your_back::{Action, Board, BoardSize, MutualBlock, Rules, WatchYourBack};

/// Greater than any score.
const INFINITE: SearchScore = WIN + 1;

/// The number of first actions that are searched to full depth.
const UNREDUCED: usize = 8;

/// A search from one position.
///
/// Every score is for the side to move in the position searched. Its methods return `None` when the
/// meter runs out.
pub(super) struct AlphaBetaTree<'a> {
    rules: Rules,
    root: Board,
    /// The searching side.
    thinker: Side,
    table: &'a mut TranspositionTable,
    ordering: MoveOrdering,
    meter: Meter,
    /// The positions from the root to the current node.
    path: Vec<Board>,
}

impl DeepeningSearch for AlphaBetaTree<'_> {
    type Game = WatchYourBack;
    type Score = SearchScore;
    /// In plies, not counting the quiescence search.
    const DEPTH: u8 = 40;
    const LOWEST: SearchScore = -INFINITE;

    fn value(
        &mut self,
        root: &DeepeningRoot<WatchYourBack>,
        depth: u8,
        alpha: SearchScore,
    ) -> Option<SearchScore> {
        if let Some(result) = root.ended {
            return Some(-evaluate_game_result(root.after.board(), result, self.thinker));
        }
        self.path.clear();
        self.path.push(self.root);
        self.scout(root.after.board(), depth, alpha, INFINITE)
    }

    fn goes_on(&self, score: SearchScore) -> bool {
        !is_decisive_evaluation(score) && self.meter.may_begin_another()
    }
}

impl<'a> AlphaBetaTree<'a> {
    /// Creates a search from `root` under `rules` for the side `thinker` that uses and fills `table`
    /// until `meter` runs out. A table serves one side only, because a draw has a different value for
    /// each side.
    pub(super) fn new(
        rules: Rules,
        (root, thinker): (Board, Side),
        table: &'a mut TranspositionTable,
        meter: Meter,
    ) -> Self {
        Self { rules, root, thinker, table, ordering: MoveOrdering::new(), meter, path: Vec::new() }
    }

    /// The score of `child` for its parent. A search with a null window tests whether it beats
    /// `alpha`; only then a second search finds the exact score.
    fn scout(
        &mut self,
        child: &Board,
        depth: u8,
        alpha: SearchScore,
        beta: SearchScore,
    ) -> Option<SearchScore> {
        if alpha > -INFINITE {
            let score = self.probe(child, depth, alpha)?;
            if score <= alpha || score >= beta {
                return Some(score);
            }
        }
        Some(-self.search(child, depth, -beta, -alpha)?)
    }

    /// Tests whether `child` beats `alpha` for its parent, by a search with a null window.
    fn probe(&mut self, child: &Board, depth: u8, alpha: SearchScore) -> Option<SearchScore> {
        Some(-self.search(child, depth, -alpha - 1, -alpha)?)
    }

    /// Like [`scout`](Self::scout), but searches one ply less deep unless the child beats `alpha`.
    fn scout_reduced(
        &mut self,
        child: &Board,
        depth: u8,
        alpha: SearchScore,
        beta: SearchScore,
    ) -> Option<SearchScore> {
        let score = self.probe(child, depth - 1, alpha)?;
        if score <= alpha { Some(score) } else { self.scout(child, depth, alpha, beta) }
    }

    fn search(
        &mut self,
        board: &Board,
        depth: u8,
        alpha: SearchScore,
        beta: SearchScore,
    ) -> Option<SearchScore> {
        if let Some(score) = self.score_if_ended(board) {
            return Some(score);
        }
        if depth == 0 {
            return self.quiesce(board, alpha, beta);
        }
        self.meter.tick()?;
        let key = transposition_key(board);
        let known = self.table.get(key);
        if let Some(score) = known.and_then(|entry| entry.score_if_settled(depth, alpha, beta)) {
            return Some(score);
        }
        let known_best = known.and_then(|entry| entry.best);
        let (score, best) = self.search_actions(board, known_best, depth, (alpha, beta))?;
        let bound = match score {
            score if score >= beta => Bound::Lower,
            score if score > alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        self.table.put(key, depth, (score, bound), best);
        Some(score)
    }

    /// The best score among the actions on `board`, and the action if it beats the window's lower
    /// bound.
    fn search_actions(
        &mut self,
        board: &Board,
        known_best: Option<Action>,
        depth: u8,
        (mut alpha, beta): (SearchScore, SearchScore),
    ) -> Option<(SearchScore, Option<Action>)> {
        let mut actions = self.ordering.sort_actions(board, known_best);
        if actions.is_empty() {
            actions.push(Action::Pass);
        }
        let (mut score, mut best) = (-INFINITE, None);
        self.path.push(*board);
        for (index, action) in actions.into_iter().enumerate() {
            let child = self.board_after(board, action);
            let found = if index == 0 {
                -self.search(&child, depth - 1, -beta, -alpha)?
            } else if may_reduce_late_move(index, depth) && is_quiet_move(board, &child) {
                self.scout_reduced(&child, depth - 1, alpha, beta)?
            } else {
                self.scout(&child, depth - 1, alpha, beta)?
            };
            score = score.max(found);
            if found > alpha {
                (alpha, best) = (found, Some(action));
            }
            if alpha >= beta {
                self.ordering.record_cutoff(board, action, depth);
                break;
            }
        }
        self.path.pop();
        Some((score, best))
    }

    /// Quiescence search: follows captures until none are left.
    fn quiesce(
        &mut self,
        board: &Board,
        mut alpha: SearchScore,
        beta: SearchScore,
    ) -> Option<SearchScore> {
        self.meter.tick()?;
        let mut score = evaluate_watch_your_back(board, self.thinker);
        for action in find_likely_captures(board) {
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
            let child = self.board_after(board, action);
            if captures_piece(board, &child) {
                let found = match self.score_if_ended(&child) {
                    Some(score) => -score,
                    None => -self.quiesce(&child, -beta, -alpha)?,
                };
                score = score.max(found);
            }
        }
        Some(score)
    }

    fn board_after(&self, board: &Board, action: Action) -> Board {
        let mut after = *board;
        after.play_unchecked(action, self.rules.end_check);
        after
    }

    /// The score, if the game is over on `board` or a position repeats.
    fn score_if_ended(&self, board: &Board) -> Option<SearchScore> {
        if let Some(result) = board.elimination_result() {
            return Some(evaluate_game_result(board, result, self.thinker));
        }
        let longest = self.rules.max_moves;
        let too_long = longest > 0 && board.moves() >= longest;
        let circles =
            board.size() == BoardSize::Small && (self.is_blocked(board) || self.repeats(board));
        (too_long || circles).then(|| evaluate_game_result(board, GameResult::Draw, self.thinker))
    }

    fn is_blocked(&self, board: &Board) -> bool {
        self.rules.mutual_block == MutualBlock::Draw
            && !Side::BOTH.into_iter().any(|seat| board.can_move(seat))
    }

    /// Returns whether the same pieces stood on the board earlier in the path, with the same side
    /// to move.
    fn repeats(&self, board: &Board) -> bool {
        self.rules.repetition > 0
            && self.path.iter().any(|past| {
                past.size() == BoardSize::Small
                    && past.to_move() == board.to_move()
                    && Side::BOTH.into_iter().all(|seat| past.pieces(seat) == board.pieces(seat))
            })
    }
}

/// Returns whether an action at this index may be searched less deeply (late move reduction).
const fn may_reduce_late_move(index: usize, depth: u8) -> bool {
    index >= UNREDUCED && depth >= 3
}

/// Returns whether no piece was lost from `before` to `after`; a placement adds a piece.
fn is_quiet_move(before: &Board, after: &Board) -> bool {
    after.size() == before.size() && after.occupied().len() >= before.occupied().len()
}

/// Returns whether the side to move on `before` took a piece to reach `after`.
fn captures_piece(before: &Board, after: &Board) -> bool {
    let enemy = !before.to_move();
    after.pieces(enemy).len() < before.pieces(enemy).len()
}
