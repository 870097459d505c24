//! `workers.json`: the machines that play for a run, for the page that `serve` shows meanwhile.

use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::is_folder_in_use;
use referee_record::disk;
use referee_record::plain_files::read_plain_nofollow;

/// The file's name in a results folder.
pub const WORKERS: &str = "workers.json";
/// The most bytes of it that are read.
const LARGEST: u64 = 1 << 24;

/// The machines that play for a run on many machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveWorkers {
    /// The workers, by name.
    pub workers: Vec<LiveWorker>,
    /// How many jobs wait for a worker: mostly pairs of games.
    pub queued: u64,
    /// How many games were finished in this run.
    pub games: u64,
    /// How many games are left.
    pub due: u64,
    /// How long this run has played, in seconds.
    pub seconds: f64,
}

/// A machine that plays for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveWorker {
    /// The name.
    pub name: String,
    /// How many games it plays at once.
    pub slots: usize,
    /// How many games it has finished in this run.
    pub games: u64,
    /// For how long it has played in this run, in seconds.
    pub seconds: f64,
    /// How long a fixed computation took on one of its cores, in milliseconds.
    pub calibration_ms: f64,
}

impl LiveWorkers {
    /// Reads the file of the run in progress in `dir`. `None` if no run is in progress there, or if
    /// it plays on this machine alone.
    pub fn read(dir: &Path) -> Option<Self> {
        let text = read_plain_nofollow(&dir.join(WORKERS), LARGEST)
            .ok()
            .filter(|_| is_folder_in_use(dir))?;
        serde_json::from_slice(&text).ok()
    }

    /// Writes the file.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        disk::write_atomically_unsynced(&dir.join(WORKERS), &serde_json::to_vec(self)?)
    }

    /// Removes the file of a run that has ended.
    pub fn remove(dir: &Path) -> io::Result<()> {
        disk::remove_if_there(&dir.join(WORKERS))
    }

    /// How many games are played at once.
    pub fn slots(&self) -> usize {
        self.workers.iter().map(|worker| worker.slots).sum()
    }

    /// The time left at the rate so far, after at least one game.
    pub fn time_left(&self) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "counts of games")]
        let seconds = self.due as f64 * self.seconds / self.games as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// Games per minute; none after less than a second.
#[expect(clippy::cast_precision_loss, reason = "counts of games")]
pub fn live_games_per_minute(games: u64, seconds: f64) -> Option<f64> {
    (seconds >= 1.0).then(|| games as f64 * 60.0 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::LockedFolder;

    #[test]
    fn only_a_run_in_progress_has_workers() {
        let dir = tempfile::tempdir().expect("a folder");
        let workers =
            LiveWorkers { workers: Vec::new(), queued: 3, games: 20, due: 100, seconds: 10.0 };
        assert_eq!(workers.time_left(), Some(Duration::from_secs(50)));
        assert_eq!(LiveWorkers { games: 0, ..workers.clone() }.time_left(), None);
        assert_eq!(
            (live_games_per_minute(20, 10.0), live_games_per_minute(1, 0.5)),
            (Some(120.0), None)
        );
        workers.write(dir.path()).expect("written");
        assert_eq!(LiveWorkers::read(dir.path()), None, "left behind by a run that was killed");
        let folder = LockedFolder::open(dir.path()).expect("locked");
        LiveWorkers::remove(folder.dir()).expect("removed");
        assert!(!dir.path().join(WORKERS).exists());
    }
}
