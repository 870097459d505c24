//! The lines of the protocol in both directions, as pure text: protocol version 1.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::escape;
use crate::model::clock::{Measure, TimeControl};
use crate::model::fault::FaultCode;
use crate::model::record::Score;
use referee_games::{Event, Legal, Options, SeatMap, Text};

/// The protocol versions that this referee speaks.
pub const VERSIONS: &[u32] = &[1];
/// The longest line from a player, in bytes, including its newline.
pub const LINE_LIMIT: usize = 64 * 1024;
/// The most bytes of a `note` to keep.
const NOTE_LIMIT: usize = 1024;
/// How much of a refused line to show, in bytes.
const SHOWN: usize = 120;
/// How much to show of a hosting program's message about its player, in bytes.
const HOSTED_SHOWN: usize = 800;

/// A line from the referee to a player.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Message<'a> {
    /// A game begins; the player must greet.
    Init {
        /// The id the reply must match.
        id: u64,
        /// The protocol versions spoken.
        protocol: &'a [u32],
        /// The game's name.
        game: &'a str,
        /// The rules options in force.
        options: &'a Options,
        /// The player's seat.
        you: Text,
        /// Both seats, first seat first.
        seats: [Text; 2],
        /// The time limits.
        clock: InitClock,
        /// The player's own seed.
        seed: u64,
        /// The position at the first turn.
        state: Cow<'a, RawValue>,
        /// The opening's actions.
        opening: &'a [String],
    },
    /// The player is on turn and must send an action.
    Turn {
        /// The id the reply must match.
        id: u64,
        /// Plies played so far.
        ply: u32,
        /// The position.
        #[serde(skip_serializing_if = "Option::is_none")]
        state: Option<Cow<'a, RawValue>>,
        /// The events since this player's last turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        events: Option<&'a [Event]>,
        /// The legal actions.
        #[serde(skip_serializing_if = "Option::is_none")]
        legal: Option<Legal>,
        /// The clocks.
        clock: TurnClock,
        /// The number of this retry, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry: Option<u32>,
    },
    /// The last reply was refused; the turn will be asked again.
    Error {
        /// The fault's code.
        code: &'a str,
        /// The diagnosis.
        message: &'a str,
        /// The clause that was broken.
        #[serde(skip_serializing_if = "Option::is_none")]
        clause: Option<&'a str>,
        /// The reply, escaped and cut.
        #[serde(skip_serializing_if = "Option::is_none")]
        raw: Option<&'a str>,
    },
    /// The game is over.
    End {
        /// `win`, `loss` or `draw`, for this player.
        result: &'a str,
        /// The reason for the result.
        reason: &'a str,
        /// The scores by seat.
        scores: SeatMap<Score>,
        /// The events since this player's last turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        events: Option<&'a [Event]>,
        /// The final position.
        #[serde(skip_serializing_if = "Option::is_none")]
        state: Option<Cow<'a, RawValue>>,
    },
    /// The player must exit.
    Quit,
}

impl Message<'_> {
    /// Writes the message as one line into `line`, which is cleared first.
    ///
    /// # Panics
    /// Never: a message is plain data.
    #[expect(clippy::expect_used, reason = "plain data serialises")]
    pub fn write(&self, line: &mut Vec<u8>) {
        line.clear();
        serde_json::to_writer(&mut *line, self).expect("plain data serialises");
        line.push(b'\n');
    }
}

/// The time limits as sent in `init`, in whole milliseconds, rounded down.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct InitClock {
    startup_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    increment_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    move_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measure: Option<Measure>,
}

impl From<&TimeControl> for InitClock {
    fn from(control: &TimeControl) -> Self {
        Self {
            startup_ms: millis(control.startup),
            budget_ms: control.budget.map(millis),
            increment_ms: Some(control.increment).filter(|step| !step.is_zero()).map(millis),
            move_ms: control.per_move.map(millis),
            measure: Some(control.measure).filter(|measure| *measure != Measure::Wall),
        }
    }
}

