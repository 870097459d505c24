//! Errors of the built-in players.

use std::error::Error;
use std::fmt;

use super::NAMES;
use referee_games::{GameError, Text, Turn};

/// An unknown name of a built-in player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownBot(pub String);

impl fmt::Display for UnknownBot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = NAMES.iter().map(|name| format!("`{name}`")).collect();
        write!(
            f,
            "unknown built-in player `{}`; expected {} or `search-<positions per move>`, for \
             example `search-2000`",
            self.0,
            names.join(", ")
        )
    }
}

impl Error for UnknownBot {}

/// A violation of the protocol by the referee, or a game that this crate does not play.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionError {
    /// The line is not a message.
    NotAMessage(serde_json::Error),
    /// The referee and the player have no protocol version in common.
    Versions,
    /// The game is unknown.
    UnknownGame(String),
    /// The game has no such seat.
    UnknownSeat {
        /// The game.
        game: String,
        /// The name.
        seat: String,
    },
    /// The options are rejected, or an event cannot follow the earlier ones.
    Game(GameError),
    /// A turn came before any game had started.
    NotStarted,
    /// The player is asked for an action, but this seat has none.
    NoAction(Text),
    /// An action came out of turn.
    OutOfTurn {
        /// The action.
        action: String,
        /// The seat that played it.
        by: String,
        /// The turn of the position.
        turn: Turn<Text>,
    },
    /// The rules forbid an action.
    Forbidden {
        /// The action.
        action: String,
        /// The seat that played it.
        by: String,
        /// The clause and the reason.
        source: Box<GameError>,
    },
    /// This chance outcome came at a turn without chance.
    NothingDrawn(String),
    /// This chance outcome cannot be drawn.
    Impossible {
        /// The outcome.
        outcome: String,
        /// The reason.
        source: Box<GameError>,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAMessage(error) => write!(f, "cannot read the referee's line: {error}"),
            Self::Versions => f.write_str("the referee does not speak protocol 1"),
            Self::UnknownGame(name) => write!(f, "unknown game `{name}`"),
            Self::UnknownSeat { game, seat } => write!(f, "{game} has no seat `{seat}`"),
            Self::Game(error) => error.fmt(f),
            Self::NotStarted => f.write_str("a turn came before `init`"),
            Self::NoAction(seat) => write!(f, "{seat} is asked for an action but has none"),
            Self::OutOfTurn { action, by, turn } => {
                write!(f, "`{action}` by {by} does not fit: expected {turn}")
            }
            Self::Forbidden { action, by, source } => {
                write!(f, "the event `{action}` by {by} breaks {source}")
            }
            Self::NothingDrawn(outcome) => {
                write!(f, "the event `{outcome}` comes at a turn without chance")
            }
            Self::Impossible { outcome, .. } => {
                write!(f, "the event `{outcome}` cannot be drawn")
            }
        }
    }
}

impl Error for SessionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotAMessage(error) => Some(error),
            Self::Game(source) => Some(source),
            Self::Forbidden { source, .. } | Self::Impossible { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl From<GameError> for SessionError {
    fn from(error: GameError) -> Self {
        Self::Game(error)
    }
}
