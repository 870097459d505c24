//! Keeps the tables up to date while games are played.
//!
//! A low-priority thread works on a copy of the tournament state, so neither the runner nor a
//! player waits for it. It writes the tables after the first game, and again each time the number
//! of games has grown by a tenth. Over a whole run, this costs only a few times as much as the
//! final tables.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use crate::analysis::Evaluation;
use crate::analysis::results::Faulted;
use crate::bounded;
use crate::commands::results::{GAMES_TABLE, UNFINISHED, table_files};
use crate::commands::runtime::take_lowest_priority;
use crate::disk;
use crate::error::Failure;
use crate::folder;
use crate::log::{GameFront, GameNames, LinePlace};
use crate::model::record::Header;
use crate::report::games::GamesTable;
use crate::report::{Remedy, Standings};
use crate::run::event::{Listener, RunEvent};
use crate::schedule::state::TournamentState;

/// The tables are written again when the number of games has grown by one part in this many.
const PART: usize = 10;

/// Writes the tables while games are played. They can be made again from the log at any time, so
/// errors here are only logged.
#[derive(Debug)]
pub(in crate::commands) struct LiveTables {
    dir: PathBuf,
    remedy: Remedy,
    /// The table of games, with new rows appended as games finish.
    games: Option<GamesTable<File>>,
    names: GameNames,
    writer: Option<(SyncSender<TournamentState>, JoinHandle<()>)>,
    /// The number of games in the tables last written.
    shown: usize,
}

impl LiveTables {
    /// Keeps the tables in `dir` of the tournament with this header.
    pub(in crate::commands) fn new(dir: &Path, header: &Header) -> Self {
        let (remedy, names) = (Remedy::of(header), GameNames::of(header));
        Self { dir: dir.to_owned(), remedy, games: None, names, writer: None, shown: 0 }
    }

    /// Begins with the games that are in the log. It opens and closes the log, so call it before
    /// the log is locked.
    pub(in crate::commands) fn begin(&mut self) {
        if let Err(error) = self.try_begin() {
            tracing::warn!(%error, "the tables cannot be kept up to date");
        }
    }

    fn try_begin(&mut self) -> io::Result<()> {
        empty_file(&self.dir.join(UNFINISHED))?;
        self.games = Some(games_so_far(&self.dir, self.names.clone()).map_err(io::Error::other)?);
        let (ledgers, inbox) = sync_channel::<TournamentState>(1);
        let (dir, remedy) = (self.dir.clone(), self.remedy);
        let work = move || {
            take_lowest_priority();
            for state in inbox {
                if let Err(error) = write(&dir, remedy, &state) {
                    tracing::warn!(%error, "the tables cannot be kept up to date");
                }
            }
        };
        let thread = thread::Builder::new().name("tables".to_owned()).spawn(work)?;
        self.writer = Some((ledgers, thread));
        Ok(())
    }

    fn finished(&mut self, event: RunEvent<'_>, state: &TournamentState) -> io::Result<()> {
        if let (Some(table), RunEvent::GameFinished { record, .. }) = (&mut self.games, event)
            && let Some(game) = self.names.line(&GameFront::of(record), LinePlace::default())
        {
            table.write(&game)?;
            table.flush()?;
        }
        let grown = state.played() - self.shown.min(state.played());
        let Some((ledgers, _)) = self.writer.as_ref().filter(|_| grown > self.shown / PART) else {
            return Ok(());
        };
        // If the thread is still busy, it gets a later state.
        if !matches!(ledgers.try_send(state.clone()), Err(TrySendError::Full(_))) {
            self.shown = state.played();
        }
        Ok(())
    }

    /// Waits until the last tables are written, so that they cannot overwrite later ones.
    fn end(&mut self) {
        self.games = None;
        if let Some((ledgers, thread)) = self.writer.take() {
            drop(ledgers);
            // The panic has already printed its own message.
            let _ = thread.join();
        }
    }
}

/// Makes an empty file, or empties the one that is there.
fn empty_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(true).write(true).mode(disk::ordinary_mode());
    bounded::open_with(options, path)
}

/// Writes `games.csv` with the games so far, ready for appending.
fn games_so_far(dir: &Path, names: GameNames) -> Result<GamesTable<File>, Failure> {
    let failed = |error: io::Error| Failure::system(error.to_string());
    let file = empty_file(&dir.join(GAMES_TABLE)).map_err(failed)?;
    let mut table = GamesTable::new(file, names).map_err(failed)?;
    let mut written = Ok(());
    folder::read(dir, |_, game| {
        if written.is_ok() {
            written = table.write(game);
        }
    })?;
    written.and_then(|()| table.flush()).map_err(failed)?;
    Ok(table)
}

fn write(dir: &Path, remedy: Remedy, state: &TournamentState) -> io::Result<()> {
    let evaluation = Evaluation::of(state, Faulted::Count).map_err(io::Error::other)?;
    let standings = Standings { remedy, ..Standings::new(&evaluation) };
    for (name, content) in table_files(&standings, &evaluation.results)? {
        disk::write_quickly(&dir.join(name), &content)?;
    }
    Ok(())
}

impl Listener for LiveTables {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), Failure> {
        let done = match event {
            RunEvent::GameFinished { .. } => self.finished(event, state),
            RunEvent::Over => {
                self.end();
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the tables cannot be kept up to date");
        }
        Ok(())
    }
}
