//! A worker: one thread on one core, which plays one game at a time.
//!
//! The referee's side of a game and both players share the core, because a wake-up across cores
//! costs far more than one on the same core.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, watch};

use super::entrant::Entrant;
use super::failure::JobFailure;
use super::job::{Conditions, DueGame, Job, JobOutcome, Report};
use super::pool::{self, PlayerPool};
use crate::run::cores::CoreReservation;
use referee_match::openings::OpeningBook;
use referee_match::pauses;

/// Open files of a worker besides those of its players.
const OF_WORKER: u64 = 6;
/// Open files per player: its pipes, its supervisor, its control groups.
const OF_PLAYER: u64 = 9;

/// The approximate maximum of open files of a worker, for these players.
pub fn open_files(players: &[Entrant]) -> u64 {
    let reusable = players.iter().filter(|player| player.reusable).count();
    // The games of a pair are played by different processes, which may wait at the same time.
    OF_WORKER + OF_PLAYER * (2 + (2 * reusable).min(pool::IDLE_MOST) as u64)
}

/// The jobs of a worker, in order.
pub(super) type Jobs = mpsc::UnboundedReceiver<Job>;

/// The channel for the reports of workers.
pub type Reports = mpsc::UnboundedSender<Report>;

/// A worker that takes one job at a time.
#[derive(Debug)]
pub struct Worker {
    /// The channel for its jobs. Closing it ends the worker.
    jobs: mpsc::UnboundedSender<Job>,
    /// The thread that plays, if the games are played in this process.
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts worker `number` on its `cores`. Its games begin with the openings of `book`. It
    /// abandons them when `stop` becomes true.
    pub fn start(
        number: usize,
        cores: CoreReservation,
        book: OpeningBook,
        conditions: Arc<Conditions>,
        reports: Reports,
        stop: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Before the worker is bound to its cores, which are busy.
        pauses::watch()?;
        Self::working(number, reports, move |jobs, reports| {
            settle_on(&cores);
            let pool = PlayerPool::new(book, conditions);
            runtime.block_on(work(pool, number, jobs, reports, stop));
        })
    }

    /// Starts worker `number`, which does its jobs with `work`. If `work` panics, the panic is its
    /// last report.
    pub(super) fn working(
        number: usize,
        reports: Reports,
        work: impl FnOnce(Jobs, Reports) + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, inbox) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name(format!("worker {number}")).spawn(move || {
            let own = reports.clone();
            // The state of `work` is dropped after a panic, so nothing sees it half changed.
            let work = AssertUnwindSafe(|| work(inbox, own));
            if let Err(panic) = catch_unwind(work) {
                // If the receiver is gone, nobody waits for this worker.
                let _ = reports.send(Report::Panicked(number, JobFailure::of_panic(&*panic)));
            }
        })?;
        Ok(Self { jobs, thread: Some(thread) })
    }

    /// A worker that forwards its jobs to `jobs`.
    pub fn elsewhere(jobs: mpsc::UnboundedSender<Job>) -> Self {
        Self { jobs, thread: None }
    }

    /// Sends a job to the worker.
    pub fn give(&self, job: Job) {
        // A worker accepts jobs until it is joined or has reported a panic.
        let _ = self.jobs.send(job);
    }

    /// Waits until the worker has ended.
    pub fn join(self) {
        drop(self.jobs);
        // A panic was reported already.
        let _ = self.thread.map(JoinHandle::join);
    }
}

async fn work(
    mut pool: PlayerPool,
    number: usize,
    mut jobs: Jobs,
    reports: Reports,
    mut stop: watch::Receiver<bool>,
) {
    while let Some(job) = jobs.recv().await {
        let outcome = match (pool.settle(), job) {
            (Err(error), _) => JobOutcome::Broken(error),
            (Ok(()), Job::Probe(player)) => pool.probe(player, &mut stop).await,
            (Ok(()), Job::Play(games)) => play_all(&mut pool, games, &mut stop).await,
        };
        if reports.send(Report::Done(number, outcome)).is_err() {
            break;
        }
    }
    pool.dismiss().await;
}

/// Plays the games of a job. If one of them cannot be played, none of them was.
async fn play_all(
    pool: &mut PlayerPool,
    games: Vec<DueGame>,
    stop: &mut watch::Receiver<bool>,
) -> JobOutcome {
    let mut played = Vec::new();
    for DueGame { id, fixture } in games {
        match pool.play(id, fixture, stop).await {
            JobOutcome::Played(games) => played.extend(games),
            undone => return undone,
        }
    }
    JobOutcome::Played(played)
}

/// Binds this thread, and the players it starts, to the given cores.
#[cfg(target_os = "linux")]
pub fn settle_on(cores: &[usize]) {
    let mut set = nix::sched::CpuSet::new();
    for &core in cores {
        if set.set(core).is_err() {
            return;
        }
    }
    if let (false, Err(error)) =
        (cores.is_empty(), nix::sched::sched_setaffinity(nix::unistd::Pid::from_raw(0), &set))
    {
        tracing::warn!(?cores, %error, "the worker cannot be kept on its core");
    }
}

#[cfg(not(target_os = "linux"))]
pub fn settle_on(_: &[usize]) {}
