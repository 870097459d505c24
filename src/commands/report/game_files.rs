//! Writes the games beside the page: one script per game, which passes it to the viewer, and one
//! that lists all games. A page opened from disk can load only scripts.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::failed;
use crate::analysis::results::NamedResults;
use crate::disk::write_quickly;
use crate::error::Failure;
use crate::log::{GameLine, GameNames};
use crate::model::record::GameRecord;
use crate::report::replay_frames::describe_end;
use referee_games::{BySeat, Seat};

/// The folder of the game scripts.
const FOLDER: &str = "games";
/// The script that lists all games.
const INDEX: &str = "index.js";
/// The first line of each game's file begins with this. Change it whenever the replay format
/// changes.
const VERSION: &str = "// replay 2 ";

/// Writes the games beside a page.
#[derive(Debug)]
pub(crate) struct GameFiles {
    folder: PathBuf,
    index: BufWriter<File>,
    unfinished: PathBuf,
}

impl GameFiles {
    /// Makes the folder in `dir`.
    pub(crate) fn new(dir: &Path) -> Result<Self, Failure> {
        let folder = dir.join(FOLDER);
        let unfinished = folder.join(INDEX).with_extension("new");
        let index = fs::create_dir_all(&folder)
            .and_then(|()| File::create(&unfinished))
            .map_err(|error| failed(&unfinished, &error))?;
        let mut files = Self { folder, index: BufWriter::new(index), unfinished };
        files.write(&index_begin())?;
        Ok(files)
    }

    /// Whether the games were written beside a page in `dir`.
    pub(crate) fn are_in(dir: &Path) -> bool {
        dir.join(FOLDER).join(INDEX).is_file()
    }

    /// Whether the file of exactly this game, with this check, exists already.
    pub(crate) fn contains(&self, record: &GameRecord, check: Option<&str>) -> bool {
        let Some(expected) = check.map(first_line) else { return false };
        let mut found = vec![0; expected.len()];
        let opened = File::open(self.path(record));
        opened.and_then(|mut file| file.read_exact(&mut found)).is_ok()
            && found == expected.as_bytes()
    }

    /// Writes the file of a game.
    pub(crate) fn add(
        &self,
        record: &GameRecord,
        check: Option<&str>,
        replay: &str,
    ) -> Result<(), Failure> {
        let path = self.path(record);
        let first = check.map(first_line).unwrap_or_default();
        let script = first + &game_script(replay);
        write_quickly(&path, script.as_bytes()).map_err(|error| failed(&path, &error))
    }

    /// Adds a game to the list of all games.
    pub(crate) fn list(
        &mut self,
        results: &NamedResults,
        record: &GameRecord,
    ) -> Result<(), Failure> {
        index_line(results, record).map_or(Ok(()), |line| self.write(&line))
    }

    /// Completes the list and moves it into place.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.write(INDEX_END)?;
        let (list, index) = (&self.unfinished, self.folder.join(INDEX));
        let placed = self.index.flush().and_then(|()| fs::rename(list, &index));
        placed.map_err(|error| failed(&index, &error))
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.index.write_all(text.as_bytes()).map_err(|error| failed(&self.unfinished, &error))
    }

    fn path(&self, record: &GameRecord) -> PathBuf {
        self.folder.join(format!("{}.js", record.id))
    }
}

fn first_line(check: &str) -> String {
    format!("{VERSION}{check}\n")
}

/// The script that passes a replay to the viewer.
pub(crate) fn game_script(replay: &str) -> String {
    format!("refereeGame({replay});\n")
}

/// The beginning of the list of all games.
pub(crate) fn index_begin() -> String {
    "refereeIndex([\n".to_owned()
}

/// The end of the list of all games.
pub(crate) const INDEX_END: &str = "]);\n";

/// A game's entry in the list: its id, its players' numbers, its pair, its ending, its plies.
/// `None` if a player is not in the results.
pub(crate) fn index_line(results: &NamedResults, record: &GameRecord) -> Option<String> {
    let number = |seat: Seat| results.number(&record.players[seat]).ok();
    let (first, second) = (number(Seat::First)?, number(Seat::Second)?);
    let pair = format!("{}.{}", record.pair, record.game);
    let end = describe_end(record.winner(), &record.result, &record.reason);
    let line = json!([record.id, first, second, pair, end, record.plies]);
    Some(format!("{line},\n"))
}

/// The same entry, from the index of the log.
pub(crate) fn listed(names: &GameNames, game: &GameLine) -> String {
    let end = describe_end(names.winner(game), names.result(game), &game.reason);
    let BySeat { first, second } = game.players;
    let pair = format!("{}.{}", game.pair, game.game);
    let line = json!([game.id(), first, second, pair, end, game.plies]);
    format!("{line},\n")
}
