//! A player's reply to `init`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::lenient_field::LenientField;
use crate::reply_error::{
    ReplyError, ReplyId, check_reply_id, hosted_player_error, outage_reply_error,
    parse_reply_object, trim_reply_line,
};
use crate::{VERSIONS, reply_error_excerpt};
use referee_games::WholeNumber;

/// The most guesses that a player gets with a turn.
pub(crate) const MOST_GUESSES: u32 = 16;

/// Which parts of a message a player wants to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GreetingWants {
    /// The position.
    pub state: bool,
    /// The events.
    pub events: bool,
    /// The legal actions.
    pub legal: bool,
}

impl Default for GreetingWants {
    fn default() -> Self {
        Self { state: true, events: true, legal: true }
    }
}

impl GreetingWants {
    /// No part.
    pub const NOTHING: Self = Self { state: false, events: false, legal: false };

    /// The names of the wanted parts.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let named = [("state", self.state), ("events", self.events), ("legal", self.legal)];
        named.into_iter().filter_map(|(name, wanted)| wanted.then_some(name))
    }

    fn from_names(names: &[Cow<'_, str>]) -> Result<Self, ReplyError> {
        let mut wants = Self::NOTHING;
        for name in names {
            match &**name {
                "state" => wants.state = true,
                "events" => wants.events = true,
                "legal" => wants.legal = true,
                other => {
                    return Err(ReplyError::UnknownPart(reply_error_excerpt(other.as_bytes())));
                }
            }
        }
        Ok(wants)
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
    pub wants: GreetingWants,
    /// The number of guesses that it wants to receive with each turn.
    pub guesses: u32,
}

#[derive(Default, Serialize, Deserialize)]
struct GreetingFields<'a> {
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    id: Option<ReplyId<'a>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    version: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<WholeNumber<u32>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    want: Option<Vec<Cow<'a, str>>>,
    #[serde(default, skip_serializing_if = "is_zero")]
    guesses: WholeNumber<u32>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    code: Option<Cow<'a, str>>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    outage: Option<LenientField<'a, Cow<'a, str>>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &WholeNumber<u32>) -> bool {
    number.0 == 0
}

impl Greeting {
    /// Reads the reply to the `init` with this id from a line without its newline.
    ///
    /// # Errors
    /// The line is not a greeting, or the player refuses the game.
    pub fn read(line: &[u8], id: u64) -> Result<Self, ReplyError> {
        let text = trim_reply_line(line)?;
        if text == "ok" {
            return Ok(Self::default());
        }
        if !text.starts_with('{') {
            return Err(ReplyError::NoGreeting { id, line: reply_error_excerpt(line) });
        }
        let fields: GreetingFields<'_> = parse_reply_object(text, line)?;
        check_reply_id(fields.id.as_ref(), id)?;
        if let Some(error) = fields.error {
            return Err(hosted_player_error(&error, fields.code.as_deref()));
        }
        if let Some(LenientField::Value(message)) = fields.outage {
            return Err(outage_reply_error(&message));
        }
        let spoken = fields.protocol.map(|WholeNumber(spoken)| spoken);
        if let Some(spoken) = spoken.filter(|spoken| !VERSIONS.contains(spoken)) {
            return Err(ReplyError::UnknownVersion(spoken));
        }
        Ok(Self {
            name: fields.name.map(Cow::into_owned),
            version: fields.version.map(Cow::into_owned),
            wants: fields
                .want
                .map_or(Ok(GreetingWants::default()), |names| GreetingWants::from_names(&names))?,
            guesses: fields.guesses.0.min(MOST_GUESSES),
        })
    }

    /// The reply to the `init` with this id as a line without its newline.
    ///
    /// # Panics
    /// Never: a greeting is plain data.
    #[expect(clippy::expect_used, reason = "plain data serialises")]
    pub fn to_line(&self, id: u64) -> String {
        let fields = GreetingFields {
            id: Some(LenientField::Value(WholeNumber(id))),
            name: self.name.as_deref().map(Cow::Borrowed),
            version: self.version.as_deref().map(Cow::Borrowed),
            want: Some(self.wants.names().map(Cow::Borrowed).collect()),
            guesses: WholeNumber(self.guesses),
            ..GreetingFields::default()
        };
        serde_json::to_string(&fields).expect("plain data serialises")
    }

