//! Reads a list of games, in CSV, from any source: who played, the result, and perhaps the pair and
//! the faults. Memory grows with the number of pairs and of different pairings and results, not of
//! single games.

mod lines;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};

use self::lines::CsvLines;
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
    pub column: Option<&'static str>,
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
/// `second` and `result`, and optionally `pair` and `fault`; others are ignored.
///
/// # Errors
///
/// When the list cannot be read, has no games, or has bad lines, all of which are found.
pub fn read(input: impl BufRead, faulted: Faulted) -> Result<NamedResults, GameListError> {
    let mut lines = CsvLines::new(input);
    let columns = match lines.next_line().map_err(GameListError::Unreadable)? {
        Some(header) => ListColumns::of(&header.fields())?,
        None => return Err(GameListError::Empty),
    };
    let (mut list, mut bad, mut more) = (GameList::default(), Vec::new(), 0);
    while let Some(line) = lines.next_line().map_err(GameListError::Unreadable)? {
        match list.add(&columns, line.number, &line.fields()) {
            Ok(()) => {}
            Err((column, problem)) if bad.len() < NAMED => {
                bad.push(BadLine { line: line.number, column, problem });
            }
            Err(_) => more += 1,
        }
    }
    if !bad.is_empty() {
        return Err(GameListError::Lines(bad, more));
    }
    if list.names.is_empty() { Err(GameListError::Empty) } else { Ok(list.results(faulted)) }
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
    fn of(header: &[Cow<'_, [u8]>]) -> Result<Self, GameListError> {
        let refused =
            |problem| GameListError::Lines(vec![BadLine { line: 1, column: None, problem }], 0);
        let named = |name: &str| {
            let is_named = |field: &Cow<'_, [u8]>| field.trim_ascii() == name.as_bytes();
            let mut found = (0..).zip(header).filter(|(_, field)| is_named(field));
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
        Ok(Self {
            first: required("first")?,
            second: required("second")?,
            result: required("result")?,
            pair: named("pair")?,
            fault: named("fault")?,
            count: header.len(),
        })
    }
}

/// Says that commas are expected, if a header line seems to have other separators.
fn other_separator(header: &[Cow<'_, [u8]>]) -> Option<&'static str> {
    let has = |byte| header.iter().any(|field| field.trim_ascii().contains(&byte));
    if has(b';') {
        Some(", with commas instead of semicolons")
    } else {
        has(b'\t').then_some(", with commas instead of tabs")
    }
}

/// A game as far as ratings distinguish it. Players are numbered in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ListedGame {
    first: usize,
    second: usize,
    outcome: GameOutcome,
    first_fault: Option<FaultCode>,
    second_fault: Option<FaultCode>,
}

impl ListedGame {
    /// Counts the game in the pair with this number, or alone.
    fn count(self, pair: Option<u32>, results: &mut NamedResults) {
        let faults = BySeat::new(self.first_fault, self.second_fault);
        let both_failed = faults.first.is_some() && faults.second.is_some();
        let outcome = (!both_failed).then_some(self.outcome);
        let game = GameSummary { outcome, faults, fingerprint: None };
        let players = BySeat::new(self.first, self.second);
        match pair {
            Some(pair) => results.add_summary(players, pair, game),
            None => results.add_unpaired(players, game),
        }
    }
}

/// The games read so far, equal ones counted together.
#[derive(Debug, Default)]
struct GameList {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    single: HashMap<ListedGame, u32>,
    /// Both games of a pair, in the order of the list.
    paired: HashMap<(ListedGame, ListedGame), u32>,
    /// The pairs, by the two players and the number of the pair.
    pairs: HashMap<(usize, usize, u32), ListedPair>,
}

/// The games of a pair that were read so far.
#[derive(Debug, Clone, Copy)]
struct ListedPair {
    /// The first game, and its line.
    game: ListedGame,
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
        fields: &[Cow<'_, [u8]>],
    ) -> Result<(), FieldError> {
        if fields.len() != columns.count {
            let (expected, found) = (columns.count, fields.len());
            let problem =
                format!("expected {expected} fields as in the header line, found {found}");
            return Err((None, problem));
        }
        let field = |column: &'static str, at: usize| text(column, &fields[at]);
        let optional = |column, at: Option<usize>| at.map_or(Ok(""), |at| field(column, at));
        let (first, second) = (field("first", columns.first)?, field("second", columns.second)?);
        let result = field("result", columns.result)?;
        let pair = pair(optional("pair", columns.pair)?)?;
        let outcome = outcome(result)?;
        let faults = faults(optional("fault", columns.fault)?, outcome)?;
        if first == second {
            let problem = format!("`{}` cannot play against itself", second.escape_debug());
            return Err((Some("second"), problem));
        }
        let game = ListedGame {
            first: self.number("first", first)?,
            second: self.number("second", second)?,
            outcome,
            first_fault: faults.first,
            second_fault: faults.second,
        };
        match pair {
            Some(pair) => self.pair_up(game, pair, line)?,
            None => *self.single.entry(game).or_default() += 1,
        }
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

    /// Counts a game with the other one of its pair: the same players with the seats swapped.
    fn pair_up(&mut self, game: ListedGame, pair: u32, line: usize) -> Result<(), FieldError> {
        let key = (game.first.min(game.second), game.first.max(game.second), pair);
        let Some(found) = self.pairs.get_mut(&key) else {
            self.pairs.insert(key, ListedPair { game, line, other_line: None });
            return Ok(());
        };
        let first = found.line;
        let problem = match found.other_line {
            Some(second) => format!("a third game, after lines {first} and {second}"),
            None if found.game.first == game.first => {
                let name = self.names[game.first].escape_debug();
                format!("`{name}` is the first player here and in line {first}")
            }
            None => {
                found.other_line = Some(line);
                *self.paired.entry((found.game, game)).or_default() += 1;
                return Ok(());
            }
        };
        let [one, other] =
            [game.first, game.second].map(|player| self.names[player].escape_debug());
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
        let placed = |game: ListedGame| ListedGame {
            first: numbers[game.first],
            second: numbers[game.second],
            ..game
        };
        let alone = self.pairs.into_values().filter(|pair| pair.other_line.is_none());
        let single = self.single.into_iter().chain(alone.map(|pair| (pair.game, 1)));
        for (game, count) in single {
            (0..count).for_each(|_| placed(game).count(None, &mut results));
        }
        let mut pair = 0;
        for ((game, other), count) in self.paired {
            for _ in 0..count {
                pair += 1;
                placed(game).count(Some(pair), &mut results);
                placed(other).count(Some(pair), &mut results);
            }
        }
        results
    }
}

/// The text of a field, without blanks around it.
fn text<'a>(column: &'static str, field: &'a [u8]) -> Result<&'a str, FieldError> {
    std::str::from_utf8(field)
        .map(str::trim)
        .map_err(|_| (Some(column), "it is not UTF-8".to_owned()))
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

/// The faults by seat: nothing, the code of the loser's fault, or both codes, as `crash+timeout`.
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
