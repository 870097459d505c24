//! A game up to some step.

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use referee_games::{
    AnyPosition, Event, GameError, Position, Seat, Step, TextStep, Turn, draw_outcome,
};

/// The maximum number of steps to visit from one position.
const MOST_STEPS: usize = 64;

/// A game up to some step.
#[derive(Debug, Clone)]
pub(super) struct TrialWalk {
    /// The steps from the start, including the last one if it failed.
    pub(super) steps: Vec<TextStep>,
    /// The position after them.
    pub(super) position: Position,
    /// The events of the last step.
    pub(super) events: Vec<Event>,
    /// The number of legal actions at each decision, if they are listed.
    pub(super) choices: Vec<u32>,
}

impl TrialWalk {
    pub(super) fn new(start: &Position) -> Self {
        Self { steps: Vec::new(), position: start.clone(), events: Vec::new(), choices: Vec::new() }
    }

    pub(super) fn play(&mut self, step: TextStep) -> Result<(), GameError> {
        self.events.clear();
        let played = self.position.play(step.as_text(), &mut self.events);
        self.steps.push(step);
        played
    }

    /// Plays a random step; `false` if the game is over.
    pub(super) fn random_step(&mut self, rng: &mut ChaCha8Rng) -> Result<bool, GameError> {
        let Some(step) = random_walk_step(&*self.position, rng)? else { return Ok(false) };
        for seat in self.position.turn().asked().iter() {
            if self.position.legal_list(seat).is_some() {
                let count = self.position.legal_count(seat);
                self.choices.push(u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
        self.play(step)?;
        Ok(true)
    }
}

/// A random step that answers the turn; `None` if the game is over.
pub(super) fn random_walk_step(
    position: &dyn AnyPosition,
    rng: &mut ChaCha8Rng,
) -> Result<Option<TextStep>, GameError> {
    let mut action = |seat: Seat| -> Result<String, GameError> {
        Ok(position.sample(seat, rng)?.unwrap_or_default())
    };
    Ok(Some(match position.turn() {
        Turn::Move(seat) => Step::Move(action(seat)?),
        Turn::Together(seats) => {
            Step::Together(seats.iter().map(action).collect::<Result<_, _>>()?)
        }
        Turn::Pass(_) => Step::Pass,
        Turn::Chance(_) => {
            Step::Chance(draw_outcome(&position.outcomes(), rng).cloned().unwrap_or_default())
        }
        Turn::Over(_) => return Ok(None),
    }))
}

/// All steps that answer the turn; a random selection if there are many.
pub(super) fn list_walk_steps(position: &dyn AnyPosition, rng: &mut ChaCha8Rng) -> Vec<TextStep> {
    match position.turn() {
        Turn::Move(seat) => sample_walk_steps(position.legal_list(seat), rng, Step::Move),
        Turn::Chance(_) => {
            let possible = position.outcomes().into_iter().filter(|(_, weight)| *weight > 0);
            sample_walk_steps(Some(possible.map(|(text, _)| text).collect()), rng, Step::Chance)
        }
        Turn::Pass(_) => vec![Step::Pass],
        Turn::Together(_) => {
            let random = |_| random_walk_step(position, rng).ok().flatten();
            (0..MOST_STEPS / 4).filter_map(random).collect()
        }
        Turn::Over(_) => Vec::new(),
    }
}

fn sample_walk_steps(
    texts: Option<Vec<String>>,
    rng: &mut ChaCha8Rng,
    step: impl Fn(String) -> TextStep,
) -> Vec<TextStep> {
    let texts = texts.unwrap_or_default();
    if texts.len() <= MOST_STEPS {
        return texts.into_iter().map(step).collect();
    }
    texts.choose_multiple(rng, MOST_STEPS).cloned().map(step).collect()
}

#[cfg(test)]
mod tests;
