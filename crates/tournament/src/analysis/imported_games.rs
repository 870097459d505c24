//! Reads a list of games, in CSV, from any source: who played, the result, and perhaps the pair and
//! the faults. Games of two have a line each; games of any number of seats have a line for each seat
//! (see `row_per_seat.rs`).

mod row_per_seat;
#[cfg(test)]
mod tests;

use referee_record::model::fixture::Lineup;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, BufRead};

use self::row_per_seat::SeatRowList;
use super::named_results::{Faulted, NamedResults};
use referee_games::{GameKind, Seat};
use referee_ratings::{Compared, GameOutcome};
use referee_record::model::fault::FaultCode;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::stage::RankedBy;

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
    #[error("{}", describe_bad_lines(.0, *.1))]
    Lines(Vec<BadLine>, usize),
}

/// An invalid line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}{}: {problem}", describe_bad_column(*column))]
pub struct BadLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// The column by its name in the header line; `None` if the whole line is wrong.
    column: Option<&'static str>,
    /// The problem, and what was expected.
    pub problem: String,
}

fn describe_bad_column(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!(", column `{column}`"))
}

/// The bad lines and the number of the others, a line each.
fn describe_bad_lines(bad: &[BadLine], more: usize) -> String {
    let mut lines: Vec<String> = bad.iter().map(ToString::to_string).collect();
    match more {
        0 => {}
        1 => lines.push("and 1 more bad line".to_owned()),
        more => lines.push(format!("and {more} more bad lines")),
    }
    lines.join("\n  ")
}

/// Reads the results of all games. The first line names the columns, in any order; other columns are
/// ignored, and so are blank lines. They are `first`, `second` and `result`, and optionally `winner`,
/// `pair` and `fault`; or with a line for each game and seat `game` (or `id`), `player` and `place` (or
/// `final_score`), and optionally `seat`, `deal` and `fault`.
///
/// With more than two seats, `compared` says which players of a game are compared. To rank players by
/// scores, the list needs columns for them.
///
/// # Errors
///
/// When the list cannot be read, has no games, or has bad lines, which are all reported.
pub fn read_imported_games(
    input: impl BufRead,
    faulted: Faulted,
    compared: Compared,
    rank: RankedBy,
) -> Result<NamedResults, GameListError> {
    let (mut list, mut bad) = (None, BadImportLines::default());
    for (number, line) in (1..).zip(input.lines()) {
        let line = line.map_err(GameListError::Unreadable)?;
        // Some programs write a byte order mark first.
        let line = line.trim_start_matches('\u{feff}');
        if line.trim().is_empty() {
            continue;
        }
        let fields = split_imported_fields(line);
        let Some(ImportedList { columns, games }) = &mut list else {
            let games =
                ImportedGames::from_header(&ImportedHeader(&fields), rank).map_err(|problem| {
                    GameListError::Lines(vec![BadLine { line: 1, column: None, problem }], 0)
                })?;
            list = Some(ImportedList { columns: fields.len(), games });
            continue;
        };
        if fields.len() != *columns {
            let found = fields.len();
            let problem = format!("expected {columns} fields as in the header line, found {found}");
            bad.add(number, (None, problem));
        } else if let Err(problem) = games.add(number, &fields) {
            bad.add(number, problem);
        }
    }
    let Some(ImportedList { games, .. }) = list else { return Err(GameListError::Empty) };
    if let (ImportedGames::BySeat(games), true) = (&games, bad.list.is_empty()) {
        games.check(&mut bad);
    }
    if !bad.list.is_empty() {
        return Err(GameListError::Lines(bad.list, bad.more));
    }
    let mut results = match games {
        ImportedGames::OfTwo(_, games) if !games.games.is_empty() => {
            games.into_results(faulted, rank)
        }
        ImportedGames::BySeat(games) if !games.is_empty() => {
            games.into_results(faulted, compared, rank)
        }
        _ => return Err(GameListError::Empty),
    };
    // Nobody knows who chose the opponents, and why.
    results.counts.set_matched_elsewhere();
    Ok(results)
}

/// A list of games after its header line.
struct ImportedList {
    /// The number of columns.
    columns: usize,
    games: ImportedGames,
}

/// The games read so far.
enum ImportedGames {
    /// A line for each game of two.
    OfTwo(ImportedColumns, ImportedGamesOfTwo),
    /// A line for each game and seat.
    BySeat(SeatRowList),
}

