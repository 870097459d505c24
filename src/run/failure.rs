//! Why a job has no result.

use std::any::Any;
use std::fmt;

use crate::escape;

/// Why a job has no result although nobody stopped it and no resources were missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobFailure {
    /// The referee panicked with this message.
    Panic(String),
    /// The game's implementation failed with this error.
    Game(String),
    /// Workers took it, and fell silent before they had finished it.
    Abandoned {
        /// Their names.
        workers: Vec<String>,
    },
}

impl fmt::Display for JobFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(message) => {
                write!(f, "the referee panicked: {}", escape::terminal(message))
            }
            Self::Game(error) => write!(f, "the game itself failed: {}", escape::lines(error)),
            Self::Abandoned { workers } => write!(
                f,
                "{} workers took it, and none of them finished it: {}",
                workers.len(),
                workers.join(", ")
            ),
        }
    }
}

impl JobFailure {
    /// The panic that unwound with this value.
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
        Self::Panic(text.unwrap_or("without a message").to_owned())
    }
}
