//! Iterative deepening, for the searches of games in which the seats move in turn.

use referee_games::Game;
use referee_games::two_player::{GameResult, Side, Step, Turn};

/// An action at the root of a search.
pub(super) struct DeepeningRoot<G: Game> {
    pub(super) action: G::Action,
    /// The position after it, reached in the game itself, which recognises draws.
    pub(super) after: G,
    /// The result, if the game is over then.
    pub(super) ended: Option<GameResult>,
}

impl<G: Game> DeepeningRoot<G> {
    /// Every legal action of `seat`.
    pub(super) fn from_legal_actions(position: &G, seat: Side) -> Vec<Self> {
        let played = |action: G::Action| {
            let mut after = position.clone();
            after.play_silently(Step::Move(action.clone()));
            let ended = match after.turn() {
                Turn::Over(outcome) => Some(outcome.result),
                _ => None,
            };
            Self { action, after, ended }
        };
        position.legal_actions(seat).into_iter().map(played).collect()
    }
}

/// A search that values the actions at its root.
pub(super) trait DeepeningSearch {
    type Game: Game;
    /// The value of an action to the side that plays it.
    type Score: Copy + PartialOrd;
    /// The maximum depth.
    const DEPTH: u8;
    /// Less than any score.
    const LOWEST: Self::Score;

    /// The value of an action, searched `depth` further; exact only above `alpha`. `None` when the
    /// meter runs out.
    fn value(
        &mut self,
        root: &DeepeningRoot<Self::Game>,
        depth: u8,
        alpha: Self::Score,
    ) -> Option<Self::Score>;

    /// Returns whether to search deeper if this is the best value so far.
    fn goes_on(&self, score: Self::Score) -> bool;
}

/// Searches with increasing depth, the best action so far first, and moves the best one found to
/// the front of `roots`. Returns its value; `score` if there was no time for any.
pub(super) fn search_by_deepening<S: DeepeningSearch>(
    search: &mut S,
    roots: &mut [DeepeningRoot<S::Game>],
    mut score: S::Score,
) -> S::Score {
    for depth in 0..S::DEPTH {
        let mut best = S::LOWEST;
        for index in 0..roots.len() {
            let Some(found) = search.value(&roots[index], depth, best) else { return score };
            if found > best {
                (best, score) = (found, found);
                roots[..=index].rotate_right(1);
            }
        }
        if roots.len() < 2 || !search.goes_on(score) {
            break;
        }
    }
    score
}
