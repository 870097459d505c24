//! The rules of a tournament's games.

use super::player_spec::{EngineProtocol, PlayerKind, PlayerSpec};
use super::record::Header;
use serde_json::{Map, Value};

use referee_games::{
    AnyGame, BySeat, GameError, GameKind, OptionError, Options, Position, SharedGame, Text,
    safe_one_line,
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
    /// The options of one game that differ from those of its tournament.
    pub own: Map<String, Value>,
}

impl GameRules {
    /// The rules of `game` under these options.
    ///
    /// # Errors
    /// The options contradict each other.
    pub fn new(game: SharedGame, options: Options) -> Result<Self, GameError> {
        let start = game.start(&options)?;
        Ok(Self { game, options, start, own: Map::new() })
    }

    /// The rules of one game that has options of its own.
    ///
    /// # Errors
    /// The game does not have such options, or they contradict the others.
    pub fn with_own_options(&self, own: &Map<String, Value>) -> Result<Self, GameError> {
        if own.is_empty() {
            return Ok(self.clone());
        }
        let rules = Self::new(self.game.clone(), self.options.with_values(own)?)?;
        Ok(Self { own: own.clone(), ..rules })
    }

    /// The rules of the games of a log, in which the game is built in.
    pub fn from_header(header: &Header) -> Result<Self, HeaderError> {
        let kind = GameKind::named(&header.game);
        let kind = kind.ok_or_else(|| HeaderError::Game(header.game.clone()))?;
        Self::from_header_with_game(kind.shared(), header)
    }

    /// The rules of the games of a log, in which the game is `game`.
    pub fn from_header_with_game(game: SharedGame, header: &Header) -> Result<Self, HeaderError> {
        let options = Options::from_json(game.options(), &header.options);
        let options = options.map_err(HeaderError::Option)?;
        Self::new(game, options).map_err(HeaderError::Rules)
    }

    /// Refuses built-in players that look ahead, if the game hides something from a seat and makes
    /// no guesses about it.
    ///
    /// # Errors
    /// There is such a player, or the rules program failed.
    pub fn refuse_bots<'p>(
        &self,
        players: impl IntoIterator<Item = &'p PlayerSpec>,
    ) -> Result<(), RefusedBots> {
        let bots = players.into_iter().filter_map(|player| match &player.kind {
            PlayerKind::Bot(bot) => Some(bot.as_str()),
            PlayerKind::Command { .. } => None,
        });
        for bot in bots {
            if !self.suits(bot)? {
                return Err(UnsuitedBot(bot.to_owned(), self.game.name().to_owned()).into());
            }
        }
        Ok(())
    }

    /// Refuses engines whose protocol is for another game.
    ///
    /// # Errors
    /// One of the players is such an engine.
    pub fn refuse_engines<'p>(
        &self,
        players: impl IntoIterator<Item = &'p PlayerSpec>,
    ) -> Result<(), OtherGame> {
        let mut engines = players.into_iter().filter_map(|player| player.engine.as_ref());
        engines.try_for_each(|engine| refuse_engine(engine.protocol, &*self.game))
    }

    /// Whether the built-in player `bot` can play: it needs guesses of what is hidden, unless it
    /// plays at random.
    ///
    /// # Errors
    /// The rules program failed.
    pub fn suits(&self, bot: &str) -> Result<bool, GameError> {
        if bot == "random" || !self.game.is_hidden() {
            return Ok(true);
        }
        for seat in self.seats().seats() {
            if self.start.guess(seat, 0)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The names of the seats.
    pub fn seats(&self) -> BySeat<Text> {
        self.game.seats()
    }
}

/// Refuses games of more than two seats where the results of two are compared.
///
/// # Errors
/// The game has more. The message says what to do `instead`.
pub fn refuse_more_seats(game: &dyn AnyGame, instead: &'static str) -> Result<(), MoreSeats> {
    match game.seats().len() {
        2 => Ok(()),
        seats => Err(MoreSeats { game: game.name().to_owned(), seats, instead }),
    }
}

/// The game has more seats than two.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{game} has {seats} seats, but this is for two-seat games; {instead}")]
pub struct MoreSeats {
    game: String,
    seats: usize,
    instead: &'static str,
}

/// Refuses an engine whose protocol is for another game.
///
/// # Errors
/// It is for another game.
pub fn refuse_engine(protocol: EngineProtocol, game: &dyn AnyGame) -> Result<(), OtherGame> {
    if game.name() == protocol.game() {
        return Ok(());
    }
    Err(OtherGame { protocol, game: game.name().to_owned() })
}

/// An engine cannot play the game of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} engines play {} only, and the game is {game}; {}",
    protocol.name().to_uppercase(),
    protocol.game(),
    match protocol {
        EngineProtocol::Uci => "write `--game chess` or `game = \"chess\"`",
        EngineProtocol::Gtp => "set `--game` or `game` to its file, such as `games/go/game.toml`",
    }
)]
pub struct OtherGame {
    protocol: EngineProtocol,
    game: String,
}

/// The built-in player of this name cannot play the game of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the built-in player `{0}` cannot play {1}: it searches, but the game has hidden information \
     and its rules program does not answer `guess`; use `random`"
)]
pub struct UnsuitedBot(pub String, pub String);

/// The reason why built-in players are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefusedBots {
    /// One cannot play.
    #[error(transparent)]
    Unsuited(#[from] UnsuitedBot),
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// An error in the rules in the header of a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The game is unknown.
    #[error("no game `{}`", safe_one_line(.0))]
    Game(String),
    /// An option is rejected.
    #[error("option {}: {}", safe_one_line(.0.name().unwrap_or_default()), .0)]
    Option(#[source] OptionError),
    /// The options contradict each other.
    #[error(transparent)]
    Rules(GameError),
}

#[cfg(test)]
mod tests;
