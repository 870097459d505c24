//! A player's reply to `turn`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::escape::escape_bytes;
use crate::lenient_field::LenientField;
use crate::reply_error::{
    HOSTED_SHOWN, RULES_PROGRAM, ReplyError, ReplyId, check_reply_id, hosted_player_error,
    outage_reply_error, parse_reply_object, trim_reply_line,
};
use crate::reply_error_excerpt;
use crate::search_report::SearchReport;
use referee_games::WholeNumber;

/// The most bytes of a `note` to keep.
pub const NOTE_LIMIT: usize = 1024;
/// The same for a player whose notes may be long.
pub const LONG_NOTE_LIMIT: usize = 16 * 1024;

/// A player's reply to `turn`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The action's text, not checked yet.
    pub action: String,
    /// Whether it gives the game up instead. Only engines can say so.
    pub resigns: bool,
    /// Its note, at most as long as its limit.
    pub note: Option<String>,
    /// Its evaluation, -1 … 1.
    pub eval: Option<f64>,
    /// What it reports about its search.
    pub search: SearchReport,
    /// The hosted player's own words, for messages about the action; escaped and cut when read.
    pub said: Option<String>,
    /// The parts of the reply that were dropped when it was read.
    pub warnings: Vec<ReplyWarning>,
}

/// A part of a reply that was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyWarning {
    /// A note that is too long.
    LongNote {
        /// Its length in bytes.
        bytes: usize,
        /// The maximum.
        most: usize,
    },
    /// A note with which the notes of the game would have more than this many bytes in all.
    TooManyNotes(usize),
    /// A note that is not a string.
    NoteNotText,
    /// An eval that is not a number from -1 to 1.
    EvalOutOfRange,
    /// This field, which is not a whole number.
    NotWhole(&'static str),
    /// A usage that is not an object.
    UsageNotObject,
    /// A cost that is not a number in its range.
    CostOutOfRange {
        /// The most that may be.
        most: u64,
    },
}

impl fmt::Display for ReplyWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LongNote { bytes, most } => {
                write!(f, "a note of {bytes} bytes was dropped; the maximum is {most}")
            }
            Self::TooManyNotes(most) => write!(
                f,
                "notes are dropped from here on; the maximum for all notes in a game is \
                 {most} bytes"
            ),
            Self::NoteNotText => f.write_str("a note that is not a string was dropped"),
            Self::EvalOutOfRange => {
                f.write_str("an eval that is not a number from -1 to 1 was dropped")
            }
            Self::NotWhole(field) => {
                write!(f, "`{field}` was dropped; it is not a whole number in its range")
            }
            Self::UsageNotObject => f.write_str("a usage that is not an object was dropped"),
            Self::CostOutOfRange { most } => {
                write!(f, "`usage.cost` was dropped; it is not a number from 0 to {most}")
            }
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct ReplyFields<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    id: Option<ReplyId<'a>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    action: Option<LenientField<'a, Cow<'a, str>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    note: Option<LenientField<'a, Cow<'a, str>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    eval: Option<LenientField<'a, f64>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    score: Option<LenientField<'a, WholeNumber<i32>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    mate: Option<LenientField<'a, WholeNumber<i32>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    depth: Option<LenientField<'a, WholeNumber<u32>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    nodes: Option<LenientField<'a, WholeNumber<u64>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    time_ms: Option<LenientField<'a, WholeNumber<u64>>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    said: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    code: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    outage: Option<LenientField<'a, Cow<'a, str>>>,
}

impl Reply {
    /// Reads the reply to the turn with this id from a line without its newline.
    ///
    /// # Errors
    /// The line is not a reply to this turn, or a hosting program says that its player failed.
    pub fn read(line: &[u8], id: u64) -> Result<Self, ReplyError> {
        Self::read_with_note_limit(line, id, NOTE_LIMIT)
    }

