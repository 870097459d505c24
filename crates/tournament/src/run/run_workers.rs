//! The workers of a run. Each is started when it gets its first job.

use std::io;
use std::time::Duration;

use tokio::time::Instant;

use super::agenda::AgendaJob;
use crate::run::worker_thread::WorkerThread;

/// Starts the worker with this number.
pub(super) type Start<'a> = dyn Fn(usize) -> io::Result<WorkerThread> + 'a;

/// The workers, by number.
pub(super) struct RunWorkers<'a> {
    start: &'a Start<'a>,
    states: Vec<WorkerState>,
    /// How many may be busy.
    most: usize,
}

/// The state of one worker.
enum WorkerState {
    /// Not running: not needed yet, or the last worker here panicked.
    Vacant,
    Idle(WorkerThread),
    Busy(WorkerThread, AgendaJob),
    /// Not used until then: the machine lacks resources for it.
    Closed(Instant),
}

/// How long a worker is not used for which the machine lacked resources.
pub(super) const CLOSED_FOR: Duration = Duration::from_secs(600);

impl WorkerState {
    /// Whether it can take a job, or could after its present one.
    fn is_open(&self) -> bool {
        !matches!(self, Self::Closed(until) if Instant::now() < *until)
    }
}

impl<'a> RunWorkers<'a> {
    /// At most this many workers, none of them started.
    pub(super) fn new(most: usize, start: &'a Start<'a>) -> Self {
        Self { start, states: (0..most).map(|_| WorkerState::Vacant).collect(), most }
    }

    /// From now on, gives jobs only while fewer than `most` workers are busy.
    pub(super) fn limit(&mut self, most: usize) {
        self.most = most;
    }

    /// Ends the workers that have no job, and the players that wait there for another game.
    pub(super) fn end_idle(&mut self) {
        for number in 0..self.states.len() {
            if matches!(self.states[number], WorkerState::Idle(_)) {
                self.end_worker(number);
            }
        }
    }

    /// Allows at least `most` workers from now on.
    pub(super) fn allow_at_least(&mut self, most: usize) {
        let more = most.saturating_sub(self.states.len());
        self.states.extend((0..more).map(|_| WorkerState::Vacant));
        self.most = self.most.max(most);
    }

    /// The number of the first worker that can take a job.
    pub(super) fn next_free_worker(&self) -> Option<usize> {
        if self.count_busy() >= self.most {
            return None;
        }
        self.states
            .iter()
            .position(|state| state.is_open() && !matches!(state, WorkerState::Busy(..)))
    }

    /// The number of busy workers.
    pub(super) fn count_busy(&self) -> usize {
        self.states.iter().filter(|state| matches!(state, WorkerState::Busy(..))).count()
    }

    /// Gives an assignment to a free worker. Returns it if the worker cannot be started.
    pub(super) fn give_job(
        &mut self,
        number: usize,
        assignment: AgendaJob,
    ) -> Result<(), (AgendaJob, io::Error)> {
        let worker = match self.vacate(number) {
            (Some(worker), _) => worker,
            (None, _) => match (self.start)(number) {
                Ok(worker) => worker,
                Err(error) => return Err((assignment, error)),
            },
        };
        worker.send_job(assignment.job.clone());
        self.states[number] = WorkerState::Busy(worker, assignment);
        Ok(())
    }

    /// Does not use this worker for [`CLOSED_FOR`]. Returns how many workers are left.
    pub(super) fn close(&mut self, number: usize) -> usize {
        self.end_worker(number);
        self.states[number] = WorkerState::Closed(Instant::now() + CLOSED_FOR);
        self.states.iter().filter(|state| state.is_open()).count()
    }

    /// Marks the worker as idle after its job. Returns its assignment, if it had one.
    pub(super) fn finish_job(&mut self, number: usize) -> Option<AgendaJob> {
        let (worker, assignment) = self.vacate(number);
        self.states[number] = worker.map_or(WorkerState::Vacant, WorkerState::Idle);
        assignment
    }

    /// Removes a worker that ended in the middle of its job. Returns its assignment, if it had one.
    /// A new worker will take its place.
    pub(super) fn end_worker(&mut self, number: usize) -> Option<AgendaJob> {
        let (worker, assignment) = self.vacate(number);
        worker.into_iter().for_each(WorkerThread::join);
        assignment
    }

    fn vacate(&mut self, number: usize) -> (Option<WorkerThread>, Option<AgendaJob>) {
        match std::mem::replace(&mut self.states[number], WorkerState::Vacant) {
            WorkerState::Vacant | WorkerState::Closed(_) => (None, None),
            WorkerState::Idle(worker) => (Some(worker), None),
            WorkerState::Busy(worker, assignment) => (Some(worker), Some(assignment)),
        }
    }

    /// Waits until all workers have ended.
    pub(super) fn join(mut self) {
        for number in 0..self.states.len() {
            self.end_worker(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn a_worker_without_resources_is_used_again_after_a_while() {
        let mut clock = tokio::runtime::Builder::new_current_thread();
        let clock = clock.enable_time().start_paused(true).build().expect("a runtime");
        clock.block_on(async {
            let start = |_| Ok(WorkerThread::forwarding_to(mpsc::unbounded_channel().0));
            let mut workers = RunWorkers::new(2, &start);
            assert_eq!(workers.next_free_worker(), Some(0));
            assert_eq!(workers.close(0), 1);
            assert_eq!(workers.next_free_worker(), Some(1));
            tokio::time::advance(CLOSED_FOR).await;
            assert_eq!(workers.next_free_worker(), Some(0));
            assert_eq!(workers.close(1), 1);
        });
    }
}
