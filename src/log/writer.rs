//! Writing a log at its end, by one process alone.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

use super::background::Background;
use super::{LOG, seal};
use crate::disk;
use crate::model::record::{GameRecord, Header};

/// What was appended is on disk at most so much later, and as long as that takes the disk.
pub const SYNC_EVERY: Duration = Duration::from_secs(2);

/// A log, open at its end. No other process writes to it: before each change the writer makes
/// sure that it holds the log's lock, that the file at the log's path is the one it opened, and
/// that this is as long as it should be.
#[derive(Debug)]
pub struct LogWriter {
    // A lock of this kind ends when the process closes any descriptor of the file, so it is taken
    // again before each change; and it ends at once with a process that is killed, though players
    // that are just being started may hold copies of its descriptors for a moment.
    file: File,
    path: PathBuf,
    identity: String,
    length: u64,
    background: Option<Background>,
}

/// Why a log cannot be written to.
#[derive(Debug)]
pub enum WriteError {
    /// Another process is writing to the log at this path.
    Held(PathBuf),
    /// The file at this path is no longer the one that is written to.
    Moved(PathBuf),
    /// Somebody else cut the log or wrote to it.
    Changed {
        /// The log.
        path: PathBuf,
        /// Its length when it was last written to, in bytes.
        expected: u64,
        /// Its length now, in bytes.
        found: u64,
    },
    /// The system refuses.
    Failed {
        /// The log.
        path: PathBuf,
        /// What the system says.
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
    /// Begins a log with its header.
    ///
    /// # Errors
    ///
    /// When there is a log already, or it cannot be written.
    pub fn create(dir: &Path, header: &Header) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        let begin = || {
            if path.try_exists()? {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            disk::write_whole(&path, |out| write_header(out, header))
        };
        begin().map_err(|source| WriteError::Failed { path: path.clone(), source })?;
        Ok(Self { identity: header.identity.clone(), ..Self::hold(dir)? })
    }

    /// Opens a log as it is, so that no other process can. Before anything is appended it has to
    /// [go on](Self::go_on) after its whole lines.
    pub fn hold(dir: &Path) -> Result<Self, WriteError> {
        let path = dir.join(LOG);
        let failed = |source| WriteError::Failed { path: path.clone(), source };
        let file = OpenOptions::new().append(true).open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let log = Self { file, path, identity: String::new(), length, background: None };
        log.look()?;
        Ok(log)
    }

    /// Opens a log of this identity, to go on after its first `length` bytes.
    pub fn open(dir: &Path, identity: &str, length: u64) -> Result<Self, WriteError> {
        let mut log = Self::hold(dir)?;
        log.go_on(identity, length)?;
        Ok(log)
    }

    /// Goes on after the first `length` bytes, which are whole lines of a log of this identity;
    /// what follows is dropped.
    pub fn go_on(&mut self, identity: &str, length: u64) -> Result<(), WriteError> {
        self.look()?;
        self.file.set_len(length).map_err(|source| self.failed(source))?;
        self.length = length;
        identity.clone_into(&mut self.identity);
        Ok(())
    }

    /// From now on what is appended is synced in the background, at most [`SYNC_EVERY`] later; and
    /// the log is held as long as nothing in this process reads it.
    pub fn keep_synced(&mut self) -> Result<(), WriteError> {
        self.look()?;
        let start = |file: File| Background::start(SYNC_EVERY, move || disk::sync(&file));
        let started = self.file.try_clone().and_then(start);
        self.background = Some(started.map_err(|source| self.failed(source))?);
        Ok(())
    }

    /// Appends a record. When it cannot be written in whole, none of it stays.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), WriteError> {
        self.look()?;
        if let Some(error) = self.background.as_ref().and_then(Background::failure) {
            return Err(self.failed(error));
        }
        let line = seal(record, &self.identity).map_err(|source| self.failed(source))?;
        if let Err(error) = disk::write(&self.file, &line) {
            // What cannot be cut off is dropped as a torn line when the log goes on.
            let _ = self.file.set_len(self.length);
            return Err(self.failed(error));
        }
        self.length += line.len() as u64;
        if let Some(background) = &self.background {
            background.written();
        }
        Ok(())
    }

    /// Syncs soon what was appended, and waits for nothing.
    pub fn sync_soon(&self) {
        if let Some(background) = &self.background {
            background.hurry();
        }
    }

    /// Makes sure that everything appended is on disk, in the log and nowhere else.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        let background = self.background.take();
        let synced = background.map_or_else(|| disk::sync(&self.file), Background::finish);
        synced.map_err(|source| self.failed(source))?;
        self.look()
    }

    /// Writes the log of this identity anew and puts it in its place in one step; `content` writes
    /// all of its lines, the header first.
    pub fn replace(
        &mut self,
        identity: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), WriteError> {
        self.look()?;
        disk::write_whole(&self.path, content).map_err(|source| self.failed(source))?;
        let dir = self.path.parent().unwrap_or(Path::new("."));
        *self = Self { identity: identity.to_owned(), ..Self::hold(dir)? };
        Ok(())
    }

    /// Refuses when this is not, or not alone, what the log is.
    fn look(&self) -> Result<(), WriteError> {
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
pub fn write_header(out: &mut dyn Write, header: &Header) -> io::Result<()> {
    out.write_all(&seal(header, &header.identity)?)
}
