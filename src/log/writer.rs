//! Appends to a log, from one process only.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use tokio::sync::watch;

use super::background::Background;
use super::game_line::{GameNames, LinePlace};
use super::index::{IndexEntry, Look};
use super::index_writer::{IndexWriter, begin_index};
use super::{LOG, hash_line, seal};
use crate::bounded;
use crate::disk;
use crate::model::record::{GameRecord, Header};

/// The longest wait before appended data is synced; the sync itself takes extra time.
pub const SYNC_EVERY: Duration = Duration::from_secs(2);

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
    names: GameNames,
    length: u64,
    background: Option<Background>,
    /// How many records this writer has appended.
    appended: u64,
    /// How many of them are on disk.
    synced: watch::Sender<u64>,
    /// The index; none if it does not fit the log or cannot be written.
    index: Option<IndexWriter>,
}

/// The reason why a log cannot be written to.
#[derive(Debug)]
pub enum WriteError {
    /// Another process is writing to the log at this path.
    Held(PathBuf),
    /// The path no longer leads to the file that was opened.
    Moved(PathBuf),
    /// Somebody else truncated the log or wrote to it.
    Changed {
        /// The log.
        path: PathBuf,
        /// Its length after our last write, in bytes.
        expected: u64,
        /// Its length now, in bytes.
        found: u64,
    },
    /// The system reported an error.
    Failed {
        /// The log.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held(path) => write!(f, "another run is writing to {}", path.display()),
            Self::Moved(path) => {
                write!(f, "{} was moved, removed or replaced during the run", path.display())
            }
            Self::Changed { path, expected, found } => write!(
                f,
                "{} was changed during the run: it has {found} bytes, expected {expected}",
                path.display()
            ),
            Self::Failed { path, source } => {
                write!(f, "cannot write {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl LogWriter {
    /// Creates a log with this header.
    ///
    /// # Errors
    ///
    /// If there is a log already, or it cannot be written.
    pub fn create(dir: &Path, header: &Header) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        let begin = || {
            if path.try_exists()? {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            disk::write_whole(&path, |out| write_header(out, header))
        };
        begin().map_err(|source| WriteError::Failed { path: path.clone(), source })?;
        let mut log = Self::hold(dir)?;
        log.begin_index(header);
        log.go_on(header, log.length)?;
        Ok(log)
    }

    /// Opens a log unchanged, and keeps other processes from opening it. Call
    /// [`go_on`](Self::go_on) before you append.
    pub fn hold(dir: &Path) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        let failed = |source| WriteError::Failed { path: path.clone(), source };
        let file = bounded::open_with(OpenOptions::new().append(true), &path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let log = Self {
            file,
            path,
            identity: String::new(),
            names: GameNames::default(),
            length,
            background: None,
            appended: 0,
            synced: watch::Sender::new(0),
            index: None,
        };
        log.look()?;
        Ok(log)
    }

    /// Opens a log with this header, to append after its first `length` bytes.
    pub fn open(dir: &Path, header: &Header, length: u64) -> Result<Self, WriteError> {
        let mut log = Self::hold(dir)?;
        log.go_on(header, length)?;
        Ok(log)
    }

    /// Prepares to append after the first `length` bytes, which must be complete lines of a log
    /// with this header. Drops whatever follows them.
    pub fn go_on(&mut self, header: &Header, length: u64) -> Result<(), WriteError> {
        self.look()?;
        // The index that a scan of the log has left ends with the last complete line.
        self.index = self.kept_index();
        if length != self.length {
            self.file.set_len(length).map_err(|source| self.failed(source))?;
            let log = self.file.metadata().map_err(|source| self.failed(source))?;
            if let Some(index) = &mut self.index {
                index.renew(Look::of(&log));
            }
        }
        self.length = length;
        self.identity.clone_from(&header.identity);
        self.names = GameNames::of(header);
        Ok(())
    }

    /// Syncs appended data in the background from now on, at most [`SYNC_EVERY`] later. Keeps the
    /// lock as long as nothing else in this process opens the log.
    pub fn keep_synced(&mut self) -> Result<(), WriteError> {
        self.look()?;
        let start = |file: File| {
            Background::start(SYNC_EVERY, move || disk::sync(&file), self.synced.clone())
        };
        let started = self.file.try_clone().and_then(start);
        self.background = Some(started.map_err(|source| self.failed(source))?);
        Ok(())
    }

    /// Appends a record. If the write fails, removes the part that was written.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), WriteError> {
        let look = self.look()?;
        // If the index continued, it would hide the change.
        self.index.take_if(|index| !index.fits(look));
        if let Some(error) = self.background.as_ref().and_then(Background::failure) {
            return Err(self.failed(error));
        }
        let line = seal(record, &self.identity).map_err(|source| self.failed(source))?;
        if let Err(error) = disk::write(&self.file, &line) {
            // If this fails too, the rest is dropped as a torn line when the log is opened again.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(error));
        }
        self.index(record, &line);
        self.length += line.len() as u64;
        self.appended += 1;
        if let Some(background) = &self.background {
            background.written();
        }
        Ok(())
    }

    /// Says how many of the records that this writer has appended are on disk.
    pub fn synced(&self) -> watch::Receiver<u64> {
        self.synced.subscribe()
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
        let synced = background.map_or_else(|| disk::sync(&self.file), Background::finish);
        synced.map_err(|source| self.failed(source))?;
        self.synced.send_replace(self.appended);
        self.look().map(drop)
    }

    /// Replaces the log in one step. `content` writes all of its lines, beginning with this header.
    pub fn replace(
        &mut self,
        header: &Header,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        self.look()?;
        disk::write_whole(&self.path, content).map_err(|source| self.failed(source))?;
        let mut log = Self::hold(self.dir())?;
        log.go_on(header, log.length)?;
        *self = log;
        Ok(())
    }

    /// Starts an index for a log without games.
    fn begin_index(&self, header: &Header) {
        let begin = || {
            let look = Look::of(&self.file.metadata()?);
            begin_index(self.dir(), &seal(header, &header.identity)?, look)
        };
        if let Err(error) = begin() {
            tracing::debug!(%error, "there is no index");
        }
    }

    /// The index, if it ends with the last line of the log as it is now.
    fn kept_index(&self) -> Option<IndexWriter> {
        let look = Look::of(&self.file.metadata().ok()?);
        IndexWriter::open(self.dir(), look).ok().flatten()
    }

    /// Adds the last line to the index. Without an index, the line is read from the log.
    fn index(&mut self, record: &GameRecord, line: &[u8]) {
        let Some(index) = &mut self.index else { return };
        let place = LinePlace {
            // The index contains neither: both follow from the lines before.
            line: 0,
            at: self.length,
            length: u32::try_from(line.len()).unwrap_or(u32::MAX),
            hash: hash_line(line, &self.identity).0,
            intact: true,
        };
        let game = self.names.line(record, place);
        let entry = game.map_or(IndexEntry::Other(place), IndexEntry::Game);
        let look = self.file.metadata().map(|log| Look::of(&log));
        if let Err(error) = look.and_then(|look| index.append(&entry, look)) {
            tracing::debug!(%error, "the index ends here");
            self.index = None;
        }
    }

    fn dir(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Returns the look of the log, or an error if it was replaced or has another length.
    fn look(&self) -> Result<Look, WriteError> {
        let failed = |source| self.failed(source);
        match fcntl_lock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::ACCESS | Errno::AGAIN) => return Err(WriteError::Held(self.path.clone())),
            Err(error) => return Err(failed(error.into())),
        }
        let here = self.file.metadata().map_err(failed)?;
        match fs::metadata(&self.path) {
            Ok(there) if (there.dev(), there.ino()) == (here.dev(), here.ino()) => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => return Err(WriteError::Moved(self.path.clone())),
        }
        if here.len() == self.length {
            return Ok(Look::of(&here));
        }
        let (path, expected, found) = (self.path.clone(), self.length, here.len());
        Err(WriteError::Changed { path, expected, found })
    }

    fn failed(&self, source: io::Error) -> WriteError {
        WriteError::Failed { path: self.path.clone(), source }
    }
}

/// Writes the first line of a log.
pub fn write_header(out: &mut dyn Write, header: &Header) -> io::Result<()> {
    out.write_all(&seal(header, &header.identity)?)
}

#[cfg(test)]
mod tests;
