//! A house player of any game, which knows nothing of it but its rules.

mod playouts;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::engine::Engine;
use super::{Allotment, Choice, Kind};
use referee_games::{
    AnyPosition, GameError, GameResult, Legal, Position, Seat, Step, StepText, Turn,
};

/// A house player of any game: it plays at random, sees only the end of the game, or plays games
/// to their end at random to look ahead.
pub(super) struct AnyEngine {
    position: Position,
    kind: Kind,
}

impl AnyEngine {
    /// A player of this kind from this position on.
    pub(super) fn new(position: Position, kind: Kind) -> Self {
        Self { position, kind }
    }

    /// One of the actions after which the position is worth the most; any action if both seats
    /// act at once, or the game does not list them.
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

/// The result of the game, if this action ends it.
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
            Kind::Random => self.any(seat, rng),
            Kind::Greedy => self.one_of_the_best(seat, rng, |result| match result {
                Some(GameResult::Win(winner)) if winner == seat => 1,
                Some(GameResult::Win(_)) => -1,
                Some(GameResult::Draw) | None => 0,
            }),
            Kind::Steady => self.one_of_the_best(seat, rng, |result| -i32::from(result.is_some())),
            Kind::Search(limit) => playouts::choose(&*self.position, seat, (limit, time), rng),
        }
    }
}
