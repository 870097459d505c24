//! A tournament's folder under `results/`: its lock, secret, log and tables.

mod line_problems;
mod live_socket;
pub mod live_workers_file;

use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Access, FlockOperation, access, fcntl_lock};
use rustix::io::Errno;

pub use self::line_problems::{LineProblem, LineProblemKind, LineProblems, add_line_or_problem};
pub use self::live_socket::{LIVE_SOCKET, LiveSocketPath};
use crate::schedule::tournament_state::TournamentState;
use referee_record::disk::lock::{is_write_locked_by_another, open_lock_file};
use referee_record::disk::{self, FolderAccess};
use referee_record::log::random_access::RandomAccessLog;
use referee_record::log::{GameLine, LOG, LogError, LogReader, LogScan, ScannedLine, WriteError};
use referee_record::model::record::Header;
use referee_record::plain_files::{open_plain_nofollow, read_plain_nofollow};
use referee_record::seeds::{NoRandomNumbers, TournamentSecret};

const LOCK: &str = "lock";
/// The file that keeps a fresh secret.
pub const SECRET: &str = "secret";
/// The most bytes of that file that are read.
const LARGEST_SECRET: u64 = 1024;
/// The folder for transcripts of games that ended in a fault, one file per game.
pub const EXCHANGES: &str = "exchanges";

/// The reason why a results folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Nothing can be written there.
    #[error("cannot write to the results folder {}: {source}", dir.display())]
    Unwritable {
        /// The folder.
        dir: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file there cannot be written, or another run is writing it.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The secret cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    UnreadableSecret {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// This file holds no secret.
    #[error("{}: expected a secret of 64 hex digits; restore what `run` wrote there", .0.display())]
    InvalidSecret(PathBuf),
    /// A fresh secret cannot be saved.
    #[error("cannot write {}: {source}", path.display())]
    UnsavedSecret {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// No secret can be drawn.
    #[error(transparent)]
    Random(#[from] NoRandomNumbers),
    /// The log cannot be read as a whole.
    #[error(transparent)]
    Log(LogError),
    /// A line of the log cannot be read.
    #[error("{}, line {}: {}; nothing was changed", path.display(), source.line, source.problem)]
    LogLine {
        /// The log.
        path: PathBuf,
        /// The line and its problem.
        source: LogError,
    },
    /// The log has other games than were written to it.
    #[error(
        "{} was changed during the run: {found} games can be read in it, {expected} were written; \
         `referee verify` says what is wrong",
        path.display()
    )]
    Count {
        /// The log.
        path: PathBuf,
        /// The number of games in it.
        found: usize,
        /// The number of games that were written.
        expected: usize,
    },
}

impl FolderError {
    /// Turns errors of the log in `dir` into errors of the folder.
    pub fn of_log(dir: &Path) -> impl Fn(LogError) -> Self + Copy {
        move |source| match source.line {
            0 => Self::Log(source),
            _ => Self::LogLine { path: dir.join(LOG), source },
        }
    }

    fn unwritable(dir: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Unwritable { dir: dir.to_owned(), source }
    }
}

/// A results folder, locked against other writers while this value lives.
#[derive(Debug)]
pub struct LockedFolder {
    dir: PathBuf,
    /// Holds the lock while it is open.
    _lock: File,
    /// Whether there may be transcripts.
    has_exchanges: Cell<bool>,
}

impl LockedFolder {
    /// Creates the folder if it is missing, and locks it.
    pub fn open(dir: &Path) -> Result<Self, FolderError> {
        let system = FolderError::unwritable(dir);
        let exchanges = dir.join(EXCHANGES);
        disk::create_results_subfolder(&exchanges).map_err(system)?;
        // They have what players wrote to stderr.
        disk::restrict_folder_access(&exchanges, FolderAccess::Owner).map_err(system)?;
        let file = open_lock_file(&dir.join(LOCK)).map_err(system)?;
        // A player that is just being started briefly holds copies of our open files. This kind of
        // lock belongs to the process, so it ends at once when the referee is killed.
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                disk::remove_unfinished(dir).map_err(system)?;
                let mut exchanges = fs::read_dir(exchanges).map_err(system)?;
                let has_exchanges = Cell::new(exchanges.next().is_some());
                Ok(Self { dir: dir.to_owned(), _lock: file, has_exchanges })
            }
            Err(Errno::ACCESS | Errno::AGAIN) => Err(WriteError::Held(dir.to_owned()).into()),
            Err(error) => Err(system(error.into())),
        }
    }

    /// The path of the folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether there is a log.
    pub(crate) fn has_log(&self) -> bool {
        self.dir.join(LOG).exists()
    }

    /// Saves the transcript of a game that ended in a fault. For any other game, removes the
    /// transcript of an earlier attempt.
    pub(crate) fn save_exchanges(
        &self,
        id: &str,
        exchanges: Option<&str>,
    ) -> Result<(), WriteError> {
        if exchanges.is_none() && !self.has_exchanges.get() {
            return Ok(());
        }
        let path = self.dir.join(EXCHANGES).join(format!("{id}.jsonl"));
        let kept = match exchanges {
            Some(exchanges) => {
                self.has_exchanges.set(true);
                disk::write_atomically_unsynced(&path, exchanges.as_bytes())
            }
            None => disk::remove_if_there(&path),
        };
        kept.map_err(|source| WriteError::Failed { path, source })
    }

    /// Returns the tournament's secret: from the configured seed, from the folder, or a fresh one,
    /// which is saved in the folder and readable only by its owner.
    pub fn load_or_create_secret(
        &self,
        seed: Option<u64>,
    ) -> Result<TournamentSecret, FolderError> {
        if let Some(seed) = seed {
            return Ok(TournamentSecret::from_seed(seed));
        }
        if let Some(secret) = read_folder_secret(&self.dir)? {
            return Ok(secret);
        }
        let secret = TournamentSecret::fresh()?;
        let path = self.dir.join(SECRET);
        disk::write_private_atomically(&path, |out| writeln!(out, "{}", secret.to_hex()))
            .map_err(|source| FolderError::UnsavedSecret { path, source })?;
        Ok(secret)
    }
}

