//! The listener that writes the log: a game is done when its line is there.

use tokio::sync::watch;

use super::run_event::{RunEvent, RunListener};
use crate::folder::LockedFolder;
use crate::schedule::tournament_state::TournamentState;
use referee_record::log::{LogWriter, WriteError};

/// Writes finished games to the log, and transcripts of games with a fault to files beside it.
#[derive(Debug)]
pub struct Recorder<'a> {
    folder: &'a LockedFolder,
    log: LogWriter,
}

impl<'a> Recorder<'a> {
    /// A recorder for this log in `folder`.
    pub fn new(folder: &'a LockedFolder, log: LogWriter) -> Self {
        Self { folder, log }
    }

    /// Says how many games of this run are on disk.
    pub fn watch_synced_games(&self) -> watch::Receiver<u64> {
        let (sender, receiver) = watch::channel(0);
        self.log.on_sync(move |games| _ = sender.send_replace(games));
        receiver
    }
}

impl RunListener for Recorder<'_> {
    fn on(&mut self, event: RunEvent<'_>, _: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::Begun { .. } => self.log.keep_synced()?,
            RunEvent::GameFinished { record, transcript } => {
                self.folder.save_exchanges(&record.id, transcript)?;
                self.log.append(record)?;
            }
            RunEvent::PlayersChanged(change) => self.log.append_change(change)?,
            RunEvent::SectionOver => self.log.sync_soon(),
            RunEvent::Over { .. } => self.log.finish()?,
            RunEvent::CannotStart { .. }
            | RunEvent::GameBegun { .. }
            | RunEvent::Finishing { .. }
            | RunEvent::PlayerOut { .. }
            | RunEvent::Notice(_)
            | RunEvent::Warning(_)
            | RunEvent::WorkerPool(_) => {}
        }
        Ok(())
    }
}
