//! Turning points of a recorded game: plies at which a built-in player would have done better.

use std::fmt;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Replay, ReplayError};
use referee_bots::{Allotment, BotEngine, BotKind, Limit};
use referee_games::{BySeat, Seat, SeatSet, Step, StepText, Turn};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;

/// How much worse an action must be than that of the built-in player, from 0 to 2.
const LOSS: f64 = 0.25;
/// Outcomes of chance that are less probable than this are left out: two players can be forced to
/// pass for ever.
const RARE: f64 = 0.005;
/// The most turning points of each seat.
const MOST: usize = 3;

/// A ply at which a built-in player would have done better.
#[derive(Debug, Clone, PartialEq)]
pub struct TurningPoint {
    /// The number of the ply, from 1.
    pub ply: u32,
    /// The seat that acted.
    pub seat: Seat,
    /// What the built-in player would have played.
    pub better: String,
    /// How it values the game for `seat` after its own action, from −1 (lost) to 1 (won).
    pub instead: f64,
    /// How it values the game for `seat` after the recorded action.
    pub value: f64,
    /// The most positions that it visited per action.
    nodes: u64,
}

impl fmt::Display for TurningPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { better, nodes, .. } = self;
        // No −0.00.
        let [instead, value] =
            [self.instead, self.value].map(|it| (it * 100.0).round() / 100.0 + 0.0);
        write!(f, "search-{nodes} plays {better} here: {instead:+.2} instead of {value:+.2}")
    }
}

impl TurningPoint {
    /// The points of a game at which an action cost most in the eyes of `search-NODES`, at most
    /// three of each seat, in the order of the game. Each action that differs from its own is
    /// compared with it: both are played, and the game after them is valued in the same way, in the
    /// mean over the outcomes of chance.
    ///
    /// # Errors
    /// The record cannot be replayed.
    pub fn find_all(
        rules: &GameRules,
        record: &GameRecord,
        nodes: u64,
    ) -> Result<Vec<Self>, ReplayError> {
        let rules = rules.with_own_options(&record.options)?;
        let kind = BotKind::Search(Limit::Nodes(nodes));
        let mut engine = referee_bots::create_built_in_player(&*rules.game, kind, &rules.options)?;
        let mut house =
            TurningPointEngine { engine: &mut *engine, rng: ChaCha8Rng::seed_from_u64(1) };
        let mut replay = Replay::new(&rules.start, record)?;
        let mut points = Vec::new();
        loop {
            let asked = match replay.current_position().turn() {
                _ if replay.is_in_opening() => SeatSet::EMPTY,
                turn => turn.asked(),
            };
            let choices: Vec<(Seat, String)> =
                asked.iter().filter_map(|seat| Some((seat, house.choose(seat)?.0))).collect();
            let Some(played) = replay.next().transpose()? else { break };
            for (seat, better) in choices {
                let Some(step) = differing_step(&played.step, asked, (seat, &better)) else {
                    continue;
                };
                let values = (
                    house.value_after(step, (seat, 1.0)),
                    house.value_after(played.step.clone(), (seat, 1.0)),
                );
                let (Some(instead), Some(value)) = values else { continue };
                if instead - value >= LOSS {
                    let ply = replay.current_position().ply();
                    points.push(Self { ply, seat, better, instead, value, nodes });
                }
            }
            house.engine.follow(played.step)?;
        }
        let loss = |point: &Self| point.instead - point.value;
        points.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
        let mut left = BySeat::from_fn(record.players.len(), |_| MOST);
        points.retain(|point| {
            let is_shown = left[point.seat] > 0;
            left[point.seat] = left[point.seat].saturating_sub(1);
            is_shown
        });
        points.sort_by_key(|point| point.ply);
        Ok(points)
    }
}

/// The step in which `seat` acts differently; `None` if it acted in the same way.
fn differing_step<'a>(
    step: &StepText<'a>,
    asked: SeatSet,
    (seat, action): (Seat, &'a str),
) -> Option<StepText<'a>> {
    let differing = match step {
        Step::Move(_) => Step::Move(action),
        Step::Together(played) => Step::Together(
            asked
                .iter()
                .zip(played)
                .map(|(of, &text)| if of == seat { action } else { text })
                .collect(),
        ),
        Step::Pass | Step::Chance(_) => return None,
    };
    (differing != *step).then_some(differing)
}

/// The built-in player that looks at the game.
struct TurningPointEngine<'a> {
    engine: &'a mut dyn BotEngine,
    rng: ChaCha8Rng,
}

impl TurningPointEngine<'_> {
    /// What it would play, and how it values the game for `seat`.
    fn choose(&mut self, seat: Seat) -> Option<(String, f64)> {
        let choice = self.engine.choose(seat, Allotment::default(), &mut self.rng)?;
        Some((choice.action, choice.eval?))
    }

    /// The value for `seat` of the game after a step, which happens with this probability; `None` if
    /// it is not legal, or everything after it is too rare.
    fn value_after(&mut self, step: StepText<'_>, of: (Seat, f64)) -> Option<f64> {
        let mut value = None;
        let rng = &mut self.rng;
        let then = &mut |engine: &mut dyn BotEngine| {
            value = TurningPointEngine { engine, rng: rng.clone() }.value(of);
        };
        self.engine.branch(step, then).ok()?;
        value
    }

    /// The value of the game for `seat`.
    fn value(&mut self, (seat, probability): (Seat, f64)) -> Option<f64> {
        match self.engine.position().turn() {
            Turn::Over(outcome) => Some(2.0 * outcome.places.score(seat) - 1.0),
            Turn::Pass(_) => self.value_after(Step::Pass, (seat, probability)),
            Turn::Chance(_) => {
                let outcomes = self.engine.position().outcomes();
                let all: f64 = outcomes.iter().map(|(_, weight)| f64::from(*weight)).sum();
                let (mut sum, mut weights) = (0.0, 0.0);
                for (outcome, weight) in outcomes {
                    let weight = f64::from(weight);
                    let probability = probability * weight / all;
                    let value = (probability >= RARE)
                        .then(|| self.value_after(Step::Chance(&outcome), (seat, probability)));
                    if let Some(value) = value.flatten() {
                        sum += weight * value;
                        weights += weight;
                    }
                }
                (weights > 0.0).then(|| sum / weights)
            }
            Turn::Together(_) => Some(self.choose(seat)?.1),
            Turn::Move(mover) if mover == seat => Some(self.choose(seat)?.1),
            Turn::Move(mover) => Some(-self.choose(mover)?.1),
        }
    }
}
