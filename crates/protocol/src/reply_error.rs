//! Lines that are not valid replies.

use serde::Deserialize;

use crate::VERSIONS;
use crate::escape::escape_bytes;
use crate::lenient_field::LenientField;
use referee_games::WholeNumber;

/// How much of a refused line to show, in bytes.
const SHOWN: usize = 120;
/// How much to show of a hosting program's message about its player, in bytes.
pub(crate) const HOSTED_SHOWN: usize = 800;

/// A line, or a part of it, as shown in a diagnosis: escaped and cut.
pub fn reply_error_excerpt(line: &[u8]) -> String {
    escape_bytes(line, SHOWN)
}

/// The reason why a line from a player is not a valid reply. All texts are safe to show: what comes
/// from the player is escaped and cut.
#[derive(Debug, thiserror::Error)]
pub enum ReplyError {
    /// The line is not UTF-8.
    #[error("not valid UTF-8 at byte {}: {line}", valid + 1)]
    NotUtf8 {
        /// The number of bytes before the first invalid one.
        valid: usize,
        /// The line.
        line: String,
    },
    /// The line, which begins with a byte order mark.
    #[error("the reply begins with a byte order mark; write UTF-8 without one: {0}")]
    ByteOrderMark(String),
    /// The line begins like an object, but is not the JSON of a reply.
    #[error("not a valid JSON reply ({}, column {}): {line}", reply_json_error_reason(source), source.column())]
    NotJson {
        /// The problem.
        source: serde_json::Error,
        /// The line.
        line: String,
    },
    /// The id is not that of the request.
    #[error("the reply has id {given}, but the request had {asked}")]
    WrongId {
        /// The JSON text of the id.
        given: String,
        /// The id of the request.
        asked: u64,
    },
    /// The line, which has no action.
    #[error("no \"action\" in {0}")]
    NoAction(String),
    /// The line, whose action is not a string.
    #[error("\"action\" is not a string in {0}")]
    ActionNotText(String),
    /// The line is neither `ok` nor an object.
    #[error(
        "expected {{\"id\":{id}}} or ok as the first line on stdout, but read \"{line}\"; \
         debug output belongs on stderr"
    )]
    NoGreeting {
        /// The id of the request.
        id: u64,
        /// The line.
        line: String,
    },
    /// A version of the protocol that this crate does not speak.
    #[error("it speaks protocol {0}, the referee {VERSIONS:?}")]
    UnknownVersion(u32),
    /// An unknown name in `want`.
    #[error("\"want\" contains \"{0}\"; expected state, events or legal")]
    UnknownPart(String),
    /// A hosting program says that its player failed.
    #[error("{message}")]
    Hosted {
        /// The program's message.
        message: String,
        /// Whether the player crashed, and the program ends.
        crashed: bool,
    },
    /// The player cannot reach a service that it needs.
    #[error("\"outage\" is only allowed with `outages` under `[[players]]`: {message}")]
    Outage {
        /// Its message, escaped and cut.
        message: String,
    },
    /// A built-in player says that the rules program failed which it asks about the game.
    #[error("{}", escape_bytes(.0.as_bytes(), HOSTED_SHOWN))]
    RulesProgram(String),
}

/// The code with which a built-in player reports that its rules program failed.
pub(crate) const RULES_PROGRAM: &str = "rules-program";

/// The problem, without its place.
fn reply_json_error_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// The text of a line, without blanks around it.
pub(crate) fn trim_reply_line(line: &[u8]) -> Result<&str, ReplyError> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = std::str::from_utf8(line).map(str::trim_ascii).map_err(|error| {
        ReplyError::NotUtf8 { valid: error.valid_up_to(), line: reply_error_excerpt(line) }
    })?;
    if text.starts_with('\u{feff}') {
        return Err(ReplyError::ByteOrderMark(reply_error_excerpt(line)));
    }
    Ok(text)
}

/// Reads the fields of an object, which is the whole `text` of `line`.
pub(crate) fn parse_reply_object<'a, T: Deserialize<'a>>(
    text: &'a str,
    line: &[u8],
) -> Result<T, ReplyError> {
    serde_json::from_str(text)
        .map_err(|source| ReplyError::NotJson { source, line: reply_error_excerpt(line) })
}

/// The id of a reply.
pub(crate) type ReplyId<'a> = LenientField<'a, WholeNumber<u64>>;

/// Checks the id of a reply, if it has one.
pub(crate) fn check_reply_id(given: Option<&ReplyId<'_>>, asked: u64) -> Result<(), ReplyError> {
    let given = match given {
        None => return Ok(()),
        Some(LenientField::Value(WholeNumber(id))) if *id == asked => return Ok(()),
        Some(LenientField::Value(WholeNumber(id))) => id.to_string(),
        Some(LenientField::Other(text)) => reply_error_excerpt(text.get().as_bytes()),
    };
    Err(ReplyError::WrongId { given, asked })
}

/// A player's report that it cannot reach its service.
pub(crate) fn outage_reply_error(message: &str) -> ReplyError {
    ReplyError::Outage { message: escape_bytes(message.as_bytes(), HOSTED_SHOWN) }
}

/// A hosting program's report about its player, or a built-in player's about its rules program.
pub(crate) fn hosted_player_error(error: &str, code: Option<&str>) -> ReplyError {
    if code == Some(RULES_PROGRAM) {
        return ReplyError::RulesProgram(error.to_owned());
    }
    let message = escape_bytes(error.as_bytes(), HOSTED_SHOWN);
    ReplyError::Hosted { message, crashed: code == Some("crash") }
}
