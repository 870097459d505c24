//! A player that looks ahead in any game: it plays games to their end at random, and more of
//! those whose first action does well (UCB1).

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::meter::{Limit, Meter};
use super::{Allotment, Bot, Choice};
use referee_games::{BySeat, Game, Seat, Step, StepOf, Turn};

/// The most actions that are compared.
const CANDIDATES: usize = 128;
/// How much an action is worth a look for having had few.
const CURIOSITY: f64 = 1.0;

/// Plays games to their end at random.
pub(super) struct Playouts {
    limit: Limit,
}

/// An action and how the games went that began with it.
struct Candidate<A> {
    action: A,
    games: f64,
    points: f64,
}

impl<A> Candidate<A> {
    fn share(&self) -> f64 {
        self.points / self.games.max(1.0)
    }

    /// How much the next game should begin with it, after so many games in all.
    fn claim(&self, games: f64) -> f64 {
        if self.games == 0.0 {
            return f64::INFINITY;
        }
        self.share() + CURIOSITY * (games.ln() / self.games).sqrt()
    }
}

impl Playouts {
    pub(super) fn new(limit: Limit) -> Self {
        Self { limit }
    }
}

impl<G: Game> Bot<G> for Playouts {
    fn choose(
        &mut self,
        position: &G,
        seat: Seat,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>> {
        let mut meter = Meter::new(self.limit, time);
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
}

/// The legal actions, or as many drawn from them where they are very many.
fn candidates<G: Game>(
    position: &G,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> Vec<Candidate<G::Action>> {
    let mut actions = if position.legal_count(seat) <= CANDIDATES as u64 {
        position.legal_actions(seat)
    } else {
        (0..CANDIDATES).filter_map(|_| position.random_action(seat, rng)).collect()
    };
    actions.sort_unstable();
    actions.dedup();
    actions.into_iter().map(|action| Candidate { action, games: 0.0, points: 0.0 }).collect()
}

/// What `seat` scores in a random game that begins with `action`; `None` when the meter stops it.
fn playout<G: Game>(
    position: &G,
    seat: Seat,
    action: &G::Action,
    meter: &mut Meter,
    rng: &mut ChaCha8Rng,
) -> Option<f64> {
    let mut game = position.clone();
    let mut forced = Some(action.clone());
    loop {
        meter.tick()?;
        let step = match game.turn() {
            Turn::Over(outcome) => return Some(outcome.result.score(seat)),
            turn => step(&game, turn, seat, &mut forced, rng)?,
        };
        game.play_silently(step);
    }
}

/// A random step, in which `seat` plays what is forced if anything is.
fn step<G: Game>(
    game: &G,
    turn: Turn<G::Chance>,
    seat: Seat,
    forced: &mut Option<G::Action>,
    rng: &mut ChaCha8Rng,
) -> Option<StepOf<G>> {
    let mut action = |mover: Seat| match forced.take_if(|_| mover == seat) {
        Some(action) => Some(action),
        None => game.random_action(mover, rng),
    };
    Some(match turn {
        Turn::Move(mover) => Step::Move(action(mover)?),
        Turn::Both => Step::Both(BySeat::new(action(Seat::First)?, action(Seat::Second)?)),
        Turn::Pass(_) => Step::Move(G::pass()),
        Turn::Chance(_, outcomes) => {
            Step::Chance(outcomes.choose_weighted(rng, |outcome| outcome.1).ok()?.0.clone())
        }
        Turn::Over(_) => return None,
    })
}
