//! A built-in player in its seat, which answers requests. In a built-in game it follows the events.
//! In a game whose rules are a program, it receives the position, or guesses of it.

use std::time::Duration;

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::any_game_bot::choose_in_any_game;
use super::bot_engine::BotEngine;
use super::built_in_players::create_built_in_player;
use super::error::SessionError;
use super::{Allotment, BotKind, Choice};
use referee_games::{
    AnyGame, BySeat, Event, GameError, Options, PASS, Position, Seat, SeatSet, SharedGame, Step,
    StepError, Turn,
};
use referee_protocol::{InitClock, InitMessage, Reply, TurnMessage};

/// A built-in player during a game.
pub(super) struct SeatedBot {
    game: SharedGame,
    seat: Seat,
    clock: InitClock,
    rng: ChaCha8Rng,
    thinks: Thinks,
}

/// How a built-in player knows the position.
enum Thinks {
    /// It follows the events.
    Follower(SeatedFollower),
    /// It receives positions with each turn.
    Told(BotKind, Options),
}

impl SeatedBot {
    /// Takes a seat at the start of the game that `init` describes.
    pub(super) fn new(
        game: SharedGame,
        kind: BotKind,
        init: &InitMessage<'_>,
    ) -> Result<Self, SessionError> {
        let seat = find_bot_seat(&*game, &init.you)?;
        let options = Options::from_json(game.options(), &init.options).map_err(GameError::from)?;
        let thinks = if game.program().is_some() {
            Thinks::Told(kind, options)
        } else {
            let engine = create_built_in_player(&*game, kind, &options)?;
            Thinks::Follower(SeatedFollower {
                game: game.clone(),
                engine,
                held: BySeat::default_for(game.seats().len()),
            })
        };
        let rng = ChaCha8Rng::seed_from_u64(init.seed);
        Ok(Self { game, seat, clock: init.clock, rng, thinks })
    }

    /// Chooses an action.
    pub(super) fn reply(&mut self, request: &TurnMessage<'_>) -> Result<Reply, SessionError> {
        let time = self.allotment(request.clock.left_ms);
        let choice = match &mut self.thinks {
            Thinks::Follower(follower) => {
                for event in request.events.iter().flat_map(|events| events.iter()) {
                    follower.follow(event)?;
                }
                follower.engine.choose(self.seat, time, &mut self.rng)
            }
            Thinks::Told(kind, options) => {
                let positions = positions_for_seated_bot(&*self.game, options, request)?;
                let choice =
                    choose_in_any_game(*kind, &positions, (self.seat, time), &mut self.rng);
                choice.or_else(|| draw_listed_action(request, &mut self.rng))
            }
        };
        let choice =
            choice.ok_or_else(|| SessionError::NoAction(self.game.seats()[self.seat].clone()))?;
        Ok(Reply {
            action: choice.action,
            eval: choice.eval.map(|eval| (eval * 1000.0).round() / 1000.0),
            ..Reply::default()
        })
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

/// The positions that a request describes.
fn positions_for_seated_bot(
    game: &dyn AnyGame,
    options: &Options,
    request: &TurnMessage<'_>,
) -> Result<Vec<Position>, GameError> {
    let described = |guess| game.described(options, guess, request.ply).transpose();
    request.guesses.iter().filter_map(|guess| described(guess)).collect()
}

/// Any of the legal actions, if the request lists them.
fn draw_listed_action(request: &TurnMessage<'_>, rng: &mut ChaCha8Rng) -> Option<Choice<String>> {
    let actions: Vec<String> = serde_json::from_str(request.legal.as_ref()?.get()).ok()?;
    Some(Choice { action: actions.choose(rng)?.clone(), eval: None })
}

/// A player that follows the events of the game.
struct SeatedFollower {
    game: SharedGame,
    engine: Box<dyn BotEngine>,
    /// The actions of a simultaneous turn received so far, while one is still missing.
    held: BySeat<Option<String>>,
}

impl SeatedFollower {
    /// Plays the action or chance outcome of an event. Its consequences follow from the rules.
    fn follow(&mut self, event: &Event) -> Result<(), SessionError> {
        let (event, followed) = match event {
            Event::Action { by, action, .. } => {
                let seat = find_bot_seat(&*self.game, by)?;
                (format!("`{action}` by {by}"), self.play_action(seat, action))
            }
            Event::Roll { value, .. } => self.play_chance(&format!("roll {value}")),
            Event::First { rolls: [one, other] } => {
                self.play_chance(&format!("roll {one} {other}"))
            }
            _ => return Ok(()),
        };
        followed.map_err(|source| SessionError::Event { event, source: source.into() })
    }

    fn play_action(&mut self, seat: Seat, action: &str) -> Result<(), GameError> {
        match self.engine.position().turn() {
            Turn::Move(mover) if mover == seat => self.engine.follow(Step::Move(action)),
            Turn::Pass(mover) if mover == seat && action == PASS => self.engine.follow(Step::Pass),
            Turn::Together(asked) if asked.contains(seat) && self.held[seat].is_none() => {
                self.held[seat] = Some(action.to_owned());
                self.play_held(asked)
            }
            turn => Err(StepError::NotAsked { turn }.into()),
        }
    }

    fn play_chance(&mut self, outcome: &str) -> (String, Result<(), GameError>) {
        (format!("`{outcome}`"), self.engine.follow(Step::Chance(outcome)))
    }

    /// Plays the actions of a simultaneous turn when the last one has arrived.
    fn play_held(&mut self, asked: SeatSet) -> Result<(), GameError> {
        let actions = asked.iter().map(|seat| self.held[seat].as_deref());
        let Some(actions) = actions.collect::<Option<Vec<&str>>>() else { return Ok(()) };
        let followed = self.engine.follow(Step::Together(actions));
        self.held = BySeat::default_for(self.held.len());
        followed
    }
}

fn find_bot_seat(game: &dyn AnyGame, name: &str) -> Result<Seat, SessionError> {
    game.seats().seat(name).ok_or_else(|| SessionError::UnknownSeat {
        game: game.name().to_owned(),
        seat: name.to_owned(),
    })
}
