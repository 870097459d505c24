//! The transcript lines that led to a fault.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use referee_match::player::{LineDirection, Player};
use referee_protocol::escape::escape_bytes;

/// How the first line to a player begins.
const INIT: &str = "{\"type\":\"init\"";
/// How a line that asks for an action begins.
const TURN: &str = "{\"type\":\"turn\"";
/// The most bytes of a line to show.
const SHOWN: usize = 600;

/// A line sent between the referee and a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultTranscriptLine {
    /// The direction.
    pub way: LineDirection,
    /// Its text, without the newline.
    pub text: String,
}

impl FaultTranscriptLine {
    /// Whether it asks for an action.
    pub fn is_turn(&self) -> bool {
        self.way == LineDirection::ToPlayer && self.text.starts_with(TURN)
    }
}

impl fmt::Display for FaultTranscriptLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            LineDirection::ToPlayer => '>',
            LineDirection::FromPlayer => '<',
        };
        if self.way == LineDirection::ToPlayer && self.text.starts_with(INIT) {
            return f.write_str("> `init`: the game, its options, the seat, the clock, the state");
        }
        write!(f, "{way} {}", escape_bytes(self.text.as_bytes(), SHOWN))
    }
}

/// The last request to a player, and the reply.
pub fn transcript_before_fault(player: &Player) -> Vec<FaultTranscriptLine> {
    let lines = player.transcript().into_iter().map(|line| FaultTranscriptLine {
        way: line.direction,
        text: String::from_utf8_lossy(&line.bytes).into_owned(),
    });
    since_the_last_request(lines.collect())
}

/// The same lines from the transcript of a game kept next to a log, for the player in the seat
/// called `owner`.
pub(crate) fn transcript_before_fault_in(
    transcript: &str,
    owner: &str,
) -> Vec<FaultTranscriptLine> {
    let lines = transcript.lines().filter_map(|line| {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if text("seat")? != owner {
            return None;
        }
        let sent =
            text("to").map(|text| FaultTranscriptLine { way: LineDirection::ToPlayer, text });
        sent.or_else(|| {
            text("from").map(|text| FaultTranscriptLine { way: LineDirection::FromPlayer, text })
        })
    });
    since_the_last_request(lines.collect())
}

fn since_the_last_request(mut lines: Vec<FaultTranscriptLine>) -> Vec<FaultTranscriptLine> {
    let asks = |line: &FaultTranscriptLine| {
        let begins = || [INIT, "position "].iter().any(|start| line.text.starts_with(start));
        line.is_turn() || line.way == LineDirection::ToPlayer && begins()
    };
    let from = lines.iter().rposition(asks).unwrap_or(0);
    lines.drain(..from);
    // Lines that the player receives after its fault explain nothing.
    while lines.len() > 1 && lines.last().is_some_and(|line| line.way == LineDirection::ToPlayer) {
        lines.pop();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str]) -> Vec<String> {
        let text = lines.join("\n");
        transcript_before_fault_in(&text, "white").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_last_request_to_a_seat_is_shown_with_its_reply() {
        assert_eq!(
            shown(&[
                r#"{"seat":"white","to":"{\"type\":\"init\"}"}"#,
                r#"{"seat":"white","from":"ok"}"#,
                r#"{"seat":"white","to":"{\"type\":\"turn\",\"id\":1}"}"#,
                r#"{"seat":"black","to":"{\"type\":\"turn\",\"id\":1}"}"#,
                r#"{"seat":"white","from":"3,3\u001b[31m"}"#,
                r#"{"seat":"white","to":"{\"type\":\"end\"}"}"#,
                r#"{"seat":"white","to":"{\"type\":\"quit\"}"}"#,
            ]),
            [r#"> {"type":"turn","id":1}"#, r"< 3,3\x1b[31m"],
            "what came after the fault explains nothing"
        );
    }

    #[test]
    fn a_request_without_a_reply_is_shown_alone() {
        let init = r#"{"seat":"white","to":"{\"type\":\"init\"}"}"#;
        let quit = r#"{"seat":"white","to":"{\"type\":\"quit\"}"}"#;
        assert_eq!(
            shown(&[init, quit]),
            ["> `init`: the game, its options, the seat, the clock, the state"]
        );
    }

    #[test]
    fn invalid_transcript_lines_are_skipped() {
        assert_eq!(shown(&["", "garbage", "[]", r#"{"seat":"white"}"#, r#"{"to":"x"}"#]), [""; 0]);
    }

    #[test]
    fn a_long_line_is_cut() {
        let line =
            FaultTranscriptLine { way: LineDirection::FromPlayer, text: "x".repeat(2 * SHOWN) };
        assert_eq!(line.to_string().chars().count(), SHOWN + "< …".chars().count());
    }
}
