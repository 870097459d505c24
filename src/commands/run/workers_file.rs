//! Keeps the file of the machines that play up to date, for the page that `serve` shows.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use referee_record::log::WriteError;
use referee_tournament::folder::live_workers_file::{LiveWorker, LiveWorkers};
use referee_tournament::run::run_event::{RunEvent, RunListener, WorkerPool, WorkerStatus};
use referee_tournament::schedule::tournament_state::TournamentState;

/// The shortest time between two versions of the file, if the workers are the same.
const EVERY: Duration = Duration::from_secs(5);

/// Writes the file while workers play. The page only shows it, so errors here are only logged.
#[derive(Debug)]
pub(super) struct WorkersFile {
    dir: PathBuf,
    /// When the games began.
    began: Option<Instant>,
    games: u64,
    /// By the name of a worker.
    by_worker: HashMap<String, WorkerTally>,
    /// When the file was written last, with how many games at once.
    written: Option<(Instant, usize)>,
}

/// What a worker has done in this run.
#[derive(Debug, Clone, Copy)]
struct WorkerTally {
    since: Instant,
    games: u64,
}

impl WorkersFile {
    /// Keeps the file in `dir`, where an earlier run may have left one.
    pub(super) fn new(dir: &Path) -> Self {
        log_workers_file_error(LiveWorkers::remove(dir));
        let by_worker = HashMap::new();
        Self { dir: dir.to_owned(), began: None, games: 0, by_worker, written: None }
    }

    fn show(&mut self, pool: &WorkerPool, state: &TournamentState) {
        let now = Instant::now();
        for member in &pool.members {
            let new = || WorkerTally { since: now, games: 0 };
            self.by_worker.entry(member.name.clone()).or_insert_with(new);
        }
        let slots = pool.slots();
        let is_recent = |(at, before): (Instant, usize)| before == slots && now - at < EVERY;
        if self.written.is_some_and(is_recent) {
            return;
        }
        self.written = Some((now, slots));
        log_workers_file_error(self.live(pool, state, now).write(&self.dir));
    }

    fn live(&self, pool: &WorkerPool, state: &TournamentState, now: Instant) -> LiveWorkers {
        let began = self.began.unwrap_or(now);
        // Several workers may have the same name; each name is listed once.
        let mut workers: Vec<LiveWorker> = Vec::new();
        for member in &pool.members {
            let WorkerStatus { name, slots, calibration, .. } = member;
            if let Some(last) = workers.last_mut().filter(|last| last.name == *name) {
                last.slots += slots;
                continue;
            }
            let WorkerTally { since, games } = self.by_worker[name];
            workers.push(LiveWorker {
                name: name.clone(),
                slots: *slots,
                games,
                seconds: (now - began.max(since)).as_secs_f64(),
                calibration_ms: calibration.as_secs_f64() * 1e3,
            });
        }
        LiveWorkers {
            workers,
            queued: pool.queued,
            games: self.games,
            due: state.count_due() as u64,
            seconds: (now - began).as_secs_f64(),
        }
    }
}

fn log_workers_file_error(done: io::Result<()>) {
    if let Err(error) = done {
        tracing::warn!(%error, "the page cannot show the workers");
    }
}

impl RunListener for WorkersFile {
    fn on(&mut self, event: RunEvent<'_>, state: &TournamentState) -> Result<(), WriteError> {
        match event {
            RunEvent::Begun { .. } => self.began = Some(Instant::now()),
            RunEvent::GameFinished { record, .. } => {
                self.games += u64::from(record.worker.is_some());
                let known = record.worker.as_ref().and_then(|it| self.by_worker.get_mut(it));
                if let Some(known) = known {
                    known.games += 1;
                }
            }
            RunEvent::WorkerPool(pool) => self.show(pool, state),
            RunEvent::Over { .. } => log_workers_file_error(LiveWorkers::remove(&self.dir)),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::examples::{game, header};
    use referee_record::model::record::{GameRecord, Header};
    use referee_record::model::stage::Stage;
    use referee_tournament::folder::live_workers_file::WORKERS;

    #[test]
    fn the_file_tells_who_plays_and_goes_with_the_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let state = TournamentState::new(&Header {
            stages: vec![Stage::round_robin(2)],
            ..header(&["ant", "bee"])
        });
        let file = || std::fs::read(dir.path().join(WORKERS)).ok();
        std::fs::write(dir.path().join(WORKERS), "old").expect("written");
        let mut workers = WorkersFile::new(dir.path());
        assert_eq!(file(), None, "it was another run's");
        let mut tell = |event: RunEvent<'_>| workers.on(event, &state).expect("no failure");
        let member = |name: &str, slots| WorkerStatus {
            name: name.to_owned(),
            slots,
            cores: 4,
            calibration: Duration::from_micros(5250),
            containment: String::new(),
        };
        let pool = |members| WorkerPool { members, queued: 3, ..WorkerPool::default() };
        tell(RunEvent::Begun { due: 4 });
        tell(RunEvent::WorkerPool(&pool(vec![member("one", 2)])));
        let played = GameRecord { worker: Some("one".to_owned()), ..game("ant", "bee", "draw") };
        tell(RunEvent::GameFinished { record: &played, transcript: None });
        tell(RunEvent::WorkerPool(&pool(vec![
            member("one", 1),
            member("one", 1),
            member("two", 1),
        ])));
        let live: LiveWorkers = serde_json::from_slice(&file().expect("a file")).expect("JSON");
        let games: Vec<(&str, u64)> =
            live.workers.iter().map(|worker| (worker.name.as_str(), worker.games)).collect();
        assert_eq!(games, [("one", 1), ("two", 0)]);
        assert_eq!((live.slots(), live.queued, live.games, live.due), (3, 3, 1, 4));
        tell(RunEvent::Over { is_stopped: false });
        assert_eq!(file(), None);
    }
}
