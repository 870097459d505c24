//! The random player.

use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, Choice};
use referee_games::Game;
use referee_games::two_player::Side;

/// Plays any legal action, all with the same probability.
pub(super) struct RandomBot;

impl<G: Game> Bot<G> for RandomBot {
    fn choose(
        &mut self,
        position: &G,
        seat: Side,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        position.random_action(seat, rng).map(|action| Choice { action, eval: None })
    }
}
