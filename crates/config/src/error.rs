//! Why something that a user wrote cannot be used.

use referee_games::GameError;
use referee_match::game_program::OpenError;
use referee_report::colour::ColouredText;

/// Why a configuration, a game file or the word for a player cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is invalid. The message has every problem, its place, and how to fix it.
    #[error("{0}")]
    Written(ColouredText),
    /// This process has no working directory, to which paths would be relative.
    #[error("cannot find the working directory: {0}")]
    NoPlace(#[source] std::io::Error),
    /// The rules program cannot be opened.
    #[error(transparent)]
    Program(Box<OpenError>),
    /// The game failed.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl From<OpenError> for ConfigError {
    fn from(error: OpenError) -> Self {
        Self::Program(error.into())
    }
}

impl ConfigError {
    /// The file is invalid, with a message.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Written(message.into().into())
    }
}
