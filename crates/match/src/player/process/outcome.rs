//! The outcomes of writing a request and of waiting for its reply.

/// The part of a request that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteOutcome {
    /// All of it.
    All,
    /// The player has closed its stdin.
    Gone,
    /// Only part of it before the deadline.
    Late,
}

/// The reason why no line arrived.
#[derive(Debug, Clone, Copy)]
pub(super) enum NoLine {
    /// The output ended.
    Closed,
    /// The process ended.
    Exited,
    /// A line exceeded its limit.
    Oversize,
    /// The output exceeded the limit of a game.
    TooMuch,
}
