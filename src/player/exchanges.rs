//! The last lines that went to and came from a player, with their times.

use std::collections::VecDeque;
use std::time::Instant;

/// How many lines are remembered.
const LINES: usize = 24;

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the referee to the player.
    ToPlayer,
    /// From the player to the referee.
    FromPlayer,
}

/// One line and when it had passed.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// When the last byte was written or read.
    pub at: Instant,
    /// Which way.
    pub direction: Direction,
    /// The bytes, without the newline where there was one.
    pub line: Vec<u8>,
}

/// The last lines, oldest first. Memory of forgotten lines is used again.
#[derive(Debug, Default)]
pub(super) struct Exchanges(VecDeque<Exchange>);

impl Exchanges {
    /// Remembers a line, and forgets the oldest one over the bound.
    pub(super) fn push(&mut self, direction: Direction, at: Instant, bytes: &[u8]) {
        let mut line = match self.0.len() {
            LINES => self.0.pop_front().map(|old| old.line).unwrap_or_default(),
            _ => Vec::new(),
        };
        line.clear();
        line.extend_from_slice(bytes.strip_suffix(b"\n").unwrap_or(bytes));
        self.0.push_back(Exchange { at, direction, line });
    }

    /// The lines, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Exchange> {
        self.0.iter()
    }
}
