//! The games that show a finding, kept as a log so that they can be stepped through and asked
//! about again.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::Failure;
use crate::log::{LOG, LogWriter, WriteError};
use crate::model::record::{GameRecord, Header};

/// A folder for the records of one player, made when the first is kept.
#[derive(Debug)]
pub(super) struct Records {
    dir: PathBuf,
    header: Header,
    log: Option<LogWriter>,
}

impl Records {
    /// Records of one player in the folder `dir`.
    pub(super) fn new(dir: &Path, header: Header) -> Self {
        Self { dir: dir.to_owned(), header, log: None }
    }

    /// Where they are.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Keeps a record; the first one replaces what an earlier check left there. Where a later check
    /// has done the same since, nothing more is kept.
    pub(super) fn keep(&mut self, record: &GameRecord) -> Result<(), Failure> {
        let log = if let Some(log) = &mut self.log { log } else { self.log.insert(self.begin()?) };
        match log.append(record) {
            Ok(()) | Err(WriteError::Moved(_)) => Ok(()),
            Err(error) => Err(Failure::system(error.to_string())),
        }
    }

    fn begin(&self) -> Result<LogWriter, Failure> {
        let path = self.dir.join(LOG);
        fs::create_dir_all(&self.dir)
            .and_then(|()| disk::remove_if_there(&path))
            .map_err(|source| WriteError::Failed { path, source })
            .and_then(|()| LogWriter::create(&self.dir, &self.header))
            .map_err(|error| Failure::system(error.to_string()))
    }
}
