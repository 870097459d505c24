//! Finds a recorded game: by its id in a results folder, or in a file of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::Failure;
use super::results::find;
use crate::folder::log_failure;
use crate::log::{LogError, LogReader};
use crate::model::record::{GameRecord, Header};
use referee_games::Seat;

/// A recorded game, with the header of its log.
#[derive(Debug)]
pub(super) struct FoundGame {
    /// The header.
    pub(super) header: Header,
    /// The record.
    pub(super) record: GameRecord,
}

impl FoundGame {
    /// Finds the game that `word` names: a log with one game; or an id or its prefix, in the folder
    /// `results` (default: the newest under `results/`). A prefix without `-1` or `-2` means the
    /// pair's first game.
    pub(super) fn find(word: &str, results: Option<&Path>) -> Result<Self, Failure> {
        let file = Path::new(word);
        if results.is_none() && file.is_file() {
            return only_game(file);
        }
        let dir = find(results)?;
        let failed = |error| log_failure(&dir, &error);
        let mut reader = LogReader::open(&dir).map_err(failed)?;
        let record = search(&mut reader, word).map_err(|wrong| match wrong {
            SearchError::Log(error) => log_failure(&dir, &error),
            SearchError::Id(message) => Failure::input(format!("{}: {message}", dir.display())),
        })?;
        Ok(Self { header: reader.header().clone(), record })
    }
}

fn only_game(file: &Path) -> Result<FoundGame, Failure> {
    let failed = |error: LogError| {
        let line = if error.line == 0 { String::new() } else { format!(" line {}", error.line) };
        Failure::input(format!("{}{line}: {}", file.display(), error.message))
    };
    let mut reader = LogReader::open_file(file).map_err(failed)?;
    let mut records = Vec::new();
    while let Some(line) = reader.next_line().map_err(failed)? {
        let bad = |message| failed(LogError { line: line.number, message });
        records.push(line.record.map_err(bad)?);
        if records.len() > 1 {
            return Err(Failure::input(format!(
                "{} holds more than one game; name one by its id, and its folder with --results",
                file.display()
            )));
        }
    }
    let none = || Failure::input(format!("{} holds no game", file.display()));
    let record = records.pop().ok_or_else(none)?;
    Ok(FoundGame { header: reader.header().clone(), record })
}

enum SearchError {
    Log(LogError),
    Id(String),
}

/// The maximum number of pairs to list for an ambiguous prefix.
const LISTED: usize = 8;

fn search(reader: &mut LogReader, word: &str) -> Result<GameRecord, SearchError> {
    let wanted = GameIdPrefix::read(word);
    let mut found: Option<GameRecord> = None;
    let mut pairs = BTreeMap::new();
    while let Some(entry) = reader.next_entry().map_err(SearchError::Log)? {
        let record = entry.record;
        if record.id == word {
            return Ok(record);
        }
        if !wanted.fits(&record.id) {
            continue;
        }
        if pairs.len() <= LISTED {
            pairs.insert(pair_of(&record.id).to_owned(), who(&record));
        }
        // Of the two games of a pair, the first is meant.
        if found.as_ref().is_none_or(|other| record.game < other.game) {
            found = Some(record);
        }
    }
    match found {
        None => Err(SearchError::Id(format!("there is no game `{word}`"))),
        Some(record) if pairs.len() == 1 => Ok(record),
        Some(_) => Err(SearchError::Id(ambiguous(word, &pairs))),
    }
}

/// The players of a pair, for people.
fn who(record: &GameRecord) -> String {
    let (one, other) = (&record.players[Seat::First], &record.players[Seat::Second]);
    let (one, other) = if one <= other { (one, other) } else { (other, one) };
    format!("{one} and {other}, pair {}", record.pair)
}

/// The message that `word` is a prefix of several pairs, with a list of them.
fn ambiguous(word: &str, pairs: &BTreeMap<String, String>) -> String {
    let mut text = format!("`{word}` begins the ids of several pairs; write more of one of them:");
    for (id, who) in pairs.iter().take(LISTED) {
        // Writing to a string does not fail.
        let _ = write!(text, "\n    {id}  {}", crate::escape::terminal(who));
    }
    if pairs.len() > LISTED {
        text.push_str("\n    and others");
    }
    text
}

/// A parsed game id or prefix: the first digits of the pair, and which game of the pair.
struct GameIdPrefix<'a> {
    digits: &'a str,
    game: Option<&'a str>,
}

impl<'a> GameIdPrefix<'a> {
    fn read(word: &'a str) -> Self {
        match word.split_once('-') {
            Some((digits, game)) => Self { digits, game: Some(game).filter(|it| !it.is_empty()) },
            None => Self { digits: word, game: None },
        }
    }

    fn fits(&self, id: &str) -> bool {
        let (pair, game) = id.split_once('-').unwrap_or((id, ""));
        pair.starts_with(self.digits) && self.game.is_none_or(|wanted| wanted == game)
    }
}

/// The digits that both games of a pair share.
fn pair_of(id: &str) -> &str {
    id.split_once('-').map_or(id, |(pair, _)| pair)
}