/// The clocks as sent in `turn`, in whole milliseconds, rounded down.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TurnClock {
    /// The time left of the player's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The time left of the opponent's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_left_ms: Option<u64>,
    /// The time used on the player's last turn.
    pub used_ms: u64,
}

/// Whole milliseconds, rounded down.
#[expect(clippy::cast_possible_truncation, reason = "half a billion years fit")]
pub fn millis(duration: std::time::Duration) -> u64 {
    duration.as_millis() as u64
}

/// Which parts of a message a player wants to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// The position.
    pub state: bool,
    /// The events.
    pub events: bool,
    /// The legal actions.
    pub legal: bool,
}

impl Default for Wants {
    fn default() -> Self {
        Self { state: true, events: true, legal: true }
    }
}

/// A player's reply to `init`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Greeting {
    /// The player's name for itself, as sent.
    pub name: Option<String>,
    /// Its version, as sent.
    pub version: Option<String>,
    /// The parts of messages that it wants to receive.
    pub wants: Wants,
}

impl Greeting {
    /// Its name and version, escaped and cut; empty if it gave none.
    pub fn said(&self) -> String {
        let parts: Vec<&str> =
            [&self.name, &self.version].into_iter().flatten().map(String::as_str).collect();
        escape::bytes(parts.join(" ").as_bytes(), SHOWN)
    }
}

/// A player's reply to `turn`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The action's text, not checked yet.
    pub action: String,
    /// Its note, at most 1 KiB.
    pub note: Option<String>,
    /// Its evaluation, -1 … 1.
    pub eval: Option<f64>,
    /// The hosted player's own words, for messages about the action; escaped and cut.
    pub said: Option<String>,
    /// What was dropped from the reply, and why.
    pub warnings: Vec<String>,
}

/// A line that is not a valid reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// What is wrong with it, safe to show.
    pub message: String,
    /// Whether a hosting program sent the line to say that its player has crashed.
    pub crashed: bool,
}

impl From<String> for Unusable {
    fn from(message: String) -> Self {
        Self { message, crashed: false }
    }
}

#[derive(Deserialize)]
struct RawReply<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    said: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
    #[serde(borrow)]
    note: Option<&'a RawValue>,
    #[serde(borrow)]
    eval: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawGreeting<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    name: Option<String>,
    version: Option<String>,
    protocol: Option<u32>,
    want: Option<Vec<String>>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
    #[serde(borrow)]
    code: Option<Cow<'a, str>>,
}

/// Reads the reply to the turn `id` from a line without its newline, or says what is wrong.
pub fn parse_reply(line: &[u8], id: u64) -> Result<Reply, Unusable> {
    let text = utf8(line)?;
    if text.starts_with('\u{feff}') {
        let shown = shown(line);
        let message =
            format!("a byte order mark stands before the reply; write UTF-8 without one: {shown}");
        return Err(message.into());
    }
    if !text.starts_with('{') {
        return Ok(Reply { action: text.to_owned(), ..Reply::default() });
    }
    let raw: RawReply = serde_json::from_str(text).map_err(|error| not_json(&error, line))?;
    check_id(raw.id, id)?;
    if let (None, Some(error)) = (raw.action, raw.error) {
        return Err(failed(&error, raw.code.as_deref()));
    }
    let action = raw.action.ok_or_else(|| format!("no \"action\" in {}", shown(line)))?;
    let action: Cow<'_, str> = serde_json::from_str(action.get())
        .map_err(|_| format!("\"action\" is not a string in {}", shown(line)))?;
    let said = raw.said.map(|said| escape::bytes(said.as_bytes(), HOSTED_SHOWN));
    let mut reply = Reply { action: action.into_owned(), said, ..Reply::default() };
    take_note(raw.note, &mut reply);
    take_eval(raw.eval, &mut reply);
    Ok(reply)
}

