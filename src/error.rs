//! The error of a command, and the exit code that it leads to.

use std::fmt;

use referee_games::{GameError, OptionError};

/// The error of a command: a message for the user, and a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind, which decides the exit code.
    pub kind: FailureKind,
    /// The message: the problem, its place, and what to do. May have several lines.
    pub message: String,
}

/// The kinds of failure, by exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Bad command line, configuration or input (exit code 2).
    Input,
    /// A bad line of input (exit code 2). The message begins with the line number, where scripts
    /// look for it, and is printed without a label.
    BadLine,
    /// Something could not be run, read or written (exit code 3).
    System,
    /// The results folder is locked, or the configuration differs from the results (exit code 4).
    Conflict,
    /// The reader of standard output has closed it, as `head` does. Nothing is printed (exit code
    /// 141, as for a program killed by `SIGPIPE`).
    Closed,
}

impl Failure {
    /// Bad command line, configuration or input.
    pub fn input(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Input, message: message.into() }
    }

    /// A bad line of input; the message begins with `line N: `.
    pub fn bad_line(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::BadLine, message: message.into() }
    }

    /// Something could not be run, read or written.
    pub fn system(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::System, message: message.into() }
    }

    /// Standard output was closed by its reader.
    pub fn closed() -> Self {
        Self { kind: FailureKind::Closed, message: "standard output was closed".to_owned() }
    }

    /// The results folder is locked, or the configuration differs from the results.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Conflict, message: message.into() }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        match error {
            GameError::Program(_) => Self::system(error.to_string()),
            _ => Self::input(error.to_string()),
        }
    }
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Self {
        Self::input(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
