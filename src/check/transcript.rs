//! The transcript lines that led to a fault.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::escape;
use crate::player::{LineDirection, Player};

/// The most bytes of a line to show.
const SHOWN: usize = 600;

/// A line sent between the referee and a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShownLine {
    /// Its direction.
    pub way: LineDirection,
    /// Its text, without the newline.
    pub text: String,
}

impl fmt::Display for ShownLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            LineDirection::ToPlayer => '>',
            LineDirection::FromPlayer => '<',
        };
        write!(f, "{way} {}", escape::bytes(self.text.as_bytes(), SHOWN))
    }
}

/// The last request to a player, and the reply.
pub fn last_request(player: &Player) -> Vec<ShownLine> {
    let lines = player.transcript().into_iter().map(|line| ShownLine {
        way: line.direction,
        text: String::from_utf8_lossy(&line.bytes).into_owned(),
    });
    since_the_last_request(lines.collect())
}

/// The same lines from the transcript of a game kept next to a log, for the player in the seat
/// called `owner`.
pub fn last_request_in(transcript: &str, owner: &str) -> Vec<ShownLine> {
    let lines = transcript.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if text("seat")? != owner {
            return None;
        }
        let sent = text("to").map(|text| ShownLine { way: LineDirection::ToPlayer, text });
        sent.or_else(|| text("from").map(|text| ShownLine { way: LineDirection::FromPlayer, text }))
    });
    since_the_last_request(lines.collect())
}

fn since_the_last_request(mut lines: Vec<ShownLine>) -> Vec<ShownLine> {
    let asks = |line: &ShownLine| {
        line.way == LineDirection::ToPlayer
            && ["{\"type\":\"init\"", "{\"type\":\"turn\""]
                .iter()
                .any(|start| line.text.starts_with(start))
    };
    let from = lines.iter().rposition(asks).unwrap_or(0);
    lines.drain(..from);
    // Lines that the player receives after its fault explain nothing.
    while lines.len() > 1 && lines.last().is_some_and(|line| line.way == LineDirection::ToPlayer) {
        lines.pop();
    }
    lines
}
