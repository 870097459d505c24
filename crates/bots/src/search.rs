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
        let mut tree = AlphaBetaTree::new(*position.rules_in_force(), seat, &mut self.table, meter);
        let score = deepen(&mut tree, position.board(), &mut roots);
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

/// Searches with increasing depth and moves the best action found to the front of `roots`.
fn deepen(tree: &mut AlphaBetaTree<'_>, board: &Board, roots: &mut [RootAction]) -> SearchScore {
    let mut score = evaluate(board, board.to_move());
    if roots.len() < 2 {
        return score;
    }
    for depth in 0..DEPTH {
        let finished = iterate(tree, board, roots, depth, &mut score);
        if !finished || is_decisive(score) || !tree.may_begin_another() {
            break;
        }
    }
    score
}

/// Searches every root action to `depth` further plies, the best so far first, and moves the best
/// found to the front. Returns whether there was time for all of them.
fn iterate(
    tree: &mut AlphaBetaTree<'_>,
    board: &Board,
    roots: &mut [RootAction],
    depth: u8,
    score: &mut SearchScore,
) -> bool {
    let mut best = -INFINITE;
    for index in 0..roots.len() {
        let root = &roots[index];
        let found = root.known.or_else(|| tree.child(board, &root.board, depth, best));
        let Some(found) = found else { return false };
        if found > best {
            best = found;
            *score = found;
            roots[..=index].rotate_right(1);
        }
    }
    true
}

/// Scales a score to the protocol's range from −1 to 1.
fn eval(score: SearchScore) -> f64 {
    if is_decisive(score) { f64::from(score.signum()) } else { (f64::from(score) / CLEAR).tanh() }
}

#[cfg(test)]
mod tests;
