//! Random access to the records of a log, by the position of their lines.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;

use super::reader::read_line;
use super::{LOG, LogError};
use crate::model::record::GameRecord;

/// A log whose lines are read one by one, in any order.
#[derive(Debug)]
pub struct LogPlaces {
    input: BufReader<File>,
}

impl LogPlaces {
    /// Opens the log of the results folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let path = dir.join(LOG);
        let file = File::open(&path)
            .map_err(|error| LogError::new(0, format!("{}: {error}", path.display())))?;
        Ok(Self { input: BufReader::new(file) })
    }

    /// Reads the record whose line begins at this byte offset.
    pub fn record(&mut self, at: u64) -> Result<GameRecord, LogError> {
        let failed = |error: String| LogError::new(0, format!("the game at byte {at}: {error}"));
        self.input.seek(SeekFrom::Start(at)).map_err(|error| failed(error.to_string()))?;
        let raw = read_line(&mut self.input).map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&raw).map_err(|error| failed(error.to_string()))
    }
}
