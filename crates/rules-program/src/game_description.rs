//! A game's description by its rules program, checked once when the program is opened.

use std::borrow::Cow;
use std::collections::HashSet;

use referee_games::options::{OptionKind, option_value_text};
use referee_games::{BoardLook, BySeat, Clause, OptionSpec, Options, PlacesTell, SEATS, Text};

use crate::boards::check_board_look;
use crate::contract::{GameAnswer, VERSION};
use crate::error::Violation;
use crate::printable::printable;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

/// The description of a game.
#[derive(Debug)]
pub(crate) struct GameDescription {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) seats: BySeat<Text>,
    pub(crate) hidden: bool,
    pub(crate) ranking: PlacesTell,
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) clauses: Vec<Clause>,
    pub(crate) board: Option<BoardLook>,
}

impl GameDescription {
    /// Checks the answer to `game`.
    pub(crate) fn new(answer: GameAnswer) -> Result<Self, Violation> {
        let GameAnswer { protocol, name, title, seats, hidden, ranking, .. } = answer;
        let (options, clauses, board) = (answer.options, answer.clauses, answer.board);
        if protocol != VERSION {
            return Err(Violation::Version(protocol));
        }
        check_described_name(&name)?;
        check_described_seats(&seats)?;
        check_distinct_described_names(options.iter().map(|option| &*option.name))?;
        check_distinct_described_names(clauses.iter().map(|clause| &*clause.id))?;
        let options =
            options.into_iter().map(check_described_option).collect::<Result<Vec<_>, _>>()?;
        check_described_defaults(&options)?;
        let seats = seats.into_iter().map(Cow::Owned).collect();
        let clauses = clauses.into_iter().map(described_clause).collect();
        let title = printable(&title);
        board.iter().try_for_each(|look| check_board_look(look, &seats))?;
        Ok(Self { name, title, seats, hidden, ranking, options, clauses, board })
    }
}

fn check_described_name(name: &str) -> Result<(), Violation> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-');
    if fits { Ok(()) } else { Err(Violation::Name(name.to_owned())) }
}

fn check_described_seats(seats: &[String]) -> Result<(), Violation> {
    if !SEATS.contains(&seats.len()) {
        return Err(Violation::SeatCount(seats.len()));
    }
    seats.iter().try_for_each(|seat| check_described_name(seat))?;
    let different: HashSet<&String> = seats.iter().collect();
    let clash = different.len() < seats.len() || seats.iter().any(|seat| seat == "draw");
    if clash { Err(Violation::SeatNames) } else { Ok(()) }
}

fn check_distinct_described_names<'a>(
    names: impl Iterator<Item = &'a str>,
) -> Result<(), Violation> {
    let mut seen = HashSet::new();
    names.into_iter().try_for_each(|name| {
        if seen.insert(name) { Ok(()) } else { Err(Violation::ListedTwice(name.to_owned())) }
    })
}

/// The option with texts that are safe to show.
fn check_described_option(spec: OptionSpec) -> Result<OptionSpec, Violation> {
    let OptionSpec { name, mut kind, default, help, clause, .. } = spec;
    check_described_name(&name)?;
    let lists = match &mut kind {
        OptionKind::Choice { values } => vec![values],
        OptionKind::List(list) => vec![&mut list.words, &mut list.items],
        OptionKind::Number { .. } | OptionKind::Boolean | OptionKind::Text => Vec::new(),
    };
    for (_, meaning) in lists.into_iter().flat_map(|words| &mut words.0) {
        *meaning = printable(meaning);
    }
    let default = default.map(|value| printable(&option_value_text(&value)).into());
    Ok(OptionSpec { name, kind, default, default_by: None, help: described_lines(&help), clause })
}

/// A text for people, line by line safe to show.
fn described_lines(text: &str) -> Text {
    text.lines().map(printable).collect::<Vec<_>>().join("\n").into()
}

fn check_described_defaults(options: &[OptionSpec]) -> Result<(), Violation> {
    match Options::resolve(options, []) {
        Ok(_) => Ok(()),
        Err(error) => Err(Violation::Default(error.name().unwrap_or_default().to_owned())),
    }
}

fn described_clause(words: Clause) -> Clause {
    let Clause { id, title, text } = words;
    Clause {
        id: described_lines(&id),
        title: described_lines(&title),
        text: described_lines(&text),
    }
}

#[cfg(test)]
mod tests;
