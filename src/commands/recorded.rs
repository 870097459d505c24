//! Finding a recorded game: by its identity in a results folder, or as a file of its own.

use std::path::Path;

use super::Failure;
use super::results::find;
use crate::record::log::{LogError, LogReader};
use crate::record::{GameRecord, Header};
use crate::tournament::folder::log_failure;

/// A recorded game, and the header of its log.
#[derive(Debug)]
pub(super) struct Recorded {
    /// The header.
    pub(super) header: Header,
    /// The record.
    pub(super) record: GameRecord,
}

impl Recorded {
    /// The game that `word` names: a log of one game, or an identity, or its beginning, in the
    /// folder `results` (default: the newest under `results/`).
    pub(super) fn find(word: &str, results: Option<&Path>) -> Result<Self, Failure> {
        let file = Path::new(word);
        if results.is_none() && file.is_file() {
            return only_game(file);
        }
        let dir = find(results)?;
        let failed = |error| log_failure(&dir, &error);
        let mut reader = LogReader::open(&dir).map_err(failed)?;
        let record = search(&mut reader, word).map_err(|wrong| match wrong {
            Search::Log(error) => log_failure(&dir, &error),
            Search::Id(message) => Failure::input(format!("{message} in {}", dir.display())),
        })?;
        Ok(Self { header: reader.header().clone(), record })
    }
}

fn only_game(file: &Path) -> Result<Recorded, Failure> {
    let failed = |error: LogError| {
        let line = if error.line == 0 { String::new() } else { format!(" line {}", error.line) };
        Failure::input(format!("{}{line}: {}", file.display(), error.message))
    };
    let mut reader = LogReader::open_file(file).map_err(failed)?;
    let first = reader.next_entry().map_err(failed)?;
    let another = reader.next_entry().map_err(failed)?;
    match (first, another) {
        (Some(entry), None) => {
            Ok(Recorded { header: reader.header().clone(), record: entry.record })
        }
        (None, _) => Err(Failure::input(format!("{} holds no game", file.display()))),
        (Some(_), Some(_)) => Err(Failure::input(format!(
            "{} holds more than one game; name one by its id, and its folder with --results",
            file.display()
        ))),
    }
}

enum Search {
    Log(LogError),
    Id(String),
}

fn search(reader: &mut LogReader, id: &str) -> Result<GameRecord, Search> {
    let mut found: Option<GameRecord> = None;
    while let Some(entry) = reader.next_entry().map_err(Search::Log)? {
        if entry.record.id == id {
            return Ok(entry.record);
        }
        if entry.record.id.starts_with(id) {
            if let Some(other) = found {
                let both = format!("{} and {}", other.id, entry.record.id);
                return Err(Search::Id(format!("`{id}` begins more than one id ({both})")));
            }
            found = Some(entry.record);
        }
    }
    found.ok_or_else(|| Search::Id(format!("there is no game `{id}`")))
}
