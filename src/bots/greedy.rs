//! The player that takes what it can get now.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, Choice, Playable};
use crate::rules::{GameResult, Seat, Step, Turn};

/// Plays an action after which it stands best at a glance; chance breaks ties.
pub(super) struct Greedy;

/// What a won game counts for: more than any lead.
const WON: i32 = 1_000_000;

impl<G: Playable> Bot<G> for Greedy {
    fn choose(
        &mut self,
        position: &G,
        seat: Seat,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        let actions = position.legal_actions(seat);
        let values: Vec<_> =
            actions.iter().map(|action| value_after(position, seat, action)).collect();
        let best = values.iter().max()?;
        let equals: Vec<_> =
            actions.iter().zip(&values).filter(|(_, value)| *value == best).collect();
        let (action, _) = equals.choose(rng)?;
        Some(Choice { action: (*action).clone(), eval: None })
    }
}

/// What the position after `action` of `seat` is worth to it.
fn value_after<G: Playable>(position: &G, seat: Seat, action: &G::Action) -> i32 {
    let mut after = position.clone();
    after.play_silently(Step::Move(action.clone()));
    match after.turn() {
        Turn::Over(outcome) => match outcome.result {
            GameResult::Win(winner) if winner == seat => WON,
            GameResult::Win(_) => -WON,
            GameResult::Draw => 0,
        },
        _ => after.lead(seat),
    }
}
