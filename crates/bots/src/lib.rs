//! The built-in players: opponents inside the binary that speak the same protocol as any other
//! player.
//!
//! A [`BotSession`] keeps its own position and turns received lines into replies; a [`Bot`] chooses
//! the actions. Bots are players, not the referee, so they may read the clock and draw random
//! numbers from the player's seed.
//!
//! ```
//! use referee_bots::{BotSession, Reaction, parse_bot_name};
//! use referee_games::{GameKind, Options, Seat};
//! use referee_protocol::{Greeting, InitClock, InitMessage, Message, Reply, TurnMessage};
//!
//! let game = GameKind::WatchYourBack.game();
//! let position = game.start(&Options::resolve(game.options(), [])?)?;
//! let mut session = BotSession::new(parse_bot_name("greedy")?);
//! let mut line = Vec::new();
//! let mut send = |message: Message<'_>| {
//!     message.write(&mut line);
//!     match session.respond(std::str::from_utf8(&line).expect("JSON is UTF-8")) {
//!         Ok(Reaction::Reply(reply)) => reply,
//!         other => panic!("no reply: {other:?}"),
//!     }
//! };
//!
//! // The session takes a seat …
//! let seats = game.seats();
//! let greeting = send(Message::Init(InitMessage {
//!     id: 0,
//!     protocol: (&[1]).into(),
//!     game: game.name().into(),
//!     options: Options::default().to_json(),
//!     you: seats[Seat::FIRST].clone(),
//!     seats: seats.into_iter().collect(),
//!     clock: InitClock { startup_ms: 1_000, ..InitClock::default() },
//!     seed: 7,
//!     state: position.state(),
//!     opening: (&[]).into(),
//! }));
//! assert_eq!(Greeting::read(greeting.as_bytes(), 0)?.name.as_deref(), Some("greedy"));
//!
//! // … and chooses an action.
//! let reply = send(Message::Turn(TurnMessage { id: 1, ..TurnMessage::default() }));
//! let action = Reply::read(reply.as_bytes(), 1)?.action;
//! assert!(position.judge(Seat::FIRST, &action).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allotment;
mod any_game_bot;
mod back_to_the_wall;
mod backdraughts;
mod bot_engine;
mod bot_session;
mod built_in_players;
mod error;
mod greedy;
mod iterative_deepening;
mod meter;
mod random;
mod seated_bot;
mod serve_bot;
mod steady;
mod watch_your_back;

use std::fmt;

use rand_chacha::ChaCha8Rng;

pub use allotment::Allotment;
pub use bot_engine::BotEngine;
pub use bot_session::{BotSession, Reaction};
pub use built_in_players::create_built_in_player;
pub(crate) use error::{SessionError, UnknownBot};
pub use meter::Limit;
pub use serve_bot::{serve_bot, serve_bot_failure};

use referee_games::Game;
use referee_games::two_player::Side;

/// The names of the built-in players. `search-N`, for example `search-2000`, is `search` with at
/// most N nodes per move instead of a time limit.
pub const NAMES: &[&str] = &["random", "greedy", "steady", "search"];

/// The ladder: players of increasing strength, weakest first. Their names never change.
pub const LADDER: &[&str] =
    &["random", "greedy", "search-100", "search-1000", "search-10000", "search"];

/// A kind of built-in player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotKind {
    /// Plays any legal action, all with the same probability.
    Random,
    /// Plays the action that leads to the best static evaluation.
    Greedy,
    /// Keeps the game even and prolongs it. It is weak, but tests players in long games.
    Steady,
    /// Searches as far ahead as the limit allows.
    Search(Limit),
}

/// A bot's action and its evaluation of the position.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice<A> {
    /// The action.
    pub action: A,
    /// The evaluation from −1 (lost) to 1 (won), if the bot makes one.
    pub eval: Option<f64>,
}

/// A built-in player of the game `G`.
pub trait Bot<G: Game>: Send {
    /// Chooses an action for `seat`, which is to move in `position`; `None` only if there is no
    /// legal action.
    fn choose(
        &mut self,
        position: &G,
        seat: Side,
        time: Allotment,
        rng: &mut ChaCha8Rng,
    ) -> Option<Choice<G::Action>>;
}

/// A game with its own built-in players; [`create_built_in_player`] lists these games. The players
/// of every other game know only its rules.
pub trait BotGame: Game {
    /// Static evaluation: how far `seat` is ahead of the other seat, in the game's own unit. The
    /// absolute value is far less than a million. The game must not be over.
    fn lead(&self, seat: Side) -> i32;

    /// Creates the greedy player.
    fn greedy() -> Box<dyn Bot<Self>> {
        Box::new(greedy::GreedyBot)
    }

    /// Creates the searching player.
    fn search(limit: Limit) -> Box<dyn Bot<Self>>;
}

impl BotKind {
    /// Creates a player of this kind, for one game.
    pub fn create_bot<G: BotGame>(self) -> Box<dyn Bot<G>> {
        match self {
            Self::Random => Box::new(random::RandomBot),
            Self::Greedy => G::greedy(),
            Self::Steady => Box::new(steady::SteadyBot),
            Self::Search(limit) => G::search(limit),
        }
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Greedy => f.write_str("greedy"),
            Self::Steady => f.write_str("steady"),
            Self::Search(Limit::Time) => f.write_str("search"),
            Self::Search(Limit::Nodes(nodes)) => write!(f, "search-{nodes}"),
        }
    }
}

/// Returns the built-in player called `name`.
///
/// # Errors
/// The name is unknown. The error lists the known names.
pub fn parse_bot_name(name: &str) -> Result<BotKind, UnknownBot> {
    match name {
        "random" => Ok(BotKind::Random),
        "greedy" => Ok(BotKind::Greedy),
        "steady" => Ok(BotKind::Steady),
        "search" => Ok(BotKind::Search(Limit::Time)),
        _ => parse_search_bot_name(name)
            .map(Limit::Nodes)
            .map(BotKind::Search)
            .ok_or_else(|| UnknownBot(name.to_owned())),
    }
}

/// Parses the number in `search-<number>`.
fn parse_search_bot_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("search-")?;
    digits.starts_with(|first: char| matches!(first, '1'..='9')).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests;
