//! The keys under `[[players]]`.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::keys::{Field, TableReader};
use super::problem::{ByteSpan, Problem, Problems};

/// The keys under one `[[players]]`.
#[derive(Debug)]
pub(super) struct PlayerKeys {
    /// The place of the table's header.
    pub at: ByteSpan,
    pub name: Field<String>,
    pub run: RunMethod,
    pub dir: Field<String>,
    pub python: Field<String>,
    pub lenient: Field<bool>,
    pub reusable: Field<bool>,
    pub guesses: Field<bool>,
    pub rating: Field<f64>,
    pub env: Field<BTreeMap<String, String>>,
    pub files: Field<Vec<Spanned<String>>>,
}

/// Which of `command`, `bot` and `comp30024` was given. The inner value is `None` if its type is
/// wrong.
#[derive(Debug)]
pub(super) enum RunMethod {
    Command(Field<Vec<Spanned<String>>>),
    Bot(Field<String>),
    Class(Field<String>),
    /// More than one was given; these are the first two.
    Several([(&'static str, ByteSpan); 2]),
    Neither,
}

impl PlayerKeys {
    fn read(mut keys: TableReader<'_>, problems: &mut Problems) -> Self {
        let player = Self {
            at: keys.at(),
            name: keys.required("name", "\"greedy\"", problems),
            run: RunMethod::read(&mut keys, problems),
            dir: keys.optional("dir", problems),
            python: keys.optional("python", problems),
            lenient: keys.optional("lenient", problems),
            reusable: keys.optional("reusable", problems),
            guesses: keys.optional("guesses", problems),
            rating: keys.optional("rating", problems),
            env: keys.optional("env", problems),
            files: keys.optional("files", problems),
        };
        keys.finish(problems);
        player
    }
}

impl RunMethod {
    fn read(keys: &mut TableReader<'_>, problems: &mut Problems) -> Self {
        let command = keys.optional("command", problems);
        let bot = keys.optional("bot", problems);
        let class = keys.optional("comp30024", problems);
        let given = ["command", "bot", "comp30024"]
            .into_iter()
            .filter_map(|key| Some((key, keys.key(key)?)))
            .collect::<Vec<_>>();
        match &given[..] {
            [] => Self::Neither,
            [("command", _)] => Self::Command(command),
            [("bot", _)] => Self::Bot(bot),
            [_] => Self::Class(class),
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
    let items = value.get_ref().as_array();
    let tables: Option<Vec<_>> = items.and_then(|items| items.iter().map(player_table).collect());
    let Some(tables) = tables else {
        let problem = Problem::new(value.span(), "unexpected value of `players`");
        problems.add(problem.label("expected a `[[players]]` table for each player"));
        return None;
    };
    let read = |problems: &mut Problems| {
        tables.into_iter().map(|keys| PlayerKeys::read(keys, problems)).collect()
    };
    Some(problems.of_players(read))
}

fn player_table<'a>(value: &'a Spanned<DeValue<'a>>) -> Option<TableReader<'a>> {
    let entries = value.get_ref().as_table()?;
    Some(TableReader::new("this `[[players]]`", value.span(), entries))
}