/// Reads the reply to `init` from a line without its newline, or says what is wrong.
pub fn parse_greeting(line: &[u8], id: u64) -> Result<Greeting, Unusable> {
    let text = utf8(line)?;
    if text == "ok" {
        return Ok(Greeting::default());
    }
    if !text.starts_with('{') {
        let message = format!(
            "expected {{\"id\":{id}}} or ok as the first line on stdout, but read \"{}\"; \
             prints belong on stderr",
            shown(line)
        );
        return Err(message.into());
    }
    let raw: RawGreeting = serde_json::from_str(text).map_err(|error| not_json(&error, line))?;
    check_id(raw.id, id)?;
    if let Some(error) = raw.error {
        return Err(failed(&error, raw.code.as_deref()));
    }
    if let Some(other) = raw.protocol.filter(|spoken| !VERSIONS.contains(spoken)) {
        return Err(format!("it speaks protocol {other}, the referee {VERSIONS:?}").into());
    }
    let wants = raw.want.map_or(Ok(Wants::default()), |names| wants(&names))?;
    Ok(Greeting { name: raw.name, version: raw.version, wants })
}

/// Turns an error report from a hosting program into an unusable reply.
fn failed(error: &str, code: Option<&str>) -> Unusable {
    let message = escape::bytes(error.as_bytes(), HOSTED_SHOWN);
    Unusable { message, crashed: code == Some(FaultCode::Crash.name()) }
}

fn wants(names: &[String]) -> Result<Wants, String> {
    let mut wants = Wants { state: false, events: false, legal: false };
    for name in names {
        match name.as_str() {
            "state" => wants.state = true,
            "events" => wants.events = true,
            "legal" => wants.legal = true,
            other => {
                return Err(format!(
                    "\"want\" names \"{}\"; there are state, events and legal",
                    escape::bytes(other.as_bytes(), SHOWN)
                ));
            }
        }
    }
    Ok(wants)
}

fn utf8(line: &[u8]) -> Result<&str, String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    std::str::from_utf8(line).map(str::trim_ascii).map_err(|error| {
        format!("not valid UTF-8 at byte {}: {}", error.valid_up_to() + 1, shown(line))
    })
}

fn not_json(error: &serde_json::Error, line: &[u8]) -> String {
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    format!("not a valid JSON reply ({reason}, column {}): {}", error.column(), shown(line))
}

fn check_id(given: Option<&RawValue>, id: u64) -> Result<(), String> {
    match given {
        Some(given) if given.get().parse() != Ok(id) => Err(format!(
            "the reply carries id {}, but the request was {id}",
            escape::bytes(given.get().as_bytes(), SHOWN)
        )),
        _ => Ok(()),
    }
}

fn take_note(raw: Option<&RawValue>, reply: &mut Reply) {
    let Some(raw) = raw else { return };
    match serde_json::from_str::<String>(raw.get()) {
        Ok(note) if note.len() <= NOTE_LIMIT => reply.note = Some(note),
        Ok(note) => reply
            .warnings
            .push(format!("a note of {} bytes was dropped; the most is {NOTE_LIMIT}", note.len())),
        Err(_) => reply.warnings.push("a note that is not a string was dropped".to_owned()),
    }
}

fn take_eval(raw: Option<&RawValue>, reply: &mut Reply) {
    let Some(raw) = raw else { return };
    match serde_json::from_str::<f64>(raw.get()) {
        Ok(eval) if (-1.0..=1.0).contains(&eval) => reply.eval = Some(eval),
        _ => {
            reply.warnings.push("an eval that is not a number from -1 to 1 was dropped".to_owned());
        }
    }
}

/// A line as shown in a diagnosis: escaped and cut.
pub fn shown(line: &[u8]) -> String {
    escape::bytes(line, SHOWN)
}