    /// The same for a player whose notes may have this many bytes.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_with_note_limit(
        line: &[u8],
        id: u64,
        note_limit: usize,
    ) -> Result<Self, ReplyError> {
        let text = trim_reply_line(line)?;
        if !text.starts_with('{') {
            return Ok(Self { action: text.to_owned(), ..Self::default() });
        }
        let fields: ReplyFields<'_> = parse_reply_object(text, line)?;
        check_reply_id(fields.id.as_ref(), id)?;
        let action = match (fields.action, fields.error, fields.outage) {
            (Some(LenientField::Value(action)), ..) => action.into_owned(),
            (Some(LenientField::Other(_)), ..) => {
                return Err(ReplyError::ActionNotText(reply_error_excerpt(line)));
            }
            (None, Some(error), _) => {
                return Err(hosted_player_error(&error, fields.code.as_deref()));
            }
            (None, None, Some(LenientField::Value(message))) => {
                return Err(outage_reply_error(&message));
            }
            (None, None, _) => return Err(ReplyError::NoAction(reply_error_excerpt(line))),
        };
        let said = fields.said.map(|said| escape_bytes(said.as_bytes(), HOSTED_SHOWN));
        let mut reply = Self { action, said, ..Self::default() };
        reply.take_note(fields.note, note_limit);
        reply.take_eval(fields.eval.as_ref());
        reply.search = SearchReport {
            score: reply.take_whole("score", fields.score),
            mate: reply.take_whole("mate", fields.mate),
            depth: reply.take_whole("depth", fields.depth),
            nodes: reply.take_whole("nodes", fields.nodes),
            time_ms: reply.take_whole("time_ms", fields.time_ms),
        };
        reply.eval = reply.eval.or_else(|| reply.search.eval());
        Ok(reply)
    }

    /// The line, without its newline, with which a built-in player says that its rules program
    /// failed when it was asked the request with this id.
    ///
    /// # Panics
    /// Never: texts serialise.
    #[expect(clippy::expect_used, reason = "plain data serialises")]
    pub fn rules_program_failure_line(id: u64, message: &str) -> String {
        let fields = ReplyFields {
            id: whole_number_field(Some(id)),
            error: Some(message.into()),
            code: Some(RULES_PROGRAM.into()),
            ..ReplyFields::default()
        };
        serde_json::to_string(&fields).expect("plain data serialises")
    }

    /// The reply to the turn with this id as a line without its newline.
    ///
    /// # Panics
    /// Never: a reply is plain data.
    #[expect(clippy::expect_used, reason = "plain data serialises")]
    pub fn to_line(&self, id: u64) -> String {
        let fields = ReplyFields {
            id: whole_number_field(Some(id)),
            action: Some(LenientField::Value(Cow::Borrowed(&self.action))),
            note: self.note.as_deref().map(|note| LenientField::Value(Cow::Borrowed(note))),
            eval: self.eval.map(LenientField::Value),
            score: whole_number_field(self.search.score),
            mate: whole_number_field(self.search.mate),
            depth: whole_number_field(self.search.depth),
            nodes: whole_number_field(self.search.nodes),
            time_ms: whole_number_field(self.search.time_ms),
            said: self.said.as_deref().map(Cow::Borrowed),
            ..ReplyFields::default()
        };
        serde_json::to_string(&fields).expect("plain data serialises")
    }

    fn take_note(&mut self, note: Option<LenientField<'_, Cow<'_, str>>>, most: usize) {
        match note {
            Some(LenientField::Value(note)) if note.len() <= most => {
                self.note = Some(note.into_owned());
            }
            Some(LenientField::Value(note)) => {
                self.warnings.push(ReplyWarning::LongNote { bytes: note.len(), most });
            }
            Some(LenientField::Other(_)) => self.warnings.push(ReplyWarning::NoteNotText),
            None => {}
        }
    }

    fn take_whole<T>(
        &mut self,
        name: &'static str,
        field: Option<LenientField<'_, WholeNumber<T>>>,
    ) -> Option<T> {
        match field? {
            LenientField::Value(WholeNumber(number)) => Some(number),
            LenientField::Other(_) => {
                self.warnings.push(ReplyWarning::NotWhole(name));
                None
            }
        }
    }

    fn take_eval(&mut self, eval: Option<&LenientField<'_, f64>>) {
        match eval {
            Some(LenientField::Value(eval)) if (-1.0..=1.0).contains(eval) => {
                self.eval = Some(*eval);
            }
            Some(_) => self.warnings.push(ReplyWarning::EvalOutOfRange),
            None => {}
        }
    }
}

