//! Look-ahead for any game: random playouts to the end of the game, more of them for first actions
//! that do well (UCB1).

use rand::RngCore;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::meter::Meter;
use crate::{Allotment, Choice, Limit};
use referee_games::{AnyPosition, BySeat, Legal, Seat, Step, TextStep, Turn};

/// The maximum number of actions to compare.
const CANDIDATES: usize = 128;
/// The exploration constant: the weight of actions with few playouts.
const CURIOSITY: f64 = 1.0;

/// An action and the results of the playouts that began with it.
struct Arm {
    action: String,
    games: f64,
    points: f64,
}

impl Arm {
    fn share(&self) -> f64 {
        self.points / self.games.max(1.0)
    }

    /// The UCB1 value after `games` playouts in all; the next playout begins with the highest.
    fn claim(&self, games: f64) -> f64 {
        if self.games == 0.0 {
            return f64::INFINITY;
        }
        self.share() + CURIOSITY * (games.ln() / self.games).sqrt()
    }
}

/// Chooses the action of `seat` with the most playouts.
pub(super) fn choose(
    position: &dyn AnyPosition,
    seat: Seat,
    (limit, time): (Limit, Allotment),
    rng: &mut ChaCha8Rng,
) -> Option<Choice<String>> {
    let mut meter = Meter::new(limit, time);
    let mut candidates = candidates(position, seat, rng);
    let mut games = 0.0;
    while candidates.len() > 1 && meter.may_begin_another() {
        let next = candidates
            .iter_mut()
            .max_by(|one, other| one.claim(games).total_cmp(&other.claim(games)))?;
        let Some(points) = playout(position, seat, &next.action, &mut meter, rng) else {
            break;
        };
        next.games += 1.0;
        next.points += points;
        games += 1.0;
    }
    let best = candidates.into_iter().max_by(|one, other| {
        (one.games, one.share())
            .partial_cmp(&(other.games, other.share()))
            .unwrap_or(std::cmp::Ordering::Equal)
    })?;
    let eval = (best.games > 0.0).then(|| 2.0 * best.share() - 1.0);
    Some(Choice { action: best.action, eval })
}

/// The legal actions; if there are more than [`CANDIDATES`] or the game does not list them, a
/// random sample.
fn candidates(position: &dyn AnyPosition, seat: Seat, rng: &mut ChaCha8Rng) -> Vec<Arm> {
    let mut actions = match position.legal(seat) {
        Legal::List(actions) if actions.len() <= CANDIDATES => actions,
        _ => (0..CANDIDATES).filter_map(|_| position.sample(seat, rng).ok()?).collect(),
    };
    actions.sort_unstable();
    actions.dedup();
    actions.into_iter().map(|action| Arm { action, games: 0.0, points: 0.0 }).collect()
}

/// The score of `seat` in a random playout that begins with `action`; `None` if the meter runs out.
fn playout(
    position: &dyn AnyPosition,
    seat: Seat,
    action: &str,
    meter: &mut Meter,
    rng: &mut ChaCha8Rng,
) -> Option<f64> {
    let mut game = position.boxed();
    let mut forced = Some(action);
    let mut events = Vec::new();
    loop {
        meter.tick()?;
        let step = match game.turn() {
            Turn::Over(outcome) => return Some(outcome.result.score(seat)),
            turn => random_step(&*game, &turn, (seat, &mut forced), rng)?,
        };
        events.clear();
        game.play(step.as_text(), &mut events).ok()?;
    }
}

/// A random step. If `forced` holds an action, `seat` plays that one and empties it.
fn random_step<R>(
    game: &dyn AnyPosition,
    turn: &Turn<R>,
    (seat, forced): (Seat, &mut Option<&str>),
    rng: &mut ChaCha8Rng,
) -> Option<TextStep> {
    let mut action = |mover: Seat, rng: &mut dyn RngCore| match forced.take_if(|_| mover == seat) {
        Some(action) => Some(action.to_owned()),
        None => game.sample(mover, rng).ok()?,
    };
    Some(match turn {
        Turn::Move(mover) => Step::Move(action(*mover, rng)?),
        Turn::Both => {
            let first = action(Seat::First, rng)?;
            Step::Both(BySeat::new(first, action(Seat::Second, rng)?))
        }
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => {
            let outcomes = game.outcomes();
            Step::Chance(outcomes.choose_weighted(rng, |outcome| outcome.1).ok()?.0.clone())
        }
        Turn::Over(_) => return None,
    })
}