/// Fails as [`LockedFolder::open`] would, but creates and locks nothing.
pub fn check_folder_usable(dir: &Path) -> Result<(), FolderError> {
    if is_folder_in_use(dir) {
        return Err(WriteError::Held(dir.to_owned()).into());
    }
    let there = dir.ancestors().find(|path| path.exists()).unwrap_or(Path::new(""));
    // With the dot, it must be a folder.
    access(there.join("."), Access::WRITE_OK | Access::EXEC_OK)
        .map_err(|error| FolderError::unwritable(dir)(error.into()))
}

/// Waits until no run is writing to a results folder.
///
/// # Errors
/// The lock of the folder cannot be opened.
pub fn wait_for_folder_lock(dir: &Path) -> Result<(), FolderError> {
    let system = FolderError::unwritable(dir);
    let file = open_lock_file(&dir.join(LOCK)).map_err(system)?;
    fcntl_lock(&file, FlockOperation::LockExclusive).map_err(|error| system(error.into()))
}

/// Whether a run is writing to a results folder now.
pub fn is_folder_in_use(dir: &Path) -> bool {
    [LOCK, LOG].iter().any(|name| {
        let file = open_plain_nofollow(&dir.join(name));
        file.is_ok_and(|file| is_write_locked_by_another(&file).unwrap_or(false))
    })
}

