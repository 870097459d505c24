//! The searching player: alpha-beta search with iterative deepening on bitboards.

mod evaluation;
mod move_ordering;
mod transposition_table;
mod tree;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use self::evaluation::{SearchScore, evaluate_watch_your_back, is_decisive_evaluation};
use self::transposition_table::TranspositionTable;
use self::tree::AlphaBetaTree;
use crate::iterative_deepening::{DeepeningRoot, search_by_deepening};
use crate::meter::{Limit, Meter};
use crate::{Allotment, Bot, Choice};
use referee_games::two_player::Side;
use referee_games::watch_your_back::{Action, WatchYourBack};

/// The score that evaluates to about three quarters of a win.
const CLEAR: f64 = 400.0;

/// Searches as far ahead as its limit allows, and keeps its transposition table during a game.
pub(super) struct AlphaBeta {
    limit: Limit,
    table: TranspositionTable,
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
        seat: Side,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<Action>> {
        let meter = Meter::new(self.limit, time);
        let mut roots = DeepeningRoot::from_legal_actions(position, seat);
        roots.shuffle(rng);
        let (rules, board) = (*position.rules_in_force(), *position.board());
        let mut score = evaluate_watch_your_back(&board, seat);
        if roots.len() > 1 {
            let mut tree = AlphaBetaTree::new(rules, (board, seat), &mut self.table, meter);
            score = search_by_deepening(&mut tree, &mut roots, score);
        }
        let action = roots.first()?.action;
        Some(Choice { action, eval: Some(scale_alpha_beta_score(score)) })
    }
}

/// Scales a score to the protocol's range from −1 to 1.
fn scale_alpha_beta_score(score: SearchScore) -> f64 {
    if is_decisive_evaluation(score) {
        f64::from(score.signum())
    } else {
        (f64::from(score) / CLEAR).tanh()
    }
}

#[cfg(test)]
mod tests;
