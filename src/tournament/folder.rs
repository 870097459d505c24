//! A tournament's folder under `results/`: its lock, its secret, its log and its tables.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

use super::ledger::{Ledger, Misfit};
use crate::commands::Failure;
use crate::rating::Tally;
use crate::rating::tally::Faulted;
use crate::record::Header;
use crate::record::log::{Entry, LOG, LogError, LogReader};
use crate::seeds::Secret;

const LOCK: &str = "lock";
/// Where a fresh secret is kept.
pub const SECRET: &str = "secret";
/// Where the last exchanges of games that ended in a fault are kept, a file a game.
pub const EXCHANGES: &str = "exchanges";

/// A folder that nobody else writes to as long as this value lives.
#[derive(Debug)]
pub struct Locked {
    dir: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

impl Locked {
    /// Makes the folder where it is missing, and locks it.
    pub fn open(dir: &Path) -> Result<Self, Failure> {
        let system = |error: io::Error| {
            Failure::system(format!(
                "cannot write to the results folder {}: {error}",
                dir.display()
            ))
        };
        fs::create_dir_all(dir.join(EXCHANGES)).map_err(system)?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join(LOCK))
            .map_err(system)?;
        // A player that is just being started holds a copy of what is open here for a moment. This
        // kind of lock is the process's own, so it ends at once with a referee that is killed.
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { dir: dir.to_owned(), _lock: file }),
            Err(Errno::ACCESS | Errno::AGAIN) => Err(Failure::conflict(format!(
                "another run is writing to {}; wait for it, or stop it with Ctrl-C",
                dir.display()
            ))),
            Err(error) => Err(system(error.into())),
        }
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// There is a log.
    pub fn has_log(&self) -> bool {
        self.dir.join(LOG).exists()
    }

    /// The tournament's secret: from the configured seed, or the one in the folder, or a fresh
    /// one, kept in the folder readable by its owner alone.
    pub fn secret(&self, seed: Option<u64>) -> Result<Secret, Failure> {
        if let Some(seed) = seed {
            return Ok(Secret::from_seed(seed));
        }
        if let Some(secret) = read_secret(&self.dir)? {
            return Ok(secret);
        }
        let secret = Secret::fresh()
            .map_err(|error| Failure::system(format!("the system gives no randomness: {error}")))?;
        let path = self.dir.join(SECRET);
        OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(0o600)
            .open(&path)
            .and_then(|mut file| {
                writeln!(file, "{}", secret.to_hex())?;
                file.sync_all()
            })
            .map_err(|error| {
                Failure::system(format!("cannot write {}: {error}", path.display()))
            })?;
        Ok(secret)
    }
}

/// The secret kept in a folder, if there is one.
pub fn read_secret(dir: &Path) -> Result<Option<Secret>, Failure> {
    let path = dir.join(SECRET);
    match fs::read_to_string(&path) {
        Ok(text) => Secret::from_hex(&text).map(Some).ok_or_else(|| {
            Failure::input(format!("{}: expected a secret of 64 hex digits", path.display()))
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::system(format!("cannot read {}: {error}", path.display()))),
    }
}

/// What a log holds, read once from its beginning.
#[derive(Debug)]
pub struct Contents {
    /// The header.
    pub header: Header,
    /// Which games are done.
    pub ledger: Ledger,
    /// The bytes of whole lines.
    pub whole: u64,
    /// A torn last line follows them.
    pub torn: bool,
}

/// An error of a log as a failure of the command.
pub fn log_failure(dir: &Path, error: &LogError) -> Failure {
    let path = dir.join(LOG);
    match error.line {
        0 => Failure::input(error.message.clone()),
        line => Failure::input(format!(
            "{}, line {line}: {}; nothing was changed",
            path.display(),
            error.message
        )),
    }
}

/// Reads a log to its end and gives each entry, with its place, to `each`.
/// Refuses a line that does not belong.
pub fn read(dir: &Path, mut each: impl FnMut(usize, &Entry)) -> Result<Contents, Failure> {
    let failure = |error: LogError| log_failure(dir, &error);
    let mut reader = LogReader::open(dir).map_err(failure)?;
    let header = reader.header().clone();
    let names = header.players.iter().map(|player| player.name.clone()).collect();
    let mut ledger = Ledger::new(names, &header.stages, header.quarantine);
    while let Some(entry) = reader.next_entry().map_err(failure)? {
        let index = ledger.add(&entry.record).map_err(|misfit| {
            failure(LogError { line: entry.line, message: describe(misfit, &entry) })
        })?;
        each(index, &entry);
    }
    Ok(Contents { header, ledger, whole: reader.whole(), torn: reader.torn() })
}

fn describe(misfit: Misfit, entry: &Entry) -> String {
    let id = &entry.record.id;
    match misfit {
        Misfit::Foreign => format!("game {id} is not a game of this tournament"),
        Misfit::Double => format!("game {id} stands here a second time"),
    }
}

/// The results of a log: games after a quarantine do not count.
pub fn tally(dir: &Path, ledger: &Ledger, faulted: Faulted) -> Result<Tally, Failure> {
    let mut tally = Tally::new(ledger.names()).with(faulted);
    counted(dir, ledger, |entry| {
        tally.add(&entry.record).map_err(|error| {
            log_failure(dir, &LogError { line: entry.line, message: error.to_string() })
        })
    })?;
    Ok(tally)
}

/// Gives every game of a log that counts to `each`: those after a quarantine do not.
pub fn counted(
    dir: &Path,
    ledger: &Ledger,
    mut each: impl FnMut(&Entry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failure = |error: LogError| log_failure(dir, &error);
    let mut reader = LogReader::open(dir).map_err(failure)?;
    while let Some(entry) = reader.next_entry().map_err(failure)? {
        if ledger.place(&entry.record).is_some_and(|index| !ledger.is_void(index)) {
            each(&entry)?;
        }
    }
    Ok(())
}
