//! The greedy player, which looks one action ahead.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Allotment, Bot, BotGame, Choice};
use referee_games::two_player::{GameResult, Side, Step, Turn};

/// Plays the action that leads to the best static evaluation. Ties are broken at random.
pub(super) struct GreedyBot;

/// The value of a won game, greater than any lead.
const WON: i32 = 1_000_000;

impl<G: BotGame> Bot<G> for GreedyBot {
    fn choose(
        &mut self,
        position: &G,
        seat: Side,
        _time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        choose_greedy_action(position, seat, rng, |after| greedy_value(after, seat))
    }
}

/// Chooses the action of `seat` with the highest value. Ties are broken at random.
pub(super) fn choose_greedy_action<G: BotGame, V: Ord>(
    position: &G,
    seat: Side,
    rng: &mut ChaCha8Rng,
    worth: impl Fn(&G) -> V,
) -> Option<Choice<G::Action>> {
    let value = |action: &G::Action| {
        let mut after = position.clone();
        after.play_silently(Step::Move(action.clone()));
        worth(&after)
    };
    choose_greediest(position.legal_actions(seat), value, rng)
}

/// Chooses one of the actions with the highest value, all with the same probability.
pub(super) fn choose_greediest<A, V: Ord>(
    mut actions: Vec<A>,
    value: impl Fn(&A) -> V,
    rng: &mut ChaCha8Rng,
) -> Option<Choice<A>> {
    let values: Vec<V> = actions.iter().map(value).collect();
    let best = values.iter().max()?;
    let equals: Vec<usize> = (0..actions.len()).filter(|&at| values[at] == *best).collect();
    let action = actions.swap_remove(*equals.choose(rng)?);
    Some(Choice { action, eval: None })
}

/// The value of a position to `seat`.
fn greedy_value<G: BotGame>(position: &G, seat: Side) -> i32 {
    match position.turn() {
        Turn::Over(outcome) => match outcome.result {
            GameResult::Win(winner) if winner == seat => WON,
            GameResult::Win(_) => -WON,
            GameResult::Draw => 0,
        },
        _ => position.lead(seat),
    }
}