impl ImportedGames {
    /// No games yet, in the form that the header line has.
    fn from_header(header: &ImportedHeader<'_>, rank: RankedBy) -> Result<Self, String> {
        // A list of games of two may have a column of this name as well.
        let is_by_seat = header.has("player") && !header.has("first");
        let scores = if is_by_seat { "final_score" } else { "first_final_score" };
        if rank == RankedBy::Scores && !header.has(scores) {
            return Err(format!("missing column `{scores}`, which `--ranking scores` needs"));
        }
        Ok(if is_by_seat {
            Self::BySeat(SeatRowList::new(header)?)
        } else {
            Self::OfTwo(ImportedColumns::from_header(header)?, ImportedGamesOfTwo::default())
        })
    }

    fn add(&mut self, line: usize, fields: &[Cow<'_, str>]) -> Result<(), FieldError> {
        match self {
            Self::OfTwo(columns, games) => games.add(columns, line, fields),
            Self::BySeat(games) => games.add(line, fields),
        }
    }
}

/// The bad lines: the first few, and the number of the others.
#[derive(Debug, Default)]
struct BadImportLines {
    list: Vec<BadLine>,
    more: usize,
}

impl BadImportLines {
    fn add(&mut self, line: usize, (column, problem): FieldError) {
        if self.list.len() < NAMED {
            self.list.push(BadLine { line, column, problem });
        } else {
            self.more += 1;
        }
    }
}

/// The fields of a line, unquoted and without blanks around them.
fn split_imported_fields(line: &str) -> Vec<Cow<'_, str>> {
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
struct ImportedColumns {
    first: usize,
    second: usize,
    result: usize,
    winner: Option<usize>,
    pair: Option<usize>,
    fault: Option<usize>,
    final_scores: Option<[usize; 2]>,
}

/// The names of the columns.
struct ImportedHeader<'a>(&'a [Cow<'a, str>]);

impl ImportedHeader<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|field| field == name)
    }

    /// The index of a column, if the file has it.
    fn column(&self, name: &str) -> Result<Option<usize>, String> {
        let mut found = (0..).zip(self.0).filter(|(_, field)| *field == name);
        let first = found.next().map(|(column, _)| column);
        match found.next() {
            Some(_) => Err(format!("the column `{name}` appears twice")),
            None => Ok(first),
        }
    }

    /// The index of a column of a list such as one with the header line `example`.
    fn required_column(&self, name: &str, example: &str) -> Result<usize, String> {
        self.column(name)?.ok_or_else(|| self.describe_missing_column(name, example))
    }

    fn describe_missing_column(&self, name: &str, example: &str) -> String {
        format!(
            "missing column `{name}`; expected a header line such as `{example}`{}",
            describe_wrong_separator(self.0).unwrap_or_default()
        )
    }
}

impl ImportedColumns {
    /// Finds the columns in the header line.
    fn from_header(header: &ImportedHeader<'_>) -> Result<Self, String> {
        // Without this player, the ranking would be that of another tournament.
        if header.has("third") {
            return Err("the column `third` names a third player; for games with more than two, \
                        expected a line for each game and seat, after a header line such as \
                        `game,seat,player,place`"
                .to_owned());
        }
        let required = |name| header.required_column(name, "first,second,result");
        Ok(Self {
            first: required("first")?,
            second: required("second")?,
            result: required("result")?,
            winner: header.column("winner")?,
            pair: header.column("pair")?,
            fault: header.column("fault")?,
            final_scores: match header.column("first_final_score")? {
                Some(first) => {
                    let second = header.required_column(
                        "second_final_score",
                        "first_final_score,second_final_score",
                    )?;
                    Some([first, second])
                }
                None => None,
            },
        })
    }
}

