//! The rules of a tournament's games.

use std::error::Error;
use std::fmt;

use super::record::Header;
use crate::error::Failure;
use referee_games::{
    BySeat, GameError, GameKind, OptionError, Options, Position, SharedGame, Text,
};

/// A game with its options.
#[derive(Debug, Clone)]
pub struct GameRules {
    /// The game.
    pub game: SharedGame,
    /// The options in force.
    pub options: Options,
    /// The start position; every game begins with a clone of it.
    pub start: Position,
}

impl GameRules {
    /// The rules of `game` under these options.
    ///
    /// # Errors
    /// The options contradict each other.
    pub fn new(game: SharedGame, options: Options) -> Result<Self, GameError> {
        let start = game.start(&options)?;
        Ok(Self { game, options, start })
    }

    /// The rules of the games of a log, in which the game is built in.
    pub fn of(header: &Header) -> Result<Self, HeaderError> {
        let kind = GameKind::named(&header.game);
        let kind = kind.ok_or_else(|| HeaderError::Game(header.game.clone()))?;
        Self::by_header(kind.shared(), header)
    }

    /// The rules of the games of a log, in which the game is `game`.
    pub fn by_header(game: SharedGame, header: &Header) -> Result<Self, HeaderError> {
        let text = |value: &serde_json::Value| {
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        let given: Vec<(&str, String)> =
            header.options.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
        let given = given.iter().map(|(name, value)| (*name, value.as_str()));
        let options = Options::resolve(game.options(), given).map_err(HeaderError::Option)?;
        Self::new(game, options).map_err(HeaderError::Rules)
    }

    /// The names of the seats.
    pub fn seats(&self) -> BySeat<Text> {
        self.game.seats()
    }
}

/// Why the header of a log does not lead to valid rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderError {
    /// There is no game of this name.
    Game(String),
    /// An option is rejected.
    Option(OptionError),
    /// The options contradict each other.
    Rules(GameError),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game(name) => write!(f, "no game `{name}`"),
            Self::Option(error) => {
                write!(f, "option {}: {error}", error.name().unwrap_or_default())
            }
            Self::Rules(error) => error.fmt(f),
        }
    }
}

impl Error for HeaderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Game(_) => None,
            Self::Option(error) => Some(error),
            Self::Rules(error) => Some(error),
        }
    }
}

impl From<HeaderError> for Failure {
    fn from(error: HeaderError) -> Self {
        Self::input(format!("the header cannot be used: {error}"))
    }
}
