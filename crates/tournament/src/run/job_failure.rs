//! Why a job has no result.

use std::any::Any;

use serde::{Deserialize, Serialize};

use referee_protocol::escape::{escape_line, escape_lines};

/// Why a job has no result although nobody stopped it and no resources were missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobFailure {
    /// The referee panicked with this message.
    #[error("the referee panicked: {}", escape_line(.0))]
    Panic(String),
    /// The game's implementation failed with this error.
    #[error("the game itself failed: {}", escape_lines(.0))]
    Game(String),
    /// Workers took it, and fell silent before they had finished it. No worker says this of itself.
    #[serde(skip)]
    #[error(
        "{} workers took it, and none of them finished it: {}",
        workers.len(),
        workers.join(", ")
    )]
    Abandoned {
        /// Their names.
        workers: Vec<String>,
    },
}

impl JobFailure {
    /// The panic that unwound with this value.
    pub fn from_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
        Self::Panic(text.unwrap_or("without a message").to_owned())
    }
}
