//! Saves the games with a finding as a log, so that they can be replayed and their decisions
//! repeated.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Failure;
use referee_record::disk;
use referee_record::log::{LOG, LogWriter, WriteError};
use referee_record::model::record::{GameRecord, Header};

/// A folder for the records of one player, created with the first record.
#[derive(Debug)]
pub(super) struct Records {
    dir: PathBuf,
    header: Header,
    log: Option<LogWriter>,
}

impl Records {
    /// Keeps records of one player in the folder `dir`.
    pub(super) fn new(dir: &Path, header: Header) -> Self {
        Self { dir: dir.to_owned(), header, log: None }
    }

    /// The folder of the records.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Keeps a record. The first one replaces the records of an earlier check. If a later check has
    /// replaced them since, nothing more is kept.
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
