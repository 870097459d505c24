//! A built-in player for any game, which knows only the rules.

mod playouts;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::engine::Engine;
use super::{Allotment, BotKind, Choice};
use referee_games::{
    AnyPosition, GameError, GameResult, Legal, Position, Seat, Step, StepText, Turn,
};

/// A built-in player for any game. Depending on its kind, it plays at random, looks one action
/// ahead for the end of the game, or compares actions by random playouts.
pub(super) struct AnyEngine {
    position: Position,
    kind: BotKind,
}

impl AnyEngine {
    /// Creates a player of this kind that starts at this position.
    pub(super) fn new(position: Position, kind: BotKind) -> Self {
        Self { position, kind }
    }

    /// Chooses one of the actions with the highest value. If both seats act at once, or the game
    /// does not list its actions, any action.
    fn one_of_the_best(
        &self,
        seat: Seat,
        rng: &mut ChaCha8Rng,
        worth: impl Fn(Option<GameResult>) -> i32,
    ) -> Option<Choice<String>> {
        let (Turn::Move(_), Legal::List(actions)) =
            (self.position.turn(), self.position.legal(seat))
        else {
            return self.any(seat, rng);
        };
        let value = |action: &String| worth(result_after(&*self.position, action));
        let values: Vec<i32> = actions.iter().map(value).collect();
        let best = values.iter().max()?;
        let equals: Vec<&String> = actions
            .iter()
            .zip(&values)
            .filter(|(_, value)| *value == best)
            .map(|it| it.0)
            .collect();
        equals.choose(rng).map(|action| Choice { action: (*action).clone(), eval: None })
    }

    fn any(&self, seat: Seat, rng: &mut ChaCha8Rng) -> Option<Choice<String>> {
        let action = self.position.sample(seat, rng).ok()??;
        Some(Choice { action, eval: None })
    }
}

/// The game's result if this action ends it.
fn result_after(position: &dyn AnyPosition, action: &str) -> Option<GameResult> {
    let mut after = position.boxed();
    after.play(Step::Move(action), &mut Vec::new()).ok()?;
    match after.turn() {
        Turn::Over(outcome) => Some(outcome.result),
        _ => None,
    }
}

impl Engine for AnyEngine {
    fn position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    fn follow(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        self.position.play(step, &mut Vec::new())
    }

    fn choose(
        &mut self,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<String>> {
        match self.kind {
            BotKind::Random => self.any(seat, rng),
            BotKind::Greedy => self.one_of_the_best(seat, rng, |result| match result {
                Some(GameResult::Win(winner)) if winner == seat => 1,
                Some(GameResult::Win(_)) => -1,
                Some(GameResult::Draw) | None => 0,
            }),
            BotKind::Steady => {
                self.one_of_the_best(seat, rng, |result| -i32::from(result.is_some()))
            }
            BotKind::Search(limit) => playouts::choose(&*self.position, seat, (limit, time), rng),
        }
    }
}
