//! A built-in player in its seat: it follows the game through the events and answers requests.

use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::engine::Engine;
use super::message::{Happened, Init, InitClock, Reply, TurnRequest};
use super::players::engine;
use super::{Allotment, BotKind};
use referee_games::{AnyGame, BySeat, GameError, Options, Seat, SharedGame, Step, StepText, Turn};

/// A built-in player during a game.
pub(super) struct Seated {
    game: SharedGame,
    engine: Box<dyn Engine>,
    /// The actions of a simultaneous turn received so far, while one is still missing.
    held: BySeat<Option<String>>,
    seat: Seat,
    clock: InitClock,
    rng: ChaCha8Rng,
}

impl Seated {
    /// Takes a seat at the start of the game that `init` describes.
    pub(super) fn new(game: SharedGame, kind: BotKind, init: &Init) -> Result<Self, String> {
        let seat = seat_called(&*game, &init.you)?;
        let given: Vec<_> =
            init.options.iter().map(|(name, value)| (name.as_str(), value.to_string())).collect();
        let given = given.iter().map(|(name, value)| (*name, value.as_str()));
        let options = Options::resolve(game.options(), given);
        let options = options.map_err(|error| error.to_string())?;
        Ok(Self {
            engine: engine(&*game, kind, &options).map_err(|error| error.to_string())?,
            game,
            held: BySeat::default(),
            seat,
            clock: init.clock,
            rng: ChaCha8Rng::seed_from_u64(init.seed),
        })
    }

    /// Follows the events of the request and chooses an action.
    pub(super) fn reply(&mut self, request: &TurnRequest) -> Result<Reply, String> {
        for event in &request.events {
            self.follow(event)?;
        }
        let time = self.allotment(request.clock.left_ms);
        let choice = self.engine.choose(self.seat, time, &mut self.rng).ok_or_else(|| {
            format!("{} is asked and has no action", self.game.seats()[self.seat])
        })?;
        Ok(Reply {
            id: request.id,
            action: choice.action,
            eval: choice.eval.map(|eval| (eval * 1000.0).round() / 1000.0),
        })
    }

    /// Plays the action or chance outcome of an event. Its consequences follow from the rules.
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
        let seat = seat_called(&*self.game, by)?;
        let turn = self.engine.position().turn();
        let answers = match &turn {
            Turn::Pass(mover) => *mover == seat,
            turn => turn.asks(seat) && self.held[seat].is_none(),
        };
        if !answers {
            return Err(format!("`{action}` by {by} does not answer {turn:?}"));
        }
        let breaks = |error: GameError| format!("the event `{action}` by {by} breaks {error}");
        let action = self.engine.position().judge(seat, action).map_err(breaks)?;
        match turn {
            Turn::Both => self.hold(seat, action),
            Turn::Pass(_) => self.play(Step::Pass),
            _ => self.play(Step::Move(&action)),
        }
    }

    /// Plays the chance outcome with this `text`.
    fn follow_chance(&mut self, text: &str) -> Result<(), String> {
        let Turn::Chance(_) = self.engine.position().turn() else {
            return Err(format!("the event `{text}` comes where nothing is drawn"));
        };
        let impossible = |_| format!("the event `{text}` cannot be drawn");
        self.engine.follow(Step::Chance(text)).map_err(impossible)
    }

    /// Keeps an action of a simultaneous turn, and plays both when the other one arrives.
    fn hold(&mut self, seat: Seat, action: String) -> Result<(), String> {
        self.held[seat] = Some(action);
        let BySeat { first: Some(first), second: Some(second) } = &self.held else {
            return Ok(());
        };
        let both = Step::Both(BySeat::new(first.clone(), second.clone()));
        self.held = BySeat::default();
        self.play(both.as_text())
    }

    fn play(&mut self, step: StepText<'_>) -> Result<(), String> {
        self.engine.follow(step).map_err(|error| error.to_string())
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

fn seat_called(game: &dyn AnyGame, name: &str) -> Result<Seat, String> {
    let none = || format!("{} has no seat `{name}`", game.name());
    game.seats().seat(name).ok_or_else(none)
}
