//! What came of writing a request and of waiting for the line that it gets.

/// How far a request was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// To its last byte.
    All,
    /// The player does not read any more.
    Gone,
    /// Not to its end before the deadline.
    Late,
}

/// Why no line came.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// The end of the output.
    Closed,
    /// The process ended.
    Exited,
    /// A line over the limit.
    Oversize,
    /// Output over the limit of a game.
    TooMuch,
}
