//! Errors of the built-in players.

use super::NAMES;
use referee_games::{GameError, Text};

/// An unknown name of a built-in player.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown built-in player `{}`; expected `{}` or `search-<positions per move>`, for example \
     `search-2000`", .0, NAMES.join("`, `")
)]
pub struct UnknownBot(pub String);

/// A violation of the protocol by the referee, or a game that this crate does not play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The line is not a message.
    #[error("cannot read the referee's line: {0}")]
    NotAMessage(#[source] serde_json::Error),
    /// The referee and the player have no protocol version in common.
    #[error("the referee does not speak protocol 1")]
    Versions,
    /// The game is unknown.
    #[error("unknown game `{0}`")]
    UnknownGame(String),
    /// The game has no such seat.
    #[error("{game} has no seat `{seat}`")]
    UnknownSeat {
        /// The game.
        game: String,
        /// The name.
        seat: String,
    },
    /// The options are rejected, or the game failed.
    #[error("{0}")]
    Game(#[from] GameError),
    /// A turn came before any game had started.
    #[error("a turn came before `init`")]
    NotStarted,
    /// The player has a turn, but this seat has no action.
    #[error("{0} was asked for an action but has none")]
    NoAction(Text),
    /// An event cannot follow the earlier ones.
    #[error("the event {event} cannot be played: {source}")]
    Event {
        /// The action and who played it, or the chance outcome.
        event: String,
        /// The reason.
        source: Box<GameError>,
    },
}
