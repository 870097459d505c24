//! The value of a position: how the game ended, the game's own estimate, or the result of a random
//! game from there.

use rand_chacha::ChaCha8Rng;

use crate::Choice;
use crate::meter::Meter;
use referee_games::{AnyPosition, BySeat, Position, Seat, Step, TextStep, Turn, draw_outcome};

/// The score of the first seat, from 0 to 1: how the game ended, or the game's own estimate.
pub(super) fn value_for_first(position: &dyn AnyPosition) -> Option<f64> {
    match position.turn() {
        Turn::Over(outcome) => Some(outcome.result.score(Seat::First)),
        _ => position.values().map(|values| f64::midpoint(values.first, 1.0)),
    }
}

/// The score of the first seat in a random game from `position` on; `None` if the meter runs out.
pub(super) fn playout(
    mut position: Position,
    meter: &mut Meter,
    rng: &mut ChaCha8Rng,
) -> Option<f64> {
    let mut events = Vec::new();
    loop {
        let step = match position.turn() {
            Turn::Over(outcome) => return Some(outcome.result.score(Seat::First)),
            Turn::Pass(_) => Step::Pass,
            Turn::Move(seat) => Step::Move(position.sample(seat, rng).ok()??),
            Turn::Both => {
                let first = position.sample(Seat::First, rng).ok()??;
                Step::Both(BySeat::new(first, position.sample(Seat::Second, rng).ok()??))
            }
            Turn::Chance(_) => draw(&*position, rng)?,
        };
        meter.tick()?;
        events.clear();
        position.play(step.as_text(), &mut events).ok()?;
    }
}

/// Draws an outcome of chance.
pub(super) fn draw(position: &dyn AnyPosition, rng: &mut ChaCha8Rng) -> Option<TextStep> {
    draw_outcome(&position.outcomes(), rng).cloned().map(Step::Chance)
}

/// Any action of `seat`.
pub(super) fn any_action(
    position: &dyn AnyPosition,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let action = position.sample(seat, rng).ok()??;
    Some(Choice { action, eval: None })
}
