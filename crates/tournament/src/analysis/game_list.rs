//! Reads a list of games, in CSV, from any source: who played, the result, and perhaps the pair and
//! the faults.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};

use super::results::{Faulted, NamedResults};
use referee_games::{BySeat, GameKind, Seat};
use referee_ratings::GameOutcome;
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;

/// The maximum number of bad lines to list.
const NAMED: usize = 10;

/// An error in a list of games.
#[derive(Debug, thiserror::Error)]
pub enum GameListError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It has no games.
    #[error("it has no games; expected one line per game")]
    Empty,
    /// Some lines are invalid: the first few, and the number of the others.
    #[error("{}", listed(.0, *.1))]
    Lines(Vec<BadLine>, usize),
}

/// An invalid line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {problem}", in_column(*column))]
pub struct BadLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// The column by its name in the header line; `None` if the whole line is wrong.
    column: Option<&'static str>,
    /// The problem, and what was expected.
    pub problem: String,
}

fn in_column(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!(", column `{column}`"))
}

/// The bad lines and the number of the others, a line each.
fn listed(bad: &[BadLine], more: usize) -> String {
    let mut lines: Vec<String> = bad.iter().map(ToString::to_string).collect();
    match more {
        0 => {}
        1 => lines.push("and 1 more bad line".to_owned()),
        more => lines.push(format!("and {more} more bad lines")),
    }
    lines.join("\n  ")
}

/// Reads the results of all games. The first line names the columns, in any order: `first`,
/// `second` and `result`, and optionally `pair` and `fault`; others are ignored. Blank lines are
/// skipped.
///
/// # Errors
///
/// When the list cannot be read, has no games, or has bad lines, all of which are found.
pub fn read(input: impl BufRead, faulted: Faulted) -> Result<NamedResults, GameListError> {
    let mut columns = None;
    let (mut list, mut bad, mut more) = (GameList::default(), Vec::new(), 0);
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(GameListError::Unreadable)?;
        // Some programs write a byte order mark first.
        let line = line.trim_start_matches('\u{feff}');
        if line.trim().is_empty() {
            continue;
        }
        let fields = fields(line);
        let Some(columns) = &columns else {
            columns = Some(ListColumns::of(&fields)?);
            continue;
        };
        match list.add(columns, number, &fields) {
            Ok(()) => {}
            Err((column, problem)) if bad.len() < NAMED => {
                bad.push(BadLine { line: number, column, problem });
            }
            Err(_) => more += 1,
        }
    }
    if !bad.is_empty() {
        return Err(GameListError::Lines(bad, more));
    }
    if list.games.is_empty() { Err(GameListError::Empty) } else { Ok(list.results(faulted)) }
}

/// The fields of a line, unquoted and without blanks around them.
fn fields(line: &str) -> Vec<Cow<'_, str>> {
    if !line.contains('"') {
        return line.split(',').map(|field| field.trim().into()).collect();
    }
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(|field| field.trim().to_owned().into()).collect()
}

