//! Appends to a log, from one process only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use serde::Serialize;

use super::background_sync::{BackgroundSync, SyncedWrites};
use super::front::StoredGame;
use super::{LOG, seal_log_line};
use crate::disk::lock::is_write_locked_by_another;
use crate::disk::{self, sync_to_disk, write_to_disk};
use crate::model::record::{GameRecord, Header};
use crate::model::roster_change::RosterChange;
use crate::plain_files::open_plain_nofollow_with;

/// The longest wait before appended data is synced; the sync itself takes extra time.
pub(crate) const SYNC_EVERY: Duration = Duration::from_secs(2);

/// A log, open for appending. No other process writes to it: before each change the writer checks
/// that it holds the log's lock, that the log's path still leads to the file it opened, and that
/// the file has the expected length.
#[derive(Debug)]
pub struct LogWriter {
    // This kind of lock ends when the process closes any descriptor of the file, so the writer
    // takes it again before each change. It also ends at once when the process is killed, even if
    // players that are just being started hold copies of its descriptors.
    file: File,
    path: PathBuf,
    identity: String,
    length: u64,
    background: Option<BackgroundSync>,
    /// How many records this writer has appended.
    appended: u64,
    /// How many of them are on disk.
    synced: Arc<SyncedWrites>,
}

/// The reason why a log cannot be written to.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another process is writing to the log in this folder.
    #[error("another run is writing to {}; wait for it, or stop it with Ctrl-C", .0.display())]
    Held(PathBuf),
    /// The path no longer leads to the file that was opened.
    #[error("{} was moved, removed or replaced during the run", .0.display())]
    Moved(PathBuf),
    /// Somebody else truncated the log or wrote to it.
    #[error(
        "{} was changed during the run: it has {found} bytes, expected {expected}",
        path.display()
    )]
    Changed {
        /// The log.
        path: PathBuf,
        /// Its length after our last write, in bytes.
        expected: u64,
        /// Its length now, in bytes.
        found: u64,
    },
    /// No command could read a log with this header.
    #[error("cannot write {}: {problem}", path.display())]
    Header {
        /// The log.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The system reported an error.
    #[error("cannot write {}: {source}", path.display())]
    Failed {
        /// The log.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl LogWriter {
    /// Creates a log with this header.
    ///
    /// # Errors
    ///
    /// If there is a log already, no command could read this header, or the log cannot be written.
    pub fn create(dir: &Path, header: &Header) -> Result<Self, WriteError> {
        Self::create_with(dir, header, &[])
    }

    /// Creates, in one step, a log with this header and these changes of a league's players.
    ///
    /// # Errors
    ///
    /// As those of [`create`](Self::create).
    pub fn create_with(
        dir: &Path,
        header: &Header,
        changes: &[RosterChange],
    ) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        header.check().map_err(|problem| WriteError::Header { path: path.clone(), problem })?;
        let begin = || {
            if path.try_exists()? {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            disk::write_atomically(&path, |out| {
                write_log_header(out, header)?;
                let mut lines =
                    changes.iter().map(|change| seal_log_line(change, &header.identity));
                lines.try_for_each(|line| out.write_all(&line?))
            })
        };
        begin().map_err(|source| WriteError::Failed { path: path.clone(), source })?;
        let mut log = Self::open_locked(dir)?;
        log.continue_at(header, log.length)?;
        Ok(log)
    }

    /// Opens a log unchanged, and keeps other processes from opening it. Call
    /// [`continue_at`](Self::continue_at) before you append.
    pub fn open_locked(dir: &Path) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        let failed = |source| WriteError::Failed { path: path.clone(), source };
        let file =
            open_plain_nofollow_with(OpenOptions::new().append(true), &path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let log = Self {
            file,
            path,
            identity: String::new(),
            length,
            background: None,
            appended: 0,
            synced: Arc::default(),
        };
        log.check()?;
        Ok(log)
    }

    /// Prepares to append after the first `length` bytes, which must be complete lines of a log
    /// with this header. Drops everything after them.
    pub fn continue_at(&mut self, header: &Header, length: u64) -> Result<(), WriteError> {
        self.check()?;
        if length != self.length {
            self.file.set_len(length).map_err(|source| self.failed(source))?;
        }
        self.length = length;
        self.identity.clone_from(&header.identity);
        Ok(())
    }

    /// Syncs appended data in the background from now on, at most `SYNC_EVERY` later. Keeps the
    /// lock as long as nothing else in this process opens the log.
    pub fn keep_synced(&mut self) -> Result<(), WriteError> {
        self.check()?;
        let start = |file: File| {
            BackgroundSync::start(SYNC_EVERY, move || sync_to_disk(&file), Arc::clone(&self.synced))
        };
        let started = self.file.try_clone().and_then(start);
        self.background = Some(started.map_err(|source| self.failed(source))?);
        Ok(())
    }

    /// Appends a record. If the write fails, removes the part that was written.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), WriteError> {
        self.append_line(&StoredGame::new(record))?;
        self.appended += 1;
        if let Some(background) = &self.background {
            background.written();
        }
        Ok(())
    }

    /// Appends a change of a league's players, and waits until it is on disk.
    pub fn append_change(&mut self, change: &RosterChange) -> Result<(), WriteError> {
        self.append_line(change)?;
        sync_to_disk(&self.file).map_err(|source| self.failed(source))
    }

    fn append_line(&mut self, line: &impl Serialize) -> Result<(), WriteError> {
        self.check()?;
        if let Some(error) = self.background.as_ref().and_then(BackgroundSync::failure) {
            return Err(self.failed(error));
        }
        let line = seal_log_line(line, &self.identity).map_err(|source| self.failed(source))?;
        if let Err(error) = write_to_disk(&self.file, &line) {
            // If this fails too, the rest is dropped as a torn line when the log is opened again.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(error));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Tells `listener` how many of the records that this writer has appended are on disk, now and
    /// after each sync. It replaces an earlier listener.
    pub fn on_sync(&self, listener: impl Fn(u64) + Send + 'static) {
        self.synced.listen(Box::new(listener));
    }

    /// Requests a sync of the appended data, without waiting for it.
    pub fn sync_soon(&self) {
        if let Some(background) = &self.background {
            background.hurry();
        }
    }

    /// Makes sure that all appended data is on disk, and that the log is still ours.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let background = self.background.take();
        let synced = background.map_or_else(|| sync_to_disk(&self.file), BackgroundSync::finish);
        synced.map_err(|source| self.failed(source))?;
        self.synced.set(self.appended);
        self.check()
    }

    /// Replaces the log in one step. `content` writes all of its lines, beginning with this header.
    pub fn replace(
        &mut self,
        header: &Header,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        self.check()?;
        disk::write_atomically(&self.path, content).map_err(|source| self.failed(source))?;
        let mut log = Self::open_locked(self.dir())?;
        log.continue_at(header, log.length)?;
        *self = log;
        Ok(())
    }

    fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Fails if the log was replaced or has another length.
    fn check(&self) -> Result<(), WriteError> {
        let failed = |source| self.failed(source);
        match fcntl_lock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            // Writers never hold a lock for reading; any reader of the log may.
            Err(Errno::ACCESS | Errno::AGAIN)
                if is_write_locked_by_another(&self.file).is_ok_and(|written| !written) => {}
            Err(Errno::ACCESS | Errno::AGAIN) => {
                let dir = self.path.parent().unwrap_or(&self.path);
                return Err(WriteError::Held(dir.to_owned()));
            }
            Err(error) => return Err(failed(error.into())),
        }
        let here = self.file.metadata().map_err(failed)?;
        match fs::metadata(&self.path) {
            Ok(there) if (there.dev(), there.ino()) == (here.dev(), here.ino()) => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => return Err(WriteError::Moved(self.path.clone())),
        }
        if here.len() == self.length {
            return Ok(());
        }
        let (path, expected, found) = (self.path.clone(), self.length, here.len());
        Err(WriteError::Changed { path, expected, found })
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::Failed { path: self.path.clone(), source }
    }
}

/// Writes the first line of a log.
pub fn write_log_header(out: &mut dyn Write, header: &Header) -> io::Result<()> {
    out.write_all(&seal_log_line(header, &header.identity)?)
}

/// Writes a game of a log with this identity.
pub fn write_log_record(
    out: &mut dyn Write,
    record: &GameRecord,
    identity: &str,
) -> io::Result<()> {
    out.write_all(&seal_log_line(&StoredGame::new(record), identity)?)
}

#[cfg(test)]
mod tests;
