//! Keeps the tables up to date while games are played.
//!
//! A low-priority thread works on a copy of the tournament state, so neither the runner nor a
//! player waits for it. It writes the tables after the first game, and again each time the number
//! of games has grown by a tenth. Over a whole run, this costs only a few times as much as the
//! final tables. `games.csv`, which grows with every game, is written at the end.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use super::overtakes::Overtakes;
use referee_record::disk;
use referee_record::log::WriteError;
use referee_record::model::record::Header;
use referee_record::plain_files::open_plain_nofollow_with;
use referee_report::csv_tables::{UNFINISHED, csv_table_files};
use referee_report::{Standings, StandingsRemedy};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::run::cores::yield_cores_to_games;
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The tables are written again when the number of games has grown by one part in this many.
const PART: usize = 10;

/// Writes the tables while games are played. They can be made again from the log at any time, so
/// errors here are only logged.
#[derive(Debug)]
pub(in crate::commands) struct LiveTables {
    dir: PathBuf,
    remedy: StandingsRemedy,
    overtakes: Option<Overtakes>,
    writer: Option<(SyncSender<TournamentState>, JoinHandle<()>)>,
    /// The number of games in the tables last written.
    shown: usize,
}

impl LiveTables {
    /// Keeps the tables in `dir` of the tournament with this header.
    pub(in crate::commands) fn new(dir: &Path, header: &Header) -> Self {
        let remedy = StandingsRemedy::from_header(header);
        Self { dir: dir.to_owned(), remedy, overtakes: None, writer: None, shown: 0 }
    }

    /// Also notices overtakes.
    pub(super) fn with_overtakes(self, overtakes: Overtakes) -> Self {
        Self { overtakes: Some(overtakes), ..self }
    }

    /// Marks the tables as unfinished, and begins.
    pub(in crate::commands) fn begin(&mut self) {
        if let Err(error) = self.try_begin() {
            tracing::warn!(%error, "the tables cannot be kept up to date");
        }
    }

    fn try_begin(&mut self) -> io::Result<()> {
        empty_live_table(&self.dir.join(UNFINISHED))?;
        let (ledgers, inbox) = sync_channel::<TournamentState>(1);
        let (dir, remedy) = (self.dir.clone(), self.remedy);
        let mut overtakes = self.overtakes.take();
        let work = move || {
            yield_cores_to_games();
            for state in inbox {
                if let Err(error) = write_live_tables(&dir, remedy, &state, overtakes.as_mut()) {
                    tracing::warn!(%error, "the tables cannot be kept up to date");
                }
            }
        };
        let thread = thread::Builder::new().name("tables".to_owned()).spawn(work)?;
        self.writer = Some((ledgers, thread));
        Ok(())
    }

    fn finished(&mut self, state: &TournamentState) {
        let grown = state.played() - self.shown.min(state.played());
        let Some((ledgers, _)) = self.writer.as_ref().filter(|_| grown > self.shown / PART) else {
            return;
        };
        // If the thread is still busy, it gets a later state.
        if !matches!(ledgers.try_send(state.clone()), Err(TrySendError::Full(_))) {
            self.shown = state.played();
        }
    }

    /// Waits until the last tables are written, so that they cannot overwrite later ones.
    fn end(&mut self) {
        if let Some((ledgers, thread)) = self.writer.take() {
            drop(ledgers);
            // The panic has already printed its own message.
            let _ = thread.join();
        }
    }
}

/// Creates an empty file, or truncates an existing one.
fn empty_live_table(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.create(true).truncate(true).write(true).mode(disk::new_file_mode());
    open_plain_nofollow_with(options, path).map(drop)
}

fn write_live_tables(
    dir: &Path,
    remedy: StandingsRemedy,
    state: &TournamentState,
    overtakes: Option<&mut Overtakes>,
) -> io::Result<()> {
    let evaluation =
        TournamentEvaluation::from_state(state, Faulted::Count).map_err(io::Error::other)?;
    if let Some(overtakes) = overtakes {
        overtakes.see(state, &evaluation);
    }
    let standings = Standings { remedy, ..Standings::new(&evaluation) };
    for (name, content) in csv_table_files(&standings, &evaluation.results)? {
        disk::write_atomically_unsynced(&dir.join(name), &content)?;
    }
    Ok(())
}

impl RunListener for LiveTables {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::GameFinished { .. } => self.finished(state),
            // A service must stop soon, and the page of a league is made from its log.
            RunEvent::Over { is_stopped: true } if state.is_league() => self.writer = None,
            RunEvent::Over { .. } => self.end(),
            _ => {}
        }
        Ok(())
    }
}
