//! Built-in players for any game, which know only its rules. They think about positions: the
//! position itself, or guesses that they cannot tell from it.

mod playouts;
mod uct_tree;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::bot_engine::BotEngine;
use super::{Allotment, BotKind, Choice, Limit};
use playouts::{draw_playout_action, scores_without_playout};
use referee_games::{
    AnyGame, AnyPosition, GameError, Legal, Position, Seat, Step, StepText, Turn, draw_guesses,
};

/// The most positions that the greedy player visits per move, in games without estimates.
const GREEDY_NODES: u64 = 1000;
/// How many guesses a player thinks about that looks ahead.
const GUESSES: u32 = 8;

/// How many guesses a player of this kind thinks about.
pub(super) fn any_game_bot_guesses(kind: BotKind) -> u32 {
    match kind {
        BotKind::Random | BotKind::Steady => 1,
        BotKind::Greedy | BotKind::Search(_) => GUESSES,
    }
}

/// A built-in player for any game that follows the game step by step. In a game with hidden
/// information it thinks only about guesses.
pub(super) struct AnyGameBot {
    position: Position,
    kind: BotKind,
    is_hidden: bool,
}

impl AnyGameBot {
    /// Creates a player of this kind that starts at this position of `game`.
    pub(super) fn new(game: &dyn AnyGame, position: Position, kind: BotKind) -> Self {
        Self { position, kind, is_hidden: game.is_hidden() }
    }
}

impl BotEngine for AnyGameBot {
    fn position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        self.position.play(step, &mut Vec::new())
    }

    fn branch(
        &mut self,
        step: StepText<'_>,
        then: &mut dyn FnMut(&mut dyn BotEngine),
    ) -> Result<(), GameError> {
        let before = self.position.clone();
        let followed = self.follow(step);
        if followed.is_ok() {
            then(self);
        }
        self.position = before;
        followed
    }

    fn choose(
        &mut self,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<String>> {
        let most = any_game_bot_guesses(self.kind);
        let positions = draw_guesses(&*self.position, self.is_hidden, (seat, most), rng).ok()?;
        choose_in_any_game(self.kind, &positions, (seat, time), rng)
    }
}

/// Chooses an action for `seat`, which cannot tell these positions from each other. `None` without
/// positions or legal actions.
pub(super) fn choose_in_any_game(
    kind: BotKind,
    positions: &[Position],
    (seat, time): (Seat, Allotment),
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let one = positions.first()?;
    match kind {
        BotKind::Random => draw_playout_action(&**one, seat, rng),
        BotKind::Steady => choose_best_in_any_game(positions, seat, rng, |after| {
            -f64::from(u8::from(matches!(after.turn(), Turn::Over(_))))
        }),
        BotKind::Greedy if any_game_has_estimates(positions, seat, rng) => {
            choose_best_in_any_game(positions, seat, rng, |after| {
                scores_without_playout(after).map_or(0.5, |scores| scores[seat])
            })
        }
        BotKind::Greedy => {
            uct_tree::choose_by_uct(positions, seat, (Limit::Nodes(GREEDY_NODES), time), rng)
        }
        BotKind::Search(limit) => uct_tree::choose_by_uct(positions, seat, (limit, time), rng),
    }
}

/// Whether the game estimates the position after an action of `seat`.
fn any_game_has_estimates(positions: &[Position], seat: Seat, rng: &mut ChaCha8Rng) -> bool {
    let estimated = |position: &Position| {
        let action = position.sample(seat, rng).ok()??;
        scores_without_playout(&*position_after_action(&**position, &action)?)
    };
    positions.first().and_then(estimated).is_some()
}

/// Chooses one of the actions with the highest value, summed over the positions that follow it. If
/// several seats act at once, or the game does not list its actions, any action.
fn choose_best_in_any_game(
    positions: &[Position],
    seat: Seat,
    rng: &mut ChaCha8Rng,
    worth: impl Fn(&dyn AnyPosition) -> f64,
) -> Option<Choice<String>> {
    let one = positions.first()?;
    let (Turn::Move(_), Legal::List(actions)) = (one.turn(), one.legal(seat)) else {
        return draw_playout_action(&**one, seat, rng);
    };
    let value = |action: &String| -> f64 {
        let after =
            positions.iter().filter_map(|position| position_after_action(&**position, action));
        after.map(|after| worth(&*after)).sum()
    };
    let values: Vec<f64> = actions.iter().map(value).collect();
    let best = values.iter().copied().max_by(f64::total_cmp)?;
    let equals: Vec<&String> = actions
        .iter()
        .zip(&values)
        .filter(|(_, value)| best - **value < 1e-9)
        .map(|it| it.0)
        .collect();
    equals.choose(rng).map(|action| Choice { action: (*action).clone(), eval: None })
}

/// The position after an action; `None` if it is illegal there.
fn position_after_action(position: &dyn AnyPosition, action: &str) -> Option<Position> {
    let mut after = position.boxed();
    after.play(Step::Move(action), &mut Vec::new()).ok()?;
    Some(after)
}
