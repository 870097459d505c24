//! A player of any game with two seats in turn that uses the referee's own rules for look-ahead.
//!
//! ```sh
//! cargo build --release --example lookahead
//! referee check target/release/examples/lookahead --game backdraughts
//! ```
//!
//! It tries each of its legal actions and counts how many answers that leaves the opponent; it
//! plays the action that wins at once, or else leaves the fewest.

use std::error::Error;
use std::io::{self, BufRead, Write};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::{BySeat, GameKind, Legal, Options, Position, Seat, Step, StepText, Turn};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut player: Option<Player> = None;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let reply = match message["type"].as_str() {
            Some("init") => {
                player = Some(Player::new(&message)?);
                "{\"want\":[\"events\"]}".to_owned()
            }
            Some("turn") => player.as_mut().ok_or("no game")?.decide(&message)?,
            Some("quit") => break,
            _ => continue,
        };
        writeln!(io::stdout(), "{reply}")?;
    }
    Ok(())
}

/// A player during a game.
struct Player {
    position: Position,
    you: Seat,
    /// The actions of a simultaneous turn, until both were told.
    held: BySeat<Option<String>>,
    rng: ChaCha8Rng,
}

impl Player {
    /// Starts the game that `init` names, with its options.
    fn new(init: &Value) -> Result<Self, Box<dyn Error>> {
        let game = init["game"].as_str().and_then(GameKind::named).ok_or("an unknown game")?;
        let game = game.game();
        let you = init["you"].as_str().and_then(|name| game.seats().seat(name)).ok_or("no seat")?;
        let given: Vec<(String, String)> = init["options"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or(value.to_string(), str::to_owned))
            })
            .collect();
        let given = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let options = Options::resolve(game.options(), given)?;
        let rng = ChaCha8Rng::seed_from_u64(init["seed"].as_u64().unwrap_or_default());
        Ok(Self { position: game.start(&options)?, you, held: BySeat::default_for(2), rng })
    }

    /// Follows actions and rolls. The rest follows from the rules.
    fn follow(&mut self, event: &Value) -> Result<(), Box<dyn Error>> {
        match event["event"].as_str() {
            Some("action") => {
                let by = event["by"].as_str().and_then(|name| self.position.seats().seat(name));
                let text = event["action"].as_str().ok_or("no text")?;
                self.act(by.ok_or("an action of nobody")?, text)
            }
            Some("roll") => self.play(Step::Chance(&format!("roll {}", event["value"]))),
            Some("first") => {
                let [one, other] = [&event["rolls"][0], &event["rolls"][1]];
                self.play(Step::Chance(&format!("roll {one} {other}")))
            }
            _ => Ok(()),
        }
    }

    fn act(&mut self, by: Seat, text: &str) -> Result<(), Box<dyn Error>> {
        match self.position.turn() {
            Turn::Together(_) => {
                self.held[by] = Some(text.to_owned());
                let [Some(first), Some(second)] = self.held.values() else { return Ok(()) };
                let both = [first.clone(), second.clone()];
                self.held = BySeat::default_for(2);
                self.play(Step::Together(both.iter().map(String::as_str).collect()))
            }
            Turn::Pass(_) => self.play(Step::Pass),
            _ => self.play(Step::Move(text)),
        }
    }

    fn play(&mut self, step: StepText<'_>) -> Result<(), Box<dyn Error>> {
        Ok(self.position.play(step, &mut Vec::new())?)
    }

    /// The badness of the position after `action`: the number of the opponent's answers.
    fn answers_after(&self, action: &str) -> u64 {
        let mut after = self.position.clone();
        if after.play(Step::Move(action), &mut Vec::new()).is_err() {
            return u64::MAX;
        }
        match after.turn() {
            Turn::Over(outcome) if outcome.places.winner() == Some(self.you) => 0,
            Turn::Over(_) => u64::MAX,
            _ => 1 + self.held.others(self.you).map(|seat| after.legal_count(seat)).sum::<u64>(),
        }
    }

    /// Chooses the action for a turn.
    fn decide(&mut self, turn: &Value) -> Result<String, Box<dyn Error>> {
        for event in turn["events"].as_array().into_iter().flatten() {
            self.follow(event)?;
        }
        let best = match (self.position.turn(), self.position.legal(self.you)) {
            (Turn::Move(_), Legal::List(actions)) => {
                actions.into_iter().min_by_key(|action| self.answers_after(action))
            }
            // Looking ahead also needs the other seat's action; any of its legal ones is good
            // enough here.
            _ => self.position.sample(self.you, &mut self.rng)?,
        };
        Ok(best.ok_or("nothing to do")?)
    }
}
