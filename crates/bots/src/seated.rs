//! A bot in a seat: it follows the game by the events and answers for its seat.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::message::{Happened, Init, InitClock, Reply, TurnRequest};
use super::{Allotment, Bot, Kind, Playable};
use referee_games::{BySeat, Options, Seat, Step, Turn};

/// A player in the middle of a game, whichever game it is.
pub(super) trait Player: Send {
    /// Takes in what happened and chooses an action.
    fn reply(&mut self, request: &TurnRequest) -> Result<Reply, String>;
}

/// A bot in a seat of the game `G`.
pub(super) struct Seated<G: Playable> {
    position: G,
    /// The actions of a simultaneous turn, of which not all were told yet.
    held: BySeat<Option<G::Action>>,
    seat: Seat,
    clock: InitClock,
    bot: Box<dyn Bot<G>>,
    rng: ChaCha8Rng,
}

impl<G: Playable> Seated<G> {
    /// Sits down at the empty start of the game that `init` describes.
    pub(super) fn new(kind: Kind, init: &Init) -> Result<Self, String> {
        let seat = seat_called::<G>(&init.you)?;
        let given: Vec<_> =
            init.options.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
        let given = given.iter().map(|(name, value)| (*name, value.as_str()));
        let options = Options::resolve(G::OPTIONS, given).map_err(|bad| bad.message)?;
        let rules = G::rules(&options)?;
        Ok(Self {
            position: G::start(&rules.into()),
            held: BySeat::default(),
            seat,
            clock: init.clock,
            bot: kind.bot(),
            rng: ChaCha8Rng::seed_from_u64(init.seed),
        })
    }

    /// Plays what the event says; what follows from it the position knows by itself.
    fn follow(&mut self, event: &Happened) -> Result<(), String> {
        match event {
            Happened::Action { by, action } => self.follow_action(by, action),
            Happened::Roll { value } => self.follow_chance(&format!("roll {value}")),
            Happened::First { rolls: [one, other] } => {
                self.follow_chance(&format!("roll {one} {other}"))
            }
            Happened::Other => Ok(()),
        }
    }

    fn follow_action(&mut self, by: &str, action: &str) -> Result<(), String> {
        let seat = seat_called::<G>(by)?;
        let turn = self.position.turn();
        let answers = match &turn {
            Turn::Move(mover) | Turn::Pass(mover) => *mover == seat,
            Turn::Both => self.held[seat].is_none(),
            Turn::Chance(..) | Turn::Over(_) => false,
        };
        if !answers {
            return Err(format!("`{action}` by {by} does not answer {turn:?}"));
        }
        let action = self
            .position
            .parse_action(seat, action)
            .map_err(|refusal| format!("the event `{action}` by {by} breaks {refusal}"))?;
        if turn == Turn::Both {
            self.hold(seat, action);
        } else {
            self.position.play_silently(Step::Move(action));
        }
        Ok(())
    }

    /// Plays the outcome of chance that is written `text`.
    fn follow_chance(&mut self, text: &str) -> Result<(), String> {
        let Turn::Chance(_, outcomes) = self.position.turn() else {
            return Err(format!("the event `{text}` comes where nothing is drawn"));
        };
        let drawn = outcomes.into_iter().find(|(outcome, _)| outcome.to_string() == text);
        let (outcome, _) = drawn.ok_or_else(|| format!("the event `{text}` cannot be drawn"))?;
        self.position.play_silently(Step::Chance(outcome));
        Ok(())
    }

    /// Keeps an action of a simultaneous turn until there are both.
    fn hold(&mut self, seat: Seat, action: G::Action) {
        self.held[seat] = Some(action);
        if let BySeat { first: Some(first), second: Some(second) } = self.held.clone() {
            self.held = BySeat::default();
            self.position.play_silently(Step::Both(BySeat::new(first, second)));
        }
    }

    fn allotment(&self, left_ms: Option<u64>) -> Allotment {
        Allotment {
            budget: self.clock.budget_ms.map(Duration::from_millis),
            left: left_ms.map(Duration::from_millis),
            increment: Duration::from_millis(self.clock.increment_ms.unwrap_or(0)),
            per_move: self.clock.move_ms.map(Duration::from_millis),
        }
    }
}

impl<G: Playable> Player for Seated<G> {
    fn reply(&mut self, request: &TurnRequest) -> Result<Reply, String> {
        for event in &request.events {
            self.follow(event)?;
        }
        let time = self.allotment(request.clock.left_ms);
        let choice = self
            .bot
            .choose(&self.position, self.seat, time, &mut self.rng)
            .ok_or_else(|| format!("{} is asked and has no action", G::SEATS[self.seat]))?;
        Ok(Reply {
            id: request.id,
            action: choice.action.to_string(),
            eval: choice.eval.map(|eval| (eval * 1000.0).round() / 1000.0),
        })
    }
}

fn seat_called<G: Playable>(name: &str) -> Result<Seat, String> {
    G::SEATS.seat(name).ok_or_else(|| format!("{} has no seat `{name}`", G::NAME))
}
