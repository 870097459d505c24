//! A game's description by its rules program, checked once when the program is opened.

use std::borrow::Cow;
use std::collections::HashSet;

use referee_games::options::{ListKind, OptionKind, Preset, Words};
use referee_games::{BySeat, Clause, OptionSpec, Options, Text};
use serde_json::Value;

use crate::contract::{GameAnswer, OptionValues, OptionWords, VERSION, WordList};
use crate::error::{Violation, printable};

/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

/// The description of a game.
#[derive(Debug)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) seats: BySeat<Text>,
    pub(crate) hidden: bool,
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) clauses: Vec<Clause>,
}

impl Description {
    /// Checks the answer to `game`.
    pub(crate) fn new(answer: GameAnswer) -> Result<Self, Violation> {
        let GameAnswer { protocol, name, title, seats, hidden, options, clauses, .. } = answer;
        if protocol != VERSION {
            return Err(Violation::Version(protocol));
        }
        check_name(&name)?;
        check_seats(&seats)?;
        no_twins(options.iter().map(|option| option.name.as_str()))?;
        no_twins(clauses.iter().map(|clause| &*clause.id))?;
        let options = options.into_iter().map(option).collect::<Result<Vec<_>, _>>()?;
        check_defaults(&options)?;
        let [first, second] = seats.map(Cow::Owned);
        let seats = BySeat::new(first, second);
        let clauses = clauses.into_iter().map(clause).collect();
        let title = printable(&title);
        Ok(Self { name, title, seats, hidden, options, clauses })
    }
}

fn check_name(name: &str) -> Result<(), Violation> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-');
    if fits { Ok(()) } else { Err(Violation::Name(name.to_owned())) }
}

fn check_seats(seats: &[String; 2]) -> Result<(), Violation> {
    seats.iter().try_for_each(|seat| check_name(seat))?;
    let clash = seats[0] == seats[1] || seats.iter().any(|seat| seat == "draw");
    if clash { Err(Violation::SeatNames) } else { Ok(()) }
}

fn no_twins<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Violation> {
    let mut seen = HashSet::new();
    names.into_iter().try_for_each(|name| {
        if seen.insert(name) { Ok(()) } else { Err(Violation::ListedTwice(name.to_owned())) }
    })
}

fn option(words: OptionWords) -> Result<OptionSpec, Violation> {
    let OptionWords { name, values, default, text, clause } = words;
    check_name(&name)?;
    let kind = match values {
        OptionValues::Integer { min, max } => OptionKind::Number { min, max },
        OptionValues::Boolean => OptionKind::Boolean,
        OptionValues::Choice { values } => OptionKind::Choice(words_of(values)),
        OptionValues::List { words, items, files } => OptionKind::List(Cow::Owned(ListKind {
            words: words_of(words),
            items: words_of(items),
            files: files.into(),
            // The program checks the files, in `start`.
            check: |_, _| Ok(None),
        })),
    };
    let default = match default {
        Some(value) => Preset::Always(plain(&value).into()),
        None => Preset::Depends { words: "chosen by the game".into(), choose: |_| None },
    };
    let clause = clause.map(Text::from);
    Ok(OptionSpec { name: name.into(), clause, kind, default, help: shown(&text) })
}

fn words_of(list: WordList) -> Words {
    Words::Named(match list {
        WordList::Plain(words) => words.into_iter().map(|word| (word, String::new())).collect(),
        WordList::Explained(words) => {
            words.into_iter().map(|(word, meaning)| (word, plain(&meaning))).collect()
        }
    })
}

/// A text for people, line by line safe to show.
fn shown(text: &str) -> Text {
    text.lines().map(printable).collect::<Vec<_>>().join("\n").into()
}

/// The text of a value, without the quotes of a string.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), printable)
}

fn check_defaults(options: &[OptionSpec]) -> Result<(), Violation> {
    match Options::resolve(options, []) {
        Ok(_) => Ok(()),
        Err(error) => Err(Violation::Default(error.name().unwrap_or_default().to_owned())),
    }
}

fn clause(words: Clause) -> Clause {
    let Clause { id, title, text } = words;
    Clause { id: shown(&id), title: shown(&title), text: shown(&text) }
}

#[cfg(test)]
mod tests;
