//! The player that keeps a game going, so that others meet its later parts.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, Choice, Playable};
use crate::rules::{Seat, Step, Turn};

/// Plays an action after which the game is not over and both sides stand as evenly as can be at a
/// glance; chance breaks ties. Where both seats act at once it plays any action.
pub(super) struct Steady;

impl<G: Playable> Bot<G> for Steady {
    fn choose(
        &mut self,
        position: &G,
        seat: Seat,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        if position.turn() == Turn::Both {
            let action = position.random_action(seat, rng)?;
            return Some(Choice { action, eval: None });
        }
        let actions = position.legal_actions(seat);
        let values: Vec<_> =
            actions.iter().map(|action| unevenness_after(position, seat, action)).collect();
        let best = values.iter().min()?;
        let equals: Vec<_> =
            actions.iter().zip(&values).filter(|(_, value)| *value == best).collect();
        let (action, _) = equals.choose(rng)?;
        Some(Choice { action: (*action).clone(), eval: None })
    }
}

/// How far apart the sides stand after `action` of `seat`; the most when the game is over.
fn unevenness_after<G: Playable>(position: &G, seat: Seat, action: &G::Action) -> u32 {
    let mut after = position.clone();
    after.play_silently(Step::Move(action.clone()));
    match after.turn() {
        Turn::Over(_) => u32::MAX,
        _ => after.lead(seat).unsigned_abs(),
    }
}
