//! The protocol's messages as a bot reads and writes them, with only the fields that it needs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A message from the referee.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Message {
    Init(Init),
    Turn(TurnRequest),
    End,
    Quit,
    /// A message that needs no answer, such as `error`.
    #[serde(other)]
    Other,
}

/// The start of a game.
#[derive(Debug, Deserialize)]
pub(super) struct Init {
    pub(super) id: u64,
    pub(super) protocol: Vec<u32>,
    pub(super) game: String,
    #[serde(default)]
    pub(super) options: BTreeMap<String, OptionText>,
    pub(super) you: String,
    #[serde(default)]
    pub(super) clock: InitClock,
    #[serde(default)]
    pub(super) seed: u64,
}

/// The value of an option.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OptionText {
    Number(u64),
    Word(String),
    /// A list, which is passed on as JSON text.
    Other(serde_json::Value),
}

impl fmt::Display for OptionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => f.write_str(word),
            Self::Other(value) => value.fmt(f),
        }
    }
}

/// The time limits, the same for every turn.
#[expect(clippy::struct_field_names, reason = "the names on the wire")]
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(super) struct InitClock {
    pub(super) budget_ms: Option<u64>,
    pub(super) increment_ms: Option<u64>,
    pub(super) move_ms: Option<u64>,
}

/// A request for an action.
#[derive(Debug, Deserialize)]
pub(super) struct TurnRequest {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) events: Vec<Happened>,
    #[serde(default)]
    pub(super) clock: TurnClock,
}

/// An event since the player's last turn.
#[derive(Debug, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Happened {
    Action {
        by: String,
        action: String,
    },
    Roll {
        value: u8,
    },
    First {
        rolls: [u8; 2],
    },
    /// An event that follows from the actions by the rules.
    #[serde(other)]
    Other,
}

/// The player's own clock.
#[derive(Debug, Default, Deserialize)]
pub(super) struct TurnClock {
    pub(super) left_ms: Option<u64>,
}

/// The reply to [`Init`].
#[derive(Debug, Serialize)]
pub(super) struct Greeting {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) version: &'static str,
    pub(super) want: [&'static str; 1],
}

/// The reply to [`TurnRequest`].
#[derive(Debug, Serialize)]
pub(super) struct Reply {
    pub(super) id: u64,
    pub(super) action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) eval: Option<f64>,
}
