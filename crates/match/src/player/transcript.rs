//! The transcript of a player: the last lines sent to it and received from it, with their times.

use std::collections::VecDeque;
use std::time::Instant;

use serde::Serialize;

/// The number of lines to keep.
const LINES: usize = 24;

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum LineDirection {
    /// From the referee to the player.
    #[serde(rename = "to")]
    ToPlayer,
    /// From the player to the referee.
    #[serde(rename = "from")]
    FromPlayer,
}

/// A line and its time.
#[derive(Debug, Clone)]
pub struct TranscriptLine {
    /// When the last byte was written or read.
    pub at: Instant,
    /// The direction.
    pub direction: LineDirection,
    /// The bytes, without the newline if there was one.
    pub bytes: Vec<u8>,
}

/// The last lines, oldest first.
#[derive(Debug, Default)]
pub(super) struct Transcript(VecDeque<TranscriptLine>);

impl Transcript {
    /// Adds lines, and drops the oldest ones if there are too many.
    pub(super) fn push_all(&mut self, direction: LineDirection, at: Instant, lines: &[u8]) {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            self.push(direction, at, line);
        }
    }

    /// Adds a line, and drops the oldest one if there are too many.
    pub(super) fn push(&mut self, direction: LineDirection, at: Instant, bytes: &[u8]) {
        // The oldest line leaves its memory.
        let oldest = if self.0.len() == LINES { self.0.pop_front() } else { None };
        let mut kept = oldest.map_or_else(Vec::new, |line| line.bytes);
        kept.clear();
        kept.extend_from_slice(bytes.strip_suffix(b"\n").unwrap_or(bytes));
        self.0.push_back(TranscriptLine { at, direction, bytes: kept });
    }

    /// Adds a line of the player in place of the one before, if both are `info` of an engine: only
    /// the last one before its move is kept.
    pub(super) fn push_info(&mut self, at: Instant, bytes: &[u8]) {
        let is_info = |bytes: &[u8]| bytes.starts_with(b"info ");
        let last = self.0.back();
        if is_info(bytes)
            && last
                .is_some_and(|it| it.direction == LineDirection::FromPlayer && is_info(&it.bytes))
        {
            self.0.pop_back();
        }
        self.push(LineDirection::FromPlayer, at, bytes);
    }

    /// Drops all lines.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The lines, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &TranscriptLine> {
        self.0.iter()
    }
}
