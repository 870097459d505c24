//! Asynchronous work of a command, on the thread that runs it.

use std::io;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::command_failure::Failure;
use crate::stop_signals::{watch_finish_signal, watch_stop_signal};
use referee_record::model::clock::TimeControl;
use referee_tournament::run::cores::{CoreReservation, reserve_cores};
use referee_tournament::run::worker_thread::bind_worker_thread;

/// A runtime for this thread.
pub(super) fn new_runtime() -> Result<Runtime, Failure> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::system(format!("cannot wait for events: {error}")))
}

/// Binds this thread, and the players it starts, to cores as those of a game of so many seats in
/// `run`. What a player sees of the machine decides how it works: a JVM with one core takes its
/// memory slowly.
pub(super) fn bind_runtime_to_cores(control: &TimeControl, seats: usize) -> Vec<CoreReservation> {
    let cores = reserve_cores(1, control.cores_per_game(seats));
    for cores in &cores {
        bind_worker_thread(cores);
    }
    cores
}

/// Runs `work` on this thread. Returns `None` if it was interrupted and dropped.
pub(super) fn run_until_interrupted<T>(
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<Option<T>, Failure> {
    new_runtime()?.block_on(async {
        let mut stop = watch_interruption()?;
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => Ok(None),
            done = work => done.map(Some),
        }
    })
}

/// Becomes true at the first Ctrl-C, which then does not count for [`watch_interruption`].
pub(super) fn watch_finish_request() -> Result<watch::Receiver<bool>, Failure> {
    watch_finish_signal().map_err(|error| signal_listen_failure(&error))
}

fn signal_listen_failure(error: &io::Error) -> Failure {
    Failure::system(format!("cannot listen for signals: {error}"))
}

/// Becomes true at Ctrl-C, SIGTERM or SIGHUP. Without a listener, or at the second such signal, the
/// program ends.
pub(super) fn watch_interruption() -> Result<watch::Receiver<bool>, Failure> {
    watch_stop_signal().map_err(|error| signal_listen_failure(&error))
}