/// A whole number as written.
fn whole_number_field<T>(number: Option<T>) -> Option<LenientField<'static, WholeNumber<T>>> {
    number.map(|number| LenientField::Value(WholeNumber(number)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_reply_reads_as_it_is_written(
            action in ".{0,20}",
            note in prop::option::of(".{0,20}"),
            eval in prop::option::of(-1.0..=1.0),
            id: u64,
        ) {
            let reply = Reply { action, note, eval, ..Reply::default() };
            let line = reply.to_line(id);
            prop_assert!(!line.contains('\n'));
            let read = Reply::read(line.as_bytes(), id).expect("a reply");
            prop_assert_eq!((read.action, read.note), (reply.action, reply.note));
            let difference = read.eval.zip(reply.eval).map_or(0.0, |(one, other)| one - other);
            prop_assert!(difference.abs() < 1e-12);
            prop_assert_eq!(read.eval.is_some(), reply.eval.is_some());
            prop_assert!(read.warnings.is_empty());
        }

        #[test]
        fn no_line_breaks_the_reader(line: Vec<u8>, id: u64) {
            match Reply::read(&line, id) {
                Ok(reply) => prop_assert!(reply.note.is_none_or(|note| note.len() <= NOTE_LIMIT)),
                Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
            }
        }
    }

    fn error(line: &[u8]) -> String {
        Reply::read(line, 5).expect_err("refused").to_string()
    }

    #[test]
    fn plain_and_json_replies_are_equivalent() {
        for line in ["3,4", " 3,4 \r", r#"{"action":"3,4"}"#, r#"{"id":5,"action":"3,4","x":[1]}"#]
        {
            assert_eq!(Reply::read(line.as_bytes(), 5).expect("a reply").action, "3,4");
        }
    }

    #[test]
    fn whole_numbers_may_be_written_as_floating_point_ones() {
        for id in ["5.0", "5e0", "0.5E1", "50e-1"] {
            let line = format!(r#"{{"id":{id},"action":"a","depth":9.0,"score":-3.1e1}}"#);
            let reply = Reply::read(line.as_bytes(), 5).expect("a reply");
            let search = (reply.search.depth, reply.search.score);
            assert_eq!((search, reply.warnings.len()), ((Some(9), Some(-31)), 0), "{id}");
        }
        for (id, asked) in [("5.5", 5), ("4.0", 5), ("-5.0", 5), ("1e300", 5), ("2e19", u64::MAX)] {
            let line = format!(r#"{{"id":{id},"action":"a"}}"#);
            let error = Reply::read(line.as_bytes(), asked).expect_err("another id");
            assert!(matches!(error, ReplyError::WrongId { .. }), "{error}");
        }
    }

    #[test]
    fn bad_replies_have_distinct_errors() {
        assert_eq!(error(br#"{"id":4,"action":"a"}"#), "the reply has id 4, but the request had 5");
        assert_eq!(
            error(br#"{"id":"5","action":"a"}"#),
            "the reply has id \"5\", but the request had 5"
        );
        assert_eq!(error(br#"{"id":5}"#), r#"no "action" in {"id":5}"#);
        assert_eq!(error(br#"{"action":3}"#), r#""action" is not a string in {"action":3}"#);
        assert_eq!(
            error("\u{feff}3,4".as_bytes()),
            r"the reply begins with a byte order mark; write UTF-8 without one: \u{feff}3,4"
        );
        assert!(error(b"\xff3,4").starts_with("not valid UTF-8 at byte 1: "));
        assert!(error(br#"{"action":"3,4""#).starts_with("not a valid JSON reply (EOF while"));
        assert!(error(br#"{"action":"3,4"} x"#).starts_with("not a valid JSON reply (trailing"));
    }

    #[test]
    fn a_hosting_program_reports_its_players_errors() {
        let reply = Reply::read(br#"{"action":"pass","said":"action(3) returned \u001bNone"}"#, 0);
        assert_eq!(reply.expect("a reply").said.as_deref(), Some(r"action(3) returned \x1bNone"));
        let failed = |line: &[u8]| match Reply::read(line, 0) {
            Err(ReplyError::Hosted { message, crashed }) => (message, crashed),
            other => panic!("{other:?}"),
        };
        let message = "action(3) raised ValueError".to_owned();
        let line = br#"{"error":"action(3) raised ValueError","code":"crash"}"#;
        assert_eq!(failed(line), (message.clone(), true));
        assert_eq!(failed(br#"{"error":"action(3) raised ValueError"}"#), (message, false));
    }

    #[test]
    fn a_player_without_its_service_says_so_instead_of_an_action() {
        let read = |line: &[u8]| Reply::read(line, 5).expect_err("no action");
        let ReplyError::Outage { message } = read(br#"{"id":5,"outage":"503\u001b"}"#) else {
            panic!("an outage")
        };
        assert_eq!(message, r"503\x1b");
        assert!(matches!(read(br#"{"id":5,"outage":503}"#), ReplyError::NoAction(_)));
        assert!(matches!(read(br#"{"id":4,"outage":"no"}"#), ReplyError::WrongId { .. }));
        let both = Reply::read(br#"{"action":"a","outage":"no"}"#, 5);
        assert_eq!(both.expect("an action").action, "a");
    }

    #[test]
    fn notes_and_evals_of_the_wrong_kind_are_dropped_with_a_warning() {
        let reply = Reply::read(br#"{"action":"a","note":7,"eval":2}"#, 0).expect("a reply");
        assert_eq!((reply.note, reply.eval, reply.warnings.len()), (None, None, 2));
        let long = format!(r#"{{"action":"a","note":"{}"}}"#, "x".repeat(1025));
        let reply = Reply::read(long.as_bytes(), 0).expect("a reply");
        let warning = reply.warnings[0].to_string();
        assert_eq!(warning, "a note of 1025 bytes was dropped; the maximum is 1024");
        let long = |bytes| format!(r#"{{"action":"a","note":"{}"}}"#, "x".repeat(bytes));
        let read = |bytes| Reply::read_with_note_limit(long(bytes).as_bytes(), 0, LONG_NOTE_LIMIT);
        assert!(read(LONG_NOTE_LIMIT).expect("a reply").warnings.is_empty());
        let warning = read(LONG_NOTE_LIMIT + 1).expect("a reply").warnings[0].to_string();
        assert_eq!(warning, "a note of 16385 bytes was dropped; the maximum is 16384");
        let reply = Reply::read(br#"{"action":"a","note":"n","eval":-0.5}"#, 0).expect("a reply");
        assert_eq!((reply.note.as_deref(), reply.eval), (Some("n"), Some(-0.5)));
    }

    #[test]
    fn a_search_is_reported_in_whole_numbers() {
        let line = br#"{"action":"a","score":-31,"depth":9.5,"nodes":-1}"#;
        let reply = Reply::read(line, 0).expect("a reply");
        let search = SearchReport { score: Some(-31), ..SearchReport::default() };
        assert_eq!((reply.search, reply.eval), (search, Some(-0.089)));
        let texts: Vec<String> = reply.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            ["depth", "nodes"].map(|field| {
                format!("`{field}` was dropped; it is not a whole number in its range")
            })
        );
    }

    #[test]
    fn written_lines_round_trip() {
        let reply = Reply {
            action: "3,4>\"\\".to_owned(),
            note: Some("two\nlines".to_owned()),
            eval: Some(-0.25),
            search: SearchReport {
                mate: Some(3),
                nodes: Some(9),
                time_ms: Some(12),
                ..SearchReport::default()
            },
            ..Reply::default()
        };
        assert_eq!(Reply::read(reply.to_line(9).as_bytes(), 9).expect("a reply"), reply);
    }
}
