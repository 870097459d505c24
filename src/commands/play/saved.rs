//! Keeps a game as a log of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Failure;
use crate::log::LogWriter;
use crate::model::record::{GameRecord, Header};

/// A new folder for the log of a game.
#[derive(Debug)]
pub(super) struct SavedGame {
    dir: PathBuf,
}

impl SavedGame {
    /// Creates the folder before the game begins.
    ///
    /// # Errors
    /// There is something in it already, or it cannot be created.
    pub(super) fn create(dir: &Path) -> Result<Self, Failure> {
        if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
            let dir = dir.display();
            return Err(Failure::input(format!("--save: {dir} is not empty; name another folder")));
        }
        fs::create_dir_all(dir).map_err(|error| {
            Failure::system(format!("cannot create {}: {error}", dir.display()))
        })?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// Writes the log, and returns the id of the game.
    pub(super) fn keep(self, header: &Header, record: GameRecord) -> Result<String, Failure> {
        let written = LogWriter::create(&self.dir, header).and_then(|mut log| log.append(&record));
        written.map_err(|error| Failure::system(error.to_string()))?;
        Ok(record.id)
    }
}