/// Reads the secret of a folder, if there is one. An empty file counts as missing: an interrupted
/// run of version 0.1 may have left it.
pub fn read_folder_secret(dir: &Path) -> Result<Option<TournamentSecret>, FolderError> {
    let path = dir.join(SECRET);
    match read_plain_nofollow(&path, LARGEST_SECRET) {
        Ok(text) if text.is_empty() => Ok(None),
        Ok(read_plain_text) => {
            TournamentSecret::from_hex(&String::from_utf8_lossy(&read_plain_text))
                .map(Some)
                .ok_or(FolderError::InvalidSecret(path))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(FolderError::UnreadableSecret { path, source }),
    }
}

/// The contents of a log, read once from its beginning.
#[derive(Debug)]
pub struct LogContents {
    /// The header.
    pub header: Header,
    /// The state of the tournament: which games are done.
    pub state: TournamentState,
    /// The length of all complete lines, in bytes.
    pub whole: u64,
    /// Whether a torn last line follows them.
    pub torn: bool,
    /// The lines that do not count, and those that were edited.
    pub problems: LineProblems,
}

/// The header of the log in `dir`.
pub fn read_folder_header(dir: &Path) -> Result<Header, FolderError> {
    let reader = LogReader::open(dir).map_err(FolderError::of_log(dir))?;
    Ok(reader.header().clone())
}

/// Reads a log to its end and calls `each` with every game that counts and its place.
pub fn read_folder_log(
    dir: &Path,
    mut each: impl FnMut(usize, &GameLine),
) -> Result<LogContents, FolderError> {
    let failure = FolderError::of_log(dir);
    let mut scan = LogScan::open(dir).map_err(failure)?;
    let header = scan.header().clone();
    let mut state = TournamentState::new(&header);
    let mut problems = LineProblems::default();
    while let Some(line) = scan.next_line().map_err(failure)? {
        let (index, problem) = add_line_or_problem(&line, &mut state);
        if let (ScannedLine::Game(game), Some(index)) = (&line, index) {
            each(index, game);
        }
        if let Some(problem) = problem {
            problems.add(problem);
        }
    }
    let (whole, torn) = (scan.whole(), scan.torn());
    Ok(LogContents { header, state, whole, torn, problems })
}

/// Returns an error if a log holds `found` games instead of `expected`.
pub fn check_folder_game_count(
    dir: &Path,
    found: usize,
    expected: usize,
) -> Result<(), FolderError> {
    if found == expected {
        return Ok(());
    }
    Err(FolderError::Count { path: dir.join(LOG), found, expected })
}

/// How many games of the log in `dir` began at this time or later, in seconds since 1970.
///
/// # Errors
/// The log cannot be read.
pub fn count_folder_games_since(dir: &Path, since: u64) -> Result<usize, FolderError> {
    let mut places = Vec::new();
    read_folder_log(dir, |_, game| places.push(game.place.at))?;
    let failure = FolderError::of_log(dir);
    let mut log = RandomAccessLog::open(dir).map_err(failure)?;
    let mut begun = 0;
    for at in places.into_iter().rev() {
        let clock = log.record(at).map_err(failure)?.clock;
        // Games are in the log in the order in which they ended.
        if clock.began + Duration::from_nanos(clock.wall_ns).as_secs() + 1 < since {
            break;
        }
        begun += usize::from(clock.began >= since);
    }
    Ok(begun)
}

/// Calls `each` with every game of the tournament, its place and its line, in the order of the log.
/// Skips lines of games that the tournament does not contain.
pub(crate) fn for_each_folder_game<E: From<FolderError>>(
    dir: &Path,
    state: &TournamentState,
    mut each: impl FnMut(usize, &GameLine, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let failure = FolderError::of_log(dir);
    let mut scan = LogScan::open(dir).map_err(failure)?;
    let mut is_left: Vec<bool> = (0..state.len()).map(|index| state.is_done(index)).collect();
    while let Some((game, line)) = scan.next_game().map_err(failure)? {
        let index = state.index(game.fixture);
        if let Some(index) = index.filter(|&index| std::mem::take(&mut is_left[index])) {
            each(index, &game, &line)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