/// An error in a line: the column and the problem.
type FieldError = (Option<&'static str>, String);

/// The index of each column.
#[derive(Debug)]
struct ListColumns {
    first: usize,
    second: usize,
    result: usize,
    pair: Option<usize>,
    fault: Option<usize>,
    /// The number of columns.
    count: usize,
}

impl ListColumns {
    /// Finds the columns in the header line.
    fn of(header: &[Cow<'_, str>]) -> Result<Self, GameListError> {
        let refused =
            |problem| GameListError::Lines(vec![BadLine { line: 1, column: None, problem }], 0);
        let named = |name: &str| {
            let mut found = (0..).zip(header).filter(|(_, field)| *field == name);
            let first = found.next().map(|(column, _)| column);
            match found.next() {
                Some(_) => Err(refused(format!("the column `{name}` is there twice"))),
                None => Ok(first),
            }
        };
        let required = |name: &str| {
            named(name)?.ok_or_else(|| {
                refused(format!(
                    "missing column `{name}`; expected a header line such as \
                     `first,second,result`{}",
                    other_separator(header).unwrap_or_default()
                ))
            })
        };
        let columns = Self {
            first: required("first")?,
            second: required("second")?,
            result: required("result")?,
            pair: named("pair")?,
            fault: named("fault")?,
            count: header.len(),
        };
        // Without this player, the ranking would be that of another tournament.
        match named("third")? {
            None => Ok(columns),
            Some(_) => Err(refused(
                "the column `third` names a third player; expected games of two players, `first` \
                 and `second`"
                    .to_owned(),
            )),
        }
    }
}

/// Says that commas are expected, if a header line seems to have other separators.
fn other_separator(header: &[Cow<'_, str>]) -> Option<&'static str> {
    let has = |separator| header.iter().any(|field| field.contains(separator));
    if has(';') {
        Some(", with commas instead of semicolons")
    } else {
        has('\t').then_some(", with commas instead of tabs")
    }
}

/// A game, with the numbers of its players in the order of the list.
#[derive(Debug)]
struct ListedGame {
    players: BySeat<usize>,
    pair: Option<u32>,
    summary: GameSummary,
}

/// The games read so far.
#[derive(Debug, Default)]
struct GameList {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    games: Vec<ListedGame>,
    /// The pairs, by the two players, the lower number first, and the number of the pair.
    pairs: HashMap<(usize, usize, u32), ListedPair>,
}

/// The lines of the games of a pair that were read so far.
#[derive(Debug, Clone, Copy)]
struct ListedPair {
    /// The player with the first seat in the first game.
    first_player: usize,
    line: usize,
    /// The line of the second game.
    other_line: Option<usize>,
}

impl GameList {
    /// Adds the game that the line with this number describes.
    fn add(
        &mut self,
        columns: &ListColumns,
        line: usize,
        fields: &[Cow<'_, str>],
    ) -> Result<(), FieldError> {
        if fields.len() != columns.count {
            let (expected, found) = (columns.count, fields.len());
            let problem =
                format!("expected {expected} fields as in the header line, found {found}");
            return Err((None, problem));
        }
        let optional = |at: Option<usize>| at.map_or("", |at| &*fields[at]);
        let (first, second) = (&*fields[columns.first], &*fields[columns.second]);
        let pair = pair(optional(columns.pair))?;
        let outcome = outcome(&fields[columns.result])?;
        let faults = faults(optional(columns.fault), outcome)?;
        if first == second {
            let problem = format!("`{}` cannot play against itself", second.escape_debug());
            return Err((Some("second"), problem));
        }
        let players = BySeat::new(self.number("first", first)?, self.number("second", second)?);
        if let Some(pair) = pair {
            self.pair_up(players, pair, line)?;
        }
        let both_failed = faults.first.is_some() && faults.second.is_some();
        let outcome = (!both_failed).then_some(outcome);
        let summary = GameSummary { outcome, faults, fingerprint: None };
        self.games.push(ListedGame { players, pair, summary });
        Ok(())
    }

    /// The number of the player called `name`.
    fn number(&mut self, column: &'static str, name: &str) -> Result<usize, FieldError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.is_empty() {
            return Err((Some(column), "it is empty; expected a player's name".to_owned()));
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Checks that a pair has at most two games, with the seats swapped.
    fn pair_up(
        &mut self,
        players: BySeat<usize>,
        pair: u32,
        line: usize,
    ) -> Result<(), FieldError> {
        let BySeat { first, second } = players;
        let key = (first.min(second), first.max(second), pair);
        let Some(found) = self.pairs.get_mut(&key) else {
            let fresh = ListedPair { first_player: first, line, other_line: None };
            self.pairs.insert(key, fresh);
            return Ok(());
        };
        let problem = match found.other_line {
            Some(other) => format!("a third game, after lines {} and {other}", found.line),
            None if found.first_player == first => {
                let name = self.names[first].escape_debug();
                format!("`{name}` is the first player here and in line {}", found.line)
            }
            None => {
                found.other_line = Some(line);
                return Ok(());
            }
        };
        let [one, other] = [first, second].map(|player| self.names[player].escape_debug());
        let problem = format!(
            "pair {pair} of `{one}` and `{other}`: {problem}; expected two games with the seats \
             swapped; give each pair of these players a number of its own, and leave the field of \
             a single game empty"
        );
        Err((Some("pair"), problem))
    }

    /// All games as results. Players are numbered by name: rank intervals come from random numbers
    /// that players get in the order of their numbers, and the order of the list must not matter.
    fn results(self, faulted: Faulted) -> NamedResults {
        let mut names = self.names.clone();
        names.sort_unstable();
        let mut results = NamedResults::new(&names).with(faulted);
        let place = |name: &String| names.partition_point(|before| before < name);
        let numbers: Vec<usize> = self.names.iter().map(place).collect();
        for ListedGame { players, pair, summary } in self.games {
            results.add_summary(players.map(|player| numbers[player]), pair, summary);
        }
        results
    }
}

/// The texts of results, from the side of the first seat.
const RESULTS: [(&str, GameOutcome); 13] = [
    ("first", GameOutcome::Win),
    ("second", GameOutcome::Loss),
    ("draw", GameOutcome::Draw),
    ("1-0", GameOutcome::Win),
    ("0-1", GameOutcome::Loss),
    ("1/2-1/2", GameOutcome::Draw),
    ("½-½", GameOutcome::Draw),
    ("win", GameOutcome::Win),
    ("loss", GameOutcome::Loss),
    ("1", GameOutcome::Win),
    ("0", GameOutcome::Loss),
    ("0.5", GameOutcome::Draw),
    ("½", GameOutcome::Draw),
];

/// The outcome for the first seat that `result` names.
fn outcome(result: &str) -> Result<GameOutcome, FieldError> {
    let known = RESULTS.iter().find(|(text, _)| text.eq_ignore_ascii_case(result));
    known.map(|(_, outcome)| *outcome).or_else(|| seat_outcome(result)).ok_or_else(|| {
        let problem = format!(
            "invalid result `{}`; expected `first`, `second` or `draw`, or `1-0`, `0-1` or \
             `1/2-1/2`",
            result.escape_debug()
        );
        (Some("result"), problem)
    })
}

/// The outcome if `result` names the winner by its seat in a built-in game, as in `games.csv`.
fn seat_outcome(result: &str) -> Option<GameOutcome> {
    GameKind::all().iter().find_map(|kind| {
        let seats = kind.game().seats();
        let winner = Seat::BOTH.into_iter().find(|&seat| seats[seat] == result)?;
        Some(if winner == Seat::First { GameOutcome::Win } else { GameOutcome::Loss })
    })
}

/// The number of the pair, if the game has one.
fn pair(text: &str) -> Result<Option<u32>, FieldError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let problem = format!(
            "invalid pair `{}`; expected a whole number that the two games of a pair share, or \
             nothing",
            text.escape_debug()
        );
        (Some("pair"), problem)
    })
}

/// The faults by seat: nothing, the code of the loser's fault, or both codes, as `crash+timeout`, or
/// `timeout+none` in a draw with one fault.
fn faults(text: &str, outcome: GameOutcome) -> Result<BySeat<Option<FaultCode>>, FieldError> {
    let code = |name: &str| {
        FaultCode::ALL.into_iter().find(|code| code.name() == name).ok_or_else(|| {
            let codes = FaultCode::ALL.map(|code| format!("`{}`", code.name())).join(", ");
            let problem = format!(
                "invalid fault `{}`; expected one of {codes}, two of them joined with `+` if both \
                 players failed, or nothing",
                name.escape_debug()
            );
            (Some("fault"), problem)
        })
    };
    match (text.split_once('+'), outcome) {
        _ if text.is_empty() => Ok(BySeat::new(None, None)),
        (Some((first, "none")), GameOutcome::Draw) => Ok(BySeat::new(Some(code(first)?), None)),
        (Some(("none", second)), GameOutcome::Draw) => Ok(BySeat::new(None, Some(code(second)?))),
        (Some((first, second)), _) => Ok(BySeat::new(Some(code(first)?), Some(code(second)?))),
        (None, GameOutcome::Win) => Ok(BySeat::new(None, Some(code(text)?))),
        (None, GameOutcome::Loss) => Ok(BySeat::new(Some(code(text)?), None)),
        (None, GameOutcome::Draw) => {
            let problem = format!(
                "the fault `{}` in a draw; expected a loser, or two faults joined with `+`",
                text.escape_debug()
            );
            Err((Some("fault"), problem))
        }
    }
}
