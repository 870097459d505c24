//! The player that takes what it can get now.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, Choice, Playable};
use referee_games::{GameResult, Seat, Step, Turn};

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
        one_of_the_best(position, seat, rng, |after| value(after, seat))
    }
}

/// An action of `seat` after which the position is worth the most; chance breaks ties.
pub(super) fn one_of_the_best<G: Playable, V: Ord>(
    position: &G,
    seat: Seat,
    rng: &mut ChaCha8Rng,
    worth: impl Fn(&G) -> V,
) -> Option<Choice<G::Action>> {
    let mut actions = position.legal_actions(seat);
    let value = |action: &G::Action| {
        let mut after = position.clone();
        after.play_silently(Step::Move(action.clone()));
        worth(&after)
    };
    let values: Vec<V> = actions.iter().map(value).collect();
    let best = values.iter().max()?;
    let equals: Vec<usize> = (0..actions.len()).filter(|&at| values[at] == *best).collect();
    let action = actions.swap_remove(*equals.choose(rng)?);
    Some(Choice { action, eval: None })
}

/// What a position is worth to `seat`.
fn value<G: Playable>(position: &G, seat: Seat) -> i32 {
    match position.turn() {
        Turn::Over(outcome) => match outcome.result {
            GameResult::Win(winner) if winner == seat => WON,
            GameResult::Win(_) => -WON,
            GameResult::Draw => 0,
        },
        _ => position.lead(seat),
    }
}
