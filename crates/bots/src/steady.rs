//! The steady player, which prolongs the game so that opponents reach its later phases.

use std::cmp::Reverse;

use rand_chacha::ChaCha8Rng;

use super::greedy::choose_greedy_action;
use super::{Allotment, Bot, BotGame, Choice};
use referee_games::two_player::{Side, Turn};

/// Plays the action that keeps the game going with the most even evaluation. Ties are broken at
/// random. If both seats act at once, it plays any action.
pub(super) struct SteadyBot;

impl<G: BotGame> Bot<G> for SteadyBot {
    fn choose(
        &mut self,
        position: &G,
        seat: Side,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        if position.turn() == Turn::Both {
            let action = position.random_action(seat, rng)?;
            return Some(Choice { action, eval: None });
        }
        choose_greedy_action(position, seat, rng, |after| Reverse(steady_penalty(after, seat)))
    }
}

/// The difference between the two sides; the maximum if the game is over.
fn steady_penalty<G: BotGame>(position: &G, seat: Side) -> u32 {
    match position.turn() {
        Turn::Over(_) => u32::MAX,
        _ => position.lead(seat).unsigned_abs(),
    }
}
