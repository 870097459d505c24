//! A worker: one thread on one core, which plays one game at a time.
//!
//! The referee's side of a game and both players share the core, because a wake-up across cores
//! costs far more than one on the same core.

use std::io;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, watch};

use super::job::{Job, JobConditions, JobOutcome, WorkerReport};
use super::job_failure::JobFailure;
use super::player_pool::{PlayerPool, max_pooled_players};
use crate::run::cores::CoreReservation;
use referee_match::openings::OpeningBook;
use referee_match::pauses::watch_for_pauses;
use referee_match::referee::Unplayable;
use referee_record::model::player_spec::PlayerSpec;
use referee_sandbox::MOST_NETWORK_FILES;

/// Open files of a worker besides those of its players.
const OF_WORKER: u64 = 6;
/// Open files per player: its pipes, its supervisor, its control groups.
const OF_PLAYER: usize = 11;

/// The approximate maximum of open files of a worker for games of these players with so many seats.
pub fn max_worker_open_files<'p>(
    players: impl Iterator<Item = &'p PlayerSpec> + Clone,
    seats: usize,
) -> u64 {
    let kept = players.clone().filter(|player| !player.restart).count();
    let networks = players.filter(|player| !player.network.is_empty()).count();
    // The games of a deal are played by different processes, which may wait at the same time.
    let processes = seats + (seats * kept).min(max_pooled_players(seats));
    let networks = (seats * networks).min(processes);
    OF_WORKER + (OF_PLAYER * processes + MOST_NETWORK_FILES * networks) as u64
}

/// The channel for the reports of workers.
pub type WorkerReports = mpsc::UnboundedSender<WorkerReport>;

/// A worker that takes one job at a time.
#[derive(Debug)]
pub struct WorkerThread {
    /// The channel for its jobs. Closing it ends the worker.
    jobs: mpsc::UnboundedSender<Job>,
    /// The thread that plays, if the games are played in this process.
    thread: Option<JoinHandle<()>>,
}

impl WorkerThread {
    /// Starts worker `number` on its `cores`. Its games begin with the openings of `book`. It
    /// abandons them when `stop` becomes true.
    pub fn start(
        number: usize,
        cores: CoreReservation,
        book: OpeningBook,
        conditions: Arc<JobConditions>,
        reports: WorkerReports,
        stop: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // If no thread can be started, it must not be dropped here, where another runtime is at
        // work.
        let runtime = ManuallyDrop::new(runtime);
        // Before the worker is bound to its cores, which are busy.
        watch_for_pauses()?;
        let (jobs, mut inbox) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name(format!("worker {number}")).spawn(move || {
            let runtime = ManuallyDrop::into_inner(runtime);
            bind_worker_thread(&cores);
            loop {
                let told = reports.clone();
                let pool = PlayerPool::new(book.clone(), Arc::clone(&conditions))
                    // If nobody listens, the run is over.
                    .on_warning(move |warning| _ = told.send(WorkerReport::Warning(warning)));
                let work = run_worker_jobs(pool, number, &mut inbox, &reports, stop.clone());
                // The pool is dropped after a panic, so nothing sees it half changed.
                let Err(panic) = catch_unwind(AssertUnwindSafe(|| runtime.block_on(work))) else {
                    break;
                };
                let outcome = JobOutcome::Failed(JobFailure::from_panic(&*panic));
                if reports.send(WorkerReport::Done(number, outcome)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { jobs, thread: Some(thread) })
    }

    /// A worker that forwards its jobs to `jobs`.
    pub fn forwarding_to(jobs: mpsc::UnboundedSender<Job>) -> Self {
        Self { jobs, thread: None }
    }

    /// Sends a job to the worker.
    pub fn send_job(&self, job: Job) {
        // A worker accepts jobs until it is joined.
        let _ = self.jobs.send(job);
    }

    /// Waits until the worker has ended.
    pub fn join(self) {
        drop(self.jobs);
        // A panic was reported already.
        let _ = self.thread.map(JoinHandle::join);
    }
}

async fn run_worker_jobs(
    mut pool: PlayerPool,
    number: usize,
    jobs: &mut mpsc::UnboundedReceiver<Job>,
    reports: &WorkerReports,
    mut stop: watch::Receiver<bool>,
) {
    while let Some(job) = jobs.recv().await {
        let outcome = match (pool.settle().await, job) {
            (Err(error), _) => Unplayable::from(error).into(),
            (Ok(()), Job::Probe(player)) => pool.probe(player, &mut stop).await,
            (Ok(()), Job::Play(games)) => pool.play_all(games, &mut stop).await,
        };
        if reports.send(WorkerReport::Done(number, outcome)).is_err() {
            break;
        }
    }
    pool.dismiss().await;
}

/// Binds this thread, and the players it starts, to the given cores.
#[cfg(target_os = "linux")]
pub fn bind_worker_thread(cores: &[usize]) {
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

/// Does nothing: this system keeps no thread on a core.
#[cfg(not(target_os = "linux"))]
pub fn bind_worker_thread(_: &[usize]) {}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::player_spec::examples;

    #[test]
    fn a_network_takes_open_files_in_each_process_that_has_one() {
        let plain = examples::bot("greedy");
        let network = vec!["localhost:1".parse().expect("a host")];
        let reaching = PlayerSpec { network, ..plain.clone() };
        let files = |players: &[PlayerSpec]| max_worker_open_files(players.iter(), 2);
        let without = files(&[plain.clone(), plain.clone(), plain.clone()]);
        let with = files(&[plain.clone(), plain.clone(), reaching.clone()]);
        assert_eq!(without, OF_WORKER + 2 * OF_PLAYER as u64);
        assert_eq!(
            with,
            without + 2 * MOST_NETWORK_FILES as u64,
            "in any seat, as it may play itself"
        );
        assert_eq!(files(&[plain, reaching.clone(), reaching]), with);
    }
}
