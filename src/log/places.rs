//! Random access to the records of a log, by the position of their lines.

use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;

use super::LOG;
use super::error::{LogError, LogProblem};
use super::reader::{open, read_line};
use crate::model::record::GameRecord;

/// A log whose lines are read one by one, in any order.
#[derive(Debug)]
pub struct LogPlaces {
    input: BufReader<File>,
}

impl LogPlaces {
    /// Opens the log of the results folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        Ok(Self { input: BufReader::new(open(&dir.join(LOG))?) })
    }

    /// Reads the record whose line begins at this byte offset.
    pub fn record(&mut self, at: u64) -> Result<GameRecord, LogError> {
        let failed = |source| LogError::whole(LogProblem::Misplaced { at, source });
        self.input.seek(SeekFrom::Start(at)).map_err(failed)?;
        let raw = read_line(&mut self.input).map_err(failed)?;
        serde_json::from_slice(&raw).map_err(|error| failed(error.into()))
    }
}
