//! Built-in players for any game, which know only its rules. They think about positions: the
//! position itself, or guesses that they cannot tell from it.

mod playouts;
mod uct_tree;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::bot_engine::Engine;
use super::{Allotment, BotKind, Choice, Limit};
use playouts::{any_action, scores};
use referee_games::{
    AnyGame, AnyPosition, GameError, Legal, Position, Seat, Step, StepText, Turn, guesses,
};

/// The most positions that the greedy player visits per move, in games without estimates.
const GREEDY_NODES: u64 = 1000;
/// How many guesses a player thinks about that looks ahead.
const GUESSES: u32 = 8;

/// How many guesses a player of this kind thinks about.
pub(super) fn guesses_of(kind: BotKind) -> u32 {
    match kind {
        BotKind::Random | BotKind::Steady => 1,
        BotKind::Greedy | BotKind::Search(_) => GUESSES,
    }
}

/// A built-in player for any game that follows the game step by step. In a game with hidden
/// information it thinks only about guesses.
pub(super) struct AnyEngine {
    position: Position,
    kind: BotKind,
    is_hidden: bool,
}

impl AnyEngine {
    /// Creates a player of this kind that starts at this position of `game`.
    pub(super) fn new(game: &dyn AnyGame, position: Position, kind: BotKind) -> Self {
        Self { position, kind, is_hidden: game.is_hidden() }
    }
}

impl Engine for AnyEngine {
    fn position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        self.position.play(step, &mut Vec::new())
    }

    fn branch(
        &mut self,
        step: StepText<'_>,
        then: &mut dyn FnMut(&mut dyn Engine),
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
        let most = guesses_of(self.kind);
        let positions = guesses(&*self.position, self.is_hidden, (seat, most), rng).ok()?;
        choose(self.kind, &positions, (seat, time), rng)
    }
}

/// Chooses an action for `seat`, which cannot tell these positions from each other. `None` without
/// positions or legal actions.
pub(super) fn choose(
    kind: BotKind,
    positions: &[Position],
    (seat, time): (Seat, Allotment),
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let one = positions.first()?;
    match kind {
        BotKind::Random => any_action(&**one, seat, rng),
        BotKind::Steady => one_of_the_best(positions, seat, rng, |after| {
            -f64::from(u8::from(matches!(after.turn(), Turn::Over(_))))
        }),
        BotKind::Greedy if has_estimates(positions, seat, rng) => {
            one_of_the_best(positions, seat, rng, |after| {
                scores(after).map_or(0.5, |scores| scores[seat])
            })
        }
        BotKind::Greedy => {
            uct_tree::choose(positions, seat, (Limit::Nodes(GREEDY_NODES), time), rng)
        }
        BotKind::Search(limit) => uct_tree::choose(positions, seat, (limit, time), rng),
    }
}

/// Whether the game estimates the position after an action of `seat`.
fn has_estimates(positions: &[Position], seat: Seat, rng: &mut ChaCha8Rng) -> bool {
    let estimated = |position: &Position| {
        let action = position.sample(seat, rng).ok()??;
        scores(&*after(&**position, &action)?)
    };
    positions.first().and_then(estimated).is_some()
}

/// Chooses one of the actions with the highest value, summed over the positions that follow it. If
/// several seats act at once, or the game does not list its actions, any action.
fn one_of_the_best(
    positions: &[Position],
    seat: Seat,
    rng: &mut ChaCha8Rng,
    worth: impl Fn(&dyn AnyPosition) -> f64,
) -> Option<Choice<String>> {
    let one = positions.first()?;
    let (Turn::Move(_), Legal::List(actions)) = (one.turn(), one.legal(seat)) else {
        return any_action(&**one, seat, rng);
    };
    let value = |action: &String| -> f64 {
        let after = positions.iter().filter_map(|position| after(&**position, action));
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
fn after(position: &dyn AnyPosition, action: &str) -> Option<Position> {
    let mut after = position.boxed();
    after.play(Step::Move(action), &mut Vec::new()).ok()?;
    Some(after)
}
