//! A player of any game with two seats in turn that uses the referee's own rules for look-ahead.
//!
//! ```sh
//! cargo build --release --example lookahead
//! referee check target/release/examples/lookahead --game backdraughts
//! ```
//!
//! It tries each of its legal actions and counts how many answers that leaves the opponent; it
//! plays the action that wins at once, or else leaves the fewest.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use referee_games::with_game;
use referee_games::{BySeat, Game, GameKind, GameResult, Options, Seat, Step, Turn};
use serde_json::Value;

fn main() -> io::Result<()> {
    let mut player: Option<Box<dyn Decide>> = None;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let reply = match message["type"].as_str() {
            Some("init") => {
                player = Some(seat(&message).map_err(io::Error::other)?);
                "{\"want\":[\"events\"]}".to_owned()
            }
            Some("turn") => {
                let player = player.as_mut().ok_or_else(|| io::Error::other("no game"))?;
                player.decide(&message).map_err(io::Error::other)?
            }
            Some("quit") => break,
            _ => continue,
        };
        writeln!(io::stdout(), "{reply}")?;
    }
    Ok(())
}

/// A player of some game: takes a turn's message and gives its action.
trait Decide {
    fn decide(&mut self, turn: &Value) -> Result<String, String>;
}

/// Sits down at the game that `init` names, under its options.
fn seat(init: &Value) -> Result<Box<dyn Decide>, String> {
    let game = init["game"].as_str().and_then(GameKind::named).ok_or("an unknown game")?;
    Ok(with_game!(game, G => Box::new(Seated::<G>::new(init)?)))
}

struct Seated<G: Game> {
    position: G,
    you: Seat,
    /// The actions of a simultaneous turn, until both were told.
    held: BySeat<Option<G::Action>>,
    rng: ChaCha8Rng,
}

impl<G: Game> Seated<G> {
    fn new(init: &Value) -> Result<Self, String> {
        let you = init["you"].as_str().and_then(|name| G::SEATS.seat(name)).ok_or("no seat")?;
        let given: Vec<(String, String)> = init["options"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or(value.to_string(), str::to_owned))
            })
            .collect();
        let given = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let options = Options::resolve(G::OPTIONS, given).map_err(|bad| bad.message)?;
        let rules = Arc::new(G::rules(&options)?);
        let rng = ChaCha8Rng::seed_from_u64(init["seed"].as_u64().unwrap_or_default());
        Ok(Self { position: G::start(&rules), you, held: BySeat::default(), rng })
    }

    /// Follows what happened: actions and rolls; the rest the rules know.
    fn follow(&mut self, event: &Value) -> Result<(), String> {
        match event["event"].as_str() {
            Some("action") => {
                let by = event["by"].as_str().and_then(|name| G::SEATS.seat(name));
                let by = by.ok_or("an action of nobody")?;
                let text = event["action"].as_str().ok_or("no text")?;
                let parsed = self.position.parse_action(by, text);
                self.act(by, parsed.map_err(|refusal| refusal.to_string())?);
                Ok(())
            }
            Some("roll") => self.roll(&format!("roll {}", event["value"])),
            Some("first") => {
                self.roll(&format!("roll {} {}", event["rolls"][0], event["rolls"][1]))
            }
            _ => Ok(()),
        }
    }

    fn act(&mut self, by: Seat, action: G::Action) {
        if self.position.turn() != Turn::Both {
            self.position.play_silently(Step::Move(action));
            return;
        }
        self.held[by] = Some(action);
        if let BySeat { first: Some(first), second: Some(second) } = self.held.clone() {
            self.held = BySeat::default();
            self.position.play_silently(Step::Both(BySeat::new(first, second)));
        }
    }

    fn roll(&mut self, text: &str) -> Result<(), String> {
        let Turn::Chance(_, outcomes) = self.position.turn() else {
            return Err("a roll that is not due".to_owned());
        };
        let drawn = outcomes.into_iter().find(|(outcome, _)| outcome.to_string() == text);
        self.position.play_silently(Step::Chance(drawn.ok_or("an unknown roll")?.0));
        Ok(())
    }

    /// How bad the position after `action` is: what is left to the opponent.
    fn answers_after(&self, action: &G::Action) -> u64 {
        let mut after = self.position.clone();
        after.play_silently(Step::Move(action.clone()));
        match after.turn() {
            Turn::Over(outcome) if outcome.result == GameResult::Win(self.you) => 0,
            Turn::Over(_) => u64::MAX,
            _ => 1 + after.legal_count(!self.you),
        }
    }
}

impl<G: Game> Decide for Seated<G> {
    fn decide(&mut self, turn: &Value) -> Result<String, String> {
        for event in turn["events"].as_array().into_iter().flatten() {
            self.follow(event)?;
        }
        if self.position.turn() == Turn::Both {
            // Looking ahead needs the other seat's action too; any of its own will do here.
            let action = self.position.random_action(self.you, &mut self.rng);
            return action.map(|action| action.to_string()).ok_or("nothing to do".to_owned());
        }
        let actions = self.position.legal_actions(self.you);
        let best = actions.iter().min_by_key(|action| self.answers_after(action));
        best.map(ToString::to_string).ok_or("nothing to do".to_owned())
    }
}
