//! The keys under `[[players]]`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::keys::{Field, FromTable, TableReader, tables};
use super::problem::{ByteSpan, Problems};

/// The keys under one `[[players]]`.
#[derive(Debug)]
pub(super) struct PlayerKeys {
    /// The place of the table's header.
    pub(crate) at: ByteSpan,
    pub name: Field<String>,
    pub(crate) run: RunMethod,
    pub dir: Field<String>,
    pub(crate) reusable: Field<bool>,
    pub guesses: Field<bool>,
    pub(crate) rating: Field<f64>,
    pub(crate) env: Field<BTreeMap<String, String>>,
    pub(crate) files: Field<Vec<Spanned<String>>>,
}

/// Which of `command` and `bot` was given. The inner value is `None` if its type is wrong.
#[derive(Debug)]
pub(super) enum RunMethod {
    Command(Field<Vec<Spanned<String>>>),
    Bot(Field<String>),
    /// Both were given.
    Several([(&'static str, ByteSpan); 2]),
    Neither,
}

impl FromTable for PlayerKeys {
    const TITLE: &'static str = "this `[[players]]`";

    fn from_keys(keys: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        Self {
            at: keys.at(),
            name: keys.required("name", "\"greedy\"", problems),
            run: RunMethod::read(keys, problems),
            dir: keys.optional("dir", problems),
            reusable: keys.optional("reusable", problems),
            guesses: keys.optional("guesses", problems),
            rating: keys.optional("rating", problems),
            env: keys.optional("env", problems),
            files: keys.optional("files", problems),
        }
    }
}

impl RunMethod {
    fn read(keys: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        let command = keys.optional("command", problems);
        let bot = keys.optional("bot", problems);
        let given = ["command", "bot"]
            .into_iter()
            .filter_map(|key| Some((key, keys.key(key)?)))
            .collect::<Vec<_>>();
        match &given[..] {
            [] => Self::Neither,
            [("command", _)] => Self::Command(command),
            [_] => Self::Bot(bot),
            [one, other, ..] => Self::Several([one.clone(), other.clone()]),
        }
    }
}

/// Reads the players of the file; `None` if `players` is not a list of tables.
pub(super) fn players(
    keys: &mut TableReader<'_>,
    problems: &mut Problems,
) -> Option<Vec<PlayerKeys>> {
    let Some(value) = keys.value("players") else { return Some(Vec::new()) };
    let expected = "a `[[players]]` table for each player";
    problems.of_players(|problems| tables("players", value, expected, problems))
}
