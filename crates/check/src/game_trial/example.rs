//! A random game as an example of what the page and the terminal show.

use referee_games::SeatMap;
use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::walk::TrialWalk;
use crate::Beginning;
use referee_games::{BySeat, Event, GameError, Position, Seat, Turn};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;

/// A random game.
#[derive(Debug)]
pub struct ExampleGame {
    /// The whole game.
    pub record: GameRecord,
    /// A position in its middle.
    pub middle: Position,
    /// The events that led to that position.
    pub events: Vec<Event>,
}

impl ExampleGame {
    /// Plays a game.
    ///
    /// # Errors
    /// The game failed.
    pub fn play(rules: &GameRules, seed: u64) -> Result<Self, GameError> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut walk = TrialWalk::new(&rules.start);
        while walk.random_step(&mut rng)? {}
        let mut beginning = Beginning::default();
        walk.steps.iter().for_each(|step| beginning.push(&step.as_text()));
        let seats = rules.seats();
        let names = match seats.len() {
            2 => BySeat::from(["one", "other"]).map(str::to_owned),
            count => BySeat::from_fn(count, |seat| format!("player {}", seat.index() + 1)),
        };
        let end = (Seat::FIRST, Duration::ZERO, None);
        let mut record =
            beginning.record(seats.clone(), &names, BySeat::default_for(seats.len()), 1, end);
        record.actions = std::mem::take(&mut record.opening);
        if let Turn::Over(outcome) = walk.position.turn() {
            outcome.places.result(&seats).unwrap_or_default().clone_into(&mut record.result);
            record.reason = outcome.reason.to_string();
            record.places = (seats.len() > 2)
                .then(|| SeatMap::new(seats.clone(), outcome.places.counted_from_one()));
        }
        let mut middle = TrialWalk::new(&rules.start);
        for (number, step) in walk.steps.iter().enumerate() {
            // Dice are drawn once they are rolled.
            if number >= walk.steps.len() / 2 && !matches!(middle.position.turn(), Turn::Chance(_))
            {
                break;
            }
            middle.play(step.clone())?;
        }
        Ok(Self { record, middle: middle.position, events: middle.events })
    }
}