/// Says that commas are expected, if a header line seems to have other separators.
fn describe_wrong_separator(header: &[Cow<'_, str>]) -> Option<&'static str> {
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
    players: Lineup,
    pair: Option<u32>,
    summary: GameSummary,
    final_scores: Option<[f64; 2]>,
}

/// The games read so far.
#[derive(Debug, Default)]
struct ImportedGamesOfTwo {
    names: ImportedNames,
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

impl ImportedGamesOfTwo {
    /// Adds the game that the line with this number describes.
    fn add(
        &mut self,
        columns: &ImportedColumns,
        line: usize,
        fields: &[Cow<'_, str>],
    ) -> Result<(), FieldError> {
        let optional = |at: Option<usize>| at.map_or("", |at| &*fields[at]);
        let (first, second) = (&*fields[columns.first], &*fields[columns.second]);
        let pair = parse_imported_pair(optional(columns.pair))?;
        let result = &*fields[columns.result];
        let outcome = match columns.winner {
            Some(winner) => parse_imported_winner(&fields[winner], [first, second], result)?,
            None => parse_imported_outcome(result)?,
        };
        let faults = parse_imported_faults(optional(columns.fault), outcome)?;
        if first == second {
            let problem = format!("`{}` cannot play against itself", second.escape_debug());
            return Err((Some("second"), problem));
        }
        let mut number = |column, name| self.names.number_of(column, "player's name", name);
        let players = Lineup::from([number("first", first)?, number("second", second)?]);
        if let Some(pair) = pair {
            self.pair_up(players, pair, line)?;
        }
        let seats = [Seat::FIRST, Seat::SECOND].into_iter();
        let faults = seats.zip(faults).filter_map(|(seat, code)| Some((seat, code?))).collect();
        let summary = GameSummary { faults, ..GameSummary::from_outcome(outcome) };
        let score = |name, at: usize| parse_imported_score(name, &fields[at]);
        let final_scores = match columns.final_scores {
            Some([first, second]) => {
                let scores = score("first_final_score", first)?;
                scores.zip(score("second_final_score", second)?).map(<[f64; 2]>::from)
            }
            None => None,
        };
        self.games.push(ListedGame { players, pair, summary, final_scores });
        Ok(())
    }

    /// Checks that a pair has at most two games, with the seats swapped.
    fn pair_up(&mut self, players: Lineup, pair: u32, line: usize) -> Result<(), FieldError> {
        let [first, second] = players.two();
        let key = (first.min(second), first.max(second), pair);
        let Some(found) = self.pairs.get_mut(&key) else {
            let fresh = ListedPair { first_player: first, line, other_line: None };
            self.pairs.insert(key, fresh);
            return Ok(());
        };
        let problem = match found.other_line {
            Some(other) => format!("a third game, after lines {} and {other}", found.line),
            None if found.first_player == first => {
                let name = self.names.list[first].escape_debug();
                format!("`{name}` is the first player here and on line {}", found.line)
            }
            None => {
                found.other_line = Some(line);
                return Ok(());
            }
        };
        let [one, other] = [first, second].map(|player| self.names.list[player].escape_debug());
        let problem = format!(
            "pair {pair} of `{one}` and `{other}`: {problem}; expected two games with the seats \
             swapped; give each pair of these players a number of its own, and leave the field \
             empty for a single game"
        );
        Err((Some("pair"), problem))
    }

    /// All games as results; players are numbered by name.
    fn into_results(self, faulted: Faulted, rank: RankedBy) -> NamedResults {
        let (names, numbers) = self.names.sorted();
        let mut results = NamedResults::new(&names).with_faulted(faulted).ranked_by(rank);
        for ListedGame { players, pair, summary, final_scores } in self.games {
            let players = players.players().map(|player| numbers[player]).collect();
            let scores = final_scores.as_ref().map(|scores| &scores[..]);
            results.add_summary(players, pair, summary, scores);
        }
        results
    }
}

/// A final score, or nothing.
fn parse_imported_score(column: &'static str, text: &str) -> Result<Option<f64>, FieldError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().ok().filter(|score: &f64| score.is_finite()).map(Some).ok_or_else(|| {
        let problem = format!("invalid score `{}`; expected a number", text.escape_debug());
        (Some(column), problem)
    })
}

/// Names with their numbers, in the order of the list.
#[derive(Debug, Default)]
struct ImportedNames {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl ImportedNames {
    /// The number of a name, which is a `what`.
    fn number_of(
        &mut self,
        column: &'static str,
        what: &str,
        name: &str,
    ) -> Result<usize, FieldError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.is_empty() {
            return Err((Some(column), format!("it is empty; expected a {what}")));
        }
        let number = self.list.len();
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// The names in order, and the place of each in it, by number. Rank intervals come from random
    /// numbers that players get in the order of their numbers, and the order of the list must not
    /// matter.
    fn sorted(&self) -> (Vec<String>, Vec<usize>) {
        let mut names = self.list.clone();
        names.sort_unstable();
        let place = |name: &String| names.partition_point(|before| before < name);
        let numbers = self.list.iter().map(place).collect();
        (names, numbers)
    }

    /// The place of each seat, by number: in the order of the list, or if all are numbers in theirs.
    fn in_seat_order(&self) -> Vec<usize> {
        let numbers: Option<Vec<u32>> = self.list.iter().map(|seat| seat.parse().ok()).collect();
        let Some(numbers) = numbers else { return (0..self.list.len()).collect() };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|&seat| numbers[seat]);
        let mut places = vec![0; order.len()];
        for (place, seat) in order.into_iter().enumerate() {
            places[seat] = place;
        }
        places
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

/// The outcome for the first of two `players` if this one wins, or nobody. Only this tells what the
/// seats of a game are called: in Go, `black` comes first.
fn parse_imported_winner(
    winner: &str,
    players: [&str; 2],
    result: &str,
) -> Result<GameOutcome, FieldError> {
    let [first, second] = players;
    if winner.is_empty() && parse_imported_outcome(result)? == GameOutcome::Draw {
        return Ok(GameOutcome::Draw);
    }
    match winner {
        _ if winner == first => Ok(GameOutcome::Win),
        _ if winner == second => Ok(GameOutcome::Loss),
        _ => {
            let [first, second] = players.map(str::escape_debug);
            let (winner, result) = (winner.escape_debug(), result.escape_debug());
            let problem = format!(
                "invalid winner `{winner}` with the result `{result}`; expected `{first}` or \
                 `{second}`, or nothing in a draw"
            );
            Err((Some("winner"), problem))
        }
    }
}

/// The outcome for the first seat that `result` names.
fn parse_imported_outcome(result: &str) -> Result<GameOutcome, FieldError> {
    let known = RESULTS.iter().find(|(text, _)| text.eq_ignore_ascii_case(result));
    known.map(|(_, outcome)| *outcome).or_else(|| parse_winning_seat(result)).ok_or_else(|| {
        let problem = format!(
            "invalid result `{}`; expected `first`, `second` or `draw`, or `1-0`, `0-1` or \
             `1/2-1/2`",
            result.escape_debug()
        );
        (Some("result"), problem)
    })
}

/// The outcome if `result` names the winner by its seat in a built-in game, as in `games.csv`.
fn parse_winning_seat(result: &str) -> Option<GameOutcome> {
    GameKind::all().iter().find_map(|kind| {
        let seats = kind.game().seats();
        let winner = seats.seat(result)?;
        Some(if winner == Seat::FIRST { GameOutcome::Win } else { GameOutcome::Loss })
    })
}

/// The number of the pair, if the game has one.
fn parse_imported_pair(text: &str) -> Result<Option<u32>, FieldError> {
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
fn parse_imported_faults(
    text: &str,
    outcome: GameOutcome,
) -> Result<[Option<FaultCode>; 2], FieldError> {
    let code = |name: &str| {
        parse_imported_fault_code(
            name,
            "two of them joined with `+` if both players failed, or nothing",
        )
    };
    match (text.split_once('+'), outcome) {
        _ if text.is_empty() => Ok([None, None]),
        (Some((first, "none")), GameOutcome::Draw) => Ok([Some(code(first)?), None]),
        (Some(("none", second)), GameOutcome::Draw) => Ok([None, Some(code(second)?)]),
        (Some((first, second)), _) => Ok([Some(code(first)?), Some(code(second)?)]),
        (None, GameOutcome::Win) => Ok([None, Some(code(text)?)]),
        (None, GameOutcome::Loss) => Ok([Some(code(text)?), None]),
        (None, GameOutcome::Draw) => {
            let problem = format!(
                "the fault `{}` in a draw; expected a loser, or two faults joined with `+`",
                text.escape_debug()
            );
            Err((Some("fault"), problem))
        }
    }
}

/// The fault that has this code; `or` says what else is expected.
fn parse_imported_fault_code(name: &str, or: &str) -> Result<FaultCode, FieldError> {
    FaultCode::ALL.into_iter().find(|code| code.name() == name).ok_or_else(|| {
        let codes = FaultCode::ALL.map(|code| format!("`{}`", code.name())).join(", ");
        let name = name.escape_debug();
        (Some("fault"), format!("invalid fault `{name}`; expected one of {codes}, {or}"))
    })
}