    /// Its name and version, escaped and cut; empty if it gave none.
    pub fn name_and_version(&self) -> String {
        let parts: Vec<&str> =
            [&self.name, &self.version].into_iter().flatten().map(String::as_str).collect();
        reply_error_excerpt(parts.join(" ").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_line_breaks_the_reader(line: Vec<u8>, id: u64) {
            match Greeting::read(&line, id) {
                Ok(greeting) => prop_assert!(!greeting.name_and_version().contains(char::is_control)),
                Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
            }
        }

        #[test]
        fn any_greeting_reads_as_it_is_written(
            name in prop::option::of(".{0,20}"),
            version in prop::option::of(".{0,20}"),
            (state, events, legal) in any::<(bool, bool, bool)>(),
            id: u64,
        ) {
            let wants = GreetingWants { state, events, legal };
            let greeting = Greeting { name, version, wants, ..Greeting::default() };
            let line = greeting.to_line(id);
            prop_assert_eq!(Greeting::read(line.as_bytes(), id).expect("a greeting"), greeting);
        }
    }

    #[test]
    fn a_hosting_program_speaks_for_a_player_that_does_not_start() {
        let read = |line: &[u8]| Greeting::read(line, 0).expect_err("it does not start");
        let line = br#"{"id":0,"error":"no module\u001b","code":"crash"}"#;
        let ReplyError::Hosted { message, crashed } = read(line) else { panic!("hosted") };
        assert_eq!((message.as_str(), crashed), (r"no module\x1b", true));
        let other = read(br#"{"id":4}"#).to_string();
        assert!(other.contains("id 4") && other.contains('0'), "{other}");
    }

    #[test]
    fn reported_names_are_cut_and_escaped() {
        let named = |name: &str, version: Option<&str>| {
            let (name, version) = (Some(name.to_owned()), version.map(str::to_owned));
            Greeting { name, version, ..Greeting::default() }.name_and_version()
        };
        assert_eq!(named("ant", Some("1.2")), "ant 1.2");
        assert_eq!(named("a\u{1b}b", None), r"a\x1bb");
        assert!(named(&"x".repeat(1000), None).chars().count() < 200);
        assert_eq!(Greeting::default().name_and_version(), "");
    }

    #[test]
    fn a_greeting_is_ok_or_an_object() {
        assert_eq!(Greeting::read(b"ok", 0).expect("fine"), Greeting::default());
        let greeting =
            Greeting::read(br#"{"id":0,"name":"R","want":["events"]}"#, 0).expect("fine");
        assert_eq!(greeting.wants, GreetingWants { events: true, ..GreetingWants::NOTHING });
        let error = |line: &[u8]| Greeting::read(line, 0).expect_err("refused").to_string();
        assert_eq!(
            error(b"Hello!"),
            "expected {\"id\":0} or ok as the first line on stdout, but read \"Hello!\"; debug \
             output belongs on stderr"
        );
        assert_eq!(
            error(br#"{"want":["moves"]}"#),
            "\"want\" contains \"moves\"; expected state, events or legal"
        );
        assert_eq!(error(br#"{"protocol":2}"#), "it speaks protocol 2, the referee [1]");
    }

    #[test]
    fn whole_numbers_may_be_written_as_floating_point_ones() {
        let line = br#"{"id":0.0,"protocol":1.0,"guesses":2.0}"#;
        assert_eq!(Greeting::read(line, 0).expect("a greeting").guesses, 2);
        let error = Greeting::read(br#"{"id":0.5}"#, 0).expect_err("refused").to_string();
        assert_eq!(error, "the reply has id 0.5, but the request had 0");
    }

    #[test]
    fn a_byte_order_mark_is_named() {
        for line in ["ok", r#"{"id":0}"#] {
            let error = Greeting::read(format!("\u{feff}{line}").as_bytes(), 0);
            let said = "the reply begins with a byte order mark; write UTF-8 without one";
            let said = format!("{said}: \\u{{feff}}{line}");
            assert_eq!(error.expect_err("refused").to_string(), said);
        }
    }

    #[test]
    fn written_lines_round_trip() {
        let wants = GreetingWants { state: true, legal: true, events: false };
        let name = Some("Zoë \"1\"".to_owned());
        let greeting = Greeting { name, wants, ..Greeting::default() };
        let line = greeting.to_line(3);
        assert_eq!(line, r#"{"id":3,"name":"Zoë \"1\"","want":["state","legal"]}"#);
        assert_eq!(Greeting::read(line.as_bytes(), 3).expect("a greeting"), greeting);
        let line = Greeting { guesses: 2 * MOST_GUESSES, ..greeting }.to_line(3);
        assert_eq!(Greeting::read(line.as_bytes(), 3).expect("one").guesses, MOST_GUESSES);
    }
}
