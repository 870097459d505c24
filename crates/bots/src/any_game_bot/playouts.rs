//! The value of a position: how the game ended, the game's own estimate, or the result of a random
//! game from there.

use rand_chacha::ChaCha8Rng;

use crate::Choice;
use crate::meter::Meter;
use referee_games::{
    AnyPosition, BySeat, Places, Position, Seat, Step, TextStep, Turn, draw_outcome,
};

/// The score of each seat, from 0 to 1: how the game ended, or the game's own estimate.
pub(super) fn scores_without_playout(position: &dyn AnyPosition) -> Option<BySeat<f64>> {
    if let Turn::Over(outcome) = position.turn() {
        return Some(playout_scores(outcome.places));
    }
    let scores = position.values()?.map(|value| f64::midpoint(value, 1.0));
    Some(match scores.values() {
        // Two seats share one point, even if the game's estimates say otherwise.
        [first, _] => [*first, 1.0 - first].into(),
        _ => scores,
    })
}

fn playout_scores(places: Places) -> BySeat<f64> {
    BySeat::from_fn(places.seats(), |seat| places.score(seat))
}

/// The score of each seat in a random game from `position` on; `None` if the meter runs out.
pub(super) fn playout(
    mut position: Position,
    meter: &mut Meter,
    rng: &mut ChaCha8Rng,
) -> Option<BySeat<f64>> {
    let mut events = Vec::new();
    loop {
        let step = match position.turn() {
            Turn::Over(outcome) => return Some(playout_scores(outcome.places)),
            Turn::Pass(_) => Step::Pass,
            Turn::Move(seat) => Step::Move(position.sample(seat, rng).ok()??),
            Turn::Together(seats) => Step::Together(
                seats.iter().map(|seat| position.sample(seat, rng).ok()?).collect::<Option<_>>()?,
            ),
            Turn::Chance(_) => draw_playout_chance(&*position, rng)?,
        };
        meter.tick()?;
        events.clear();
        position.play(step.as_text(), &mut events).ok()?;
    }
}

/// Draws an outcome of chance.
pub(super) fn draw_playout_chance(
    position: &dyn AnyPosition,
    rng: &mut ChaCha8Rng,
) -> Option<TextStep> {
    draw_outcome(&position.outcomes(), rng).cloned().map(Step::Chance)
}

/// Any action of `seat`.
pub(super) fn draw_playout_action(
    position: &dyn AnyPosition,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let action = position.sample(seat, rng).ok()??;
    Some(Choice { action, eval: None })
}
