//! Random access to the records of a log, by the position of their lines.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use super::LOG;
use super::error::{LogError, LogProblem};
use super::reader::{open_log_file, read_log_line_into};
use crate::model::record::GameRecord;

/// A log whose lines are read one by one, in any order.
#[derive(Debug)]
pub struct RandomAccessLog {
    input: BufReader<File>,
    /// The byte offset of what is read next.
    at: u64,
    /// The last line that was read, newline included.
    line: Vec<u8>,
}

impl RandomAccessLog {
    /// Opens the log of the results folder `dir`.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let input = BufReader::new(open_log_file(&dir.join(LOG))?);
        Ok(Self { input, at: 0, line: Vec::new() })
    }

    /// Reads the record whose line begins at this byte offset.
    pub fn record(&mut self, at: u64) -> Result<GameRecord, LogError> {
        serde_json::from_slice(self.line(at)?).map_err(|error| error_at_offset(at, error.into()))
    }

    /// Reads the line that begins at this byte offset. Lines in the order of the log are read
    /// without moving to and fro.
    pub(crate) fn line(&mut self, at: u64) -> Result<&[u8], LogError> {
        let failed = |source| error_at_offset(at, source);
        self.input.seek_relative(at.wrapping_sub(self.at).cast_signed()).map_err(failed)?;
        self.at = at;
        self.line.clear();
        let length = read_log_line_into(&mut self.input, &mut self.line).map_err(failed)?;
        self.at += length as u64;
        Ok(&self.line)
    }
}

fn error_at_offset(at: u64, source: io::Error) -> LogError {
    LogError::whole(LogProblem::Misplaced { at, source })
}
