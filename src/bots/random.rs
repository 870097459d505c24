//! The player that plays any legal action.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, Choice};
use crate::rules::{Game, Seat};

/// Plays each legal action with the same probability.
pub(super) struct Random;

impl<G: Game> Bot<G> for Random {
    fn choose(
        &mut self,
        position: &G,
        seat: Seat,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        let action = position.legal_actions(seat).choose(rng)?.clone();
        Some(Choice { action, eval: None })
    }
}
