//! The searching player: alpha-beta search with iterative deepening on bitboards.

mod evaluation;
mod ordering;
mod table;
mod tree;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use self::evaluation::{SearchScore, ended, evaluate, is_decisive};
use self::table::TranspositionTable;
use self::tree::{AlphaBetaTree, INFINITE};
use super::deepening::{RootSearch, deepen};
use super::meter::{Limit, Meter};
use super::{Allotment, Bot, Choice};
use referee_games::watch_your_back::{Action, Board, WatchYourBack};
use referee_games::{Game, Seat, Step, Turn};

/// The maximum search depth in plies, not counting the quiescence search.
const DEPTH: u8 = 40;
/// The score that evaluates to about three quarters of a win.
const CLEAR: f64 = 400.0;

/// Searches as far ahead as its limit allows, and keeps its transposition table during a game.
pub(super) struct AlphaBeta {
    limit: Limit,
    table: TranspositionTable,
}

/// An action at the root and the position after it.
struct RootAction {
    action: Action,
    board: Board,
    /// The score for the side that plays it, if it ends the game.
    known: Option<SearchScore>,
}

impl AlphaBeta {
    /// Creates a player for one game.
    pub(super) fn new(limit: Limit) -> Self {
        Self { limit, table: TranspositionTable::new() }
    }
}

impl Bot<WatchYourBack> for AlphaBeta {
    fn choose(
        &mut self,
        position: &WatchYourBack,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<Action>> {
        let meter = Meter::new(self.limit, time);
        let mut roots: Vec<_> = position
            .legal_actions(seat)
            .into_iter()
            .map(|action| RootAction::new(position, seat, action))
            .collect();
        roots.shuffle(rng);
        let (rules, board) = (*position.rules_in_force(), *position.board());
        let mut score = evaluate(&board, seat);
        if roots.len() > 1 {
            let mut tree = AlphaBetaTree::new(rules, (board, seat), &mut self.table, meter);
            score = deepen(&mut tree, &mut roots, score);
        }
        let action = roots.first()?.action;
        Some(Choice { action, eval: Some(eval(score)) })
    }
}

impl RootAction {
    /// Plays `action` of `seat` in the game itself, to recognise draws by repetition.
    fn new(position: &WatchYourBack, seat: Seat, action: Action) -> Self {
        let mut after = position.clone();
        after.play_silently(Step::Move(action));
        let known = match after.turn() {
            Turn::Over(outcome) => Some(-ended(after.board(), outcome.result, seat)),
            _ => None,
        };
        Self { action, board: *after.board(), known }
    }
}

impl RootSearch for AlphaBetaTree<'_> {
    type Root = RootAction;
    type Score = SearchScore;
    const DEPTH: u8 = DEPTH;
    const LOWEST: SearchScore = -INFINITE;

    fn value(&mut self, root: &RootAction, depth: u8, alpha: SearchScore) -> Option<SearchScore> {
        root.known.or_else(|| self.child(&root.board, depth, alpha))
    }

    fn goes_on(&self, score: SearchScore) -> bool {
        !is_decisive(score) && self.may_begin_another()
    }
}

/// Scales a score to the protocol's range from −1 to 1.
fn eval(score: SearchScore) -> f64 {
    if is_decisive(score) { f64::from(score.signum()) } else { (f64::from(score) / CLEAR).tanh() }
}

#[cfg(test)]
mod tests;