/// Whether a refused text looks like output for people, not like a reply.
pub fn looks_like_a_log(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.len() > 1);
    let spoken = words.filter(|word| word.chars().any(char::is_alphabetic)).count();
    spoken >= 2 || text.contains(['[', ':', '=']) && spoken >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_and_json_replies_say_the_same() {
        for line in ["3,4", " 3,4 \r", r#"{"action":"3,4"}"#, r#"{"id":5,"action":"3,4","x":[1]}"#]
        {
            assert_eq!(parse_reply(line.as_bytes(), 5).map(|reply| reply.action), Ok("3,4".into()));
        }
    }

    #[test]
    fn a_bad_reply_is_told_apart() {
        let message = |line: &[u8]| parse_reply(line, 5).expect_err("refused").message;
        assert_eq!(
            message(br#"{"id":4,"action":"a"}"#),
            "the reply carries id 4, but the request was 5"
        );
        assert_eq!(message(br#"{"id":5}"#), r#"no "action" in {"id":5}"#);
        assert_eq!(message(br#"{"action":3}"#), r#""action" is not a string in {"action":3}"#);
        assert_eq!(
            message("\u{feff}3,4".as_bytes()),
            r"a byte order mark stands before the reply; write UTF-8 without one: \u{feff}3,4"
        );
        assert!(message(b"\xff3,4").starts_with("not valid UTF-8 at byte 1: "));
        assert!(message(br#"{"action":"3,4""#).starts_with("not a valid JSON reply (EOF while"));
        assert!(message(br#"{"action":"3,4"} x"#).starts_with("not a valid JSON reply (trailing"));
    }

    #[test]
    fn a_program_that_hosts_a_player_speaks_for_it() {
        let reply = parse_reply(br#"{"action":"pass","said":"action(3) returned \u001bNone"}"#, 0);
        let said = reply.expect("a reply").said;
        assert_eq!(said.as_deref(), Some(r"action(3) returned \x1bNone"));
        let unusable = |line: &[u8]| parse_reply(line, 0).expect_err("no action");
        let message = "action(3) raised ValueError".to_owned();
        assert_eq!(
            unusable(br#"{"error":"action(3) raised ValueError","code":"crash"}"#),
            Unusable { message: message.clone(), crashed: true }
        );
        assert_eq!(unusable(br#"{"error":"action(3) raised ValueError"}"#), message.into());
        let refused = parse_greeting(br#"{"error":"no class","code":"crash"}"#, 0);
        assert_eq!(refused, Err(Unusable { message: "no class".to_owned(), crashed: true }));
    }

    #[test]
    fn notes_and_evals_of_the_wrong_kind_are_dropped_with_a_warning() {
        let reply = parse_reply(br#"{"action":"a","note":7,"eval":2}"#, 0).expect("a reply");
        assert_eq!((reply.note, reply.eval, reply.warnings.len()), (None, None, 2));
        let long = format!(r#"{{"action":"a","note":"{}"}}"#, "x".repeat(1025));
        let reply = parse_reply(long.as_bytes(), 0).expect("a reply");
        assert_eq!(reply.warnings, ["a note of 1025 bytes was dropped; the most is 1024"]);
        let reply = parse_reply(br#"{"action":"a","note":"n","eval":-0.5}"#, 0).expect("a reply");
        assert_eq!((reply.note.as_deref(), reply.eval), (Some("n"), Some(-0.5)));
    }

    #[test]
    fn a_greeting_is_ok_or_an_object() {
        assert_eq!(parse_greeting(b"ok", 0), Ok(Greeting::default()));
        let greeting =
            parse_greeting(br#"{"id":0,"name":"R","want":["events"]}"#, 0).expect("fine");
        assert_eq!(greeting.wants, Wants { state: false, events: true, legal: false });
        assert_eq!(
            parse_greeting(b"Hello!", 0),
            Err("expected {\"id\":0} or ok as the first line on stdout, but read \"Hello!\"; \
                 prints belong on stderr"
                .to_owned()
                .into())
        );
        assert!(parse_greeting(br#"{"want":["moves"]}"#, 0).is_err());
    }

    #[test]
    fn log_lines_are_recognised() {
        assert!(looks_like_a_log("thinking about move 3"));
        assert!(looks_like_a_log("DEBUG: depth 3"));
        assert!(!looks_like_a_log("3;4"));
        assert!(!looks_like_a_log("e2e4"));
    }
}
