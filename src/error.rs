//! Why a command could not do its work, and with which exit code it ends.

use std::fmt;

use referee_games::{GameError, OptionError};

/// Why a command could not do its work: one message for the user, and the kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind, which decides the exit code.
    pub kind: FailureKind,
    /// What was wrong, where, and what to do; may have several lines.
    pub message: String,
}

/// The kinds of failure, by exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Bad command line, configuration or input (exit code 2).
    Input,
    /// A bad line of input, with its number at the front of the message, where scripts look for
    /// it: shown without a label (exit code 2).
    BadLine,
    /// Something could not be run, read or written (exit code 3).
    System,
    /// Locked, or the configuration differs from the results' (exit code 4).
    Conflict,
    /// Whoever read standard output has left, as `head` does: nothing is said (exit code 141, as of
    /// a program that the system ends for that).
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

    /// Standard output is read no more.
    pub fn closed() -> Self {
        Self { kind: FailureKind::Closed, message: "standard output was closed".to_owned() }
    }

    /// Locked, or the configuration differs.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::Conflict, message: message.into() }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        Self::input(error.to_string())
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
