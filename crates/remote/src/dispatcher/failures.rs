//! Jobs that fail on a worker. The next try belongs to another worker, because the cause may
//! be wrong with the first: a worker alone cannot have a game left out.

use super::{Dispatcher, LONELY, NOTHING_MORE};
use crate::worker_identity::WorkerId;
use referee_tournament::run::job::{JobOutcome, WorkerReport};
use referee_tournament::run::job_failure::JobFailure;

/// A worker that fails the same job this often, although it was left to others, is excluded. One
/// that sends a result twice because the server is silent does not get there.
const MAX_REPEATS: usize = 3;

impl Dispatcher {
    /// Handles the failure of a job on `worker`.
    pub(super) fn on_failure(&mut self, name: &str, worker: &WorkerId, failure: JobFailure) {
        let is_sole = self.workers.sole_for(worker, LONELY);
        let Some(open) = self.jobs.get(name) else { return };
        if let Some(first) = open.first.take() {
            self.hand_over_job_result(name, first);
            return self.count_failure(worker);
        }
        open.failures.retain(|(failed, _)| !self.workers.is_excluded(failed));
        let failed_elsewhere = open.failures.iter().any(|(failed, _)| failed != worker);
        let is_first = open.failures.is_empty();
        if failed_elsewhere || (is_sole && !is_first) {
            return self.leave_out_failed_job(name, failure);
        }
        let warning = format!("{} could not be played: {failure}", open.describe());
        open.failures.push((worker.clone(), failure));
        if open.failures.len() >= MAX_REPEATS {
            let why = "keeps taking it, although it was left to others";
            self.exclude_worker_for_job_result(
                worker,
                &format!("{warning}. Worker {worker} {why}; {NOTHING_MORE}"),
            );
        } else if is_first {
            self.warn(&format!("{warning}; another worker will try it"));
        }
        self.repeat_after_job_result(name);
    }

    /// Reports a job as one that cannot be done.
    fn leave_out_failed_job(&mut self, name: &str, failure: JobFailure) {
        let Some(open) = self.close_job(name) else { return };
        self.withdraw_from_queue(self.run.names.attempts(name));
        self.report(WorkerReport::Done(open.slot, JobOutcome::Failed(failure)));
    }

    /// Notes that `worker` did a job. Others on which it failed before are to blame for that.
    pub(super) fn clear_job_failures(&mut self, name: &str, worker: &WorkerId) {
        self.workers.prove(worker);
        let Some(open) = self.jobs.get(name) else { return };
        let mut failed: Vec<WorkerId> =
            std::mem::take(&mut open.failures).into_iter().map(|(failed, _)| failed).collect();
        failed.dedup();
        for other in failed.iter().filter(|failed| *failed != worker) {
            self.count_failure(other);
        }
    }

    /// Notes that a job failed on this worker which another one did.
    fn count_failure(&mut self, worker: &WorkerId) {
        if self.workers.is_excluded(worker) || !self.workers.count_failure(worker) {
            return;
        }
        let why = "could not play several games that others have played";
        self.exclude_worker_for_job_result(
            worker,
            &format!("worker {worker} {why}; {NOTHING_MORE}"),
        );
    }

    /// Leaves out the jobs that failed on the only worker, when no other one comes.
    pub(super) fn end_lonely_failures(&mut self) {
        let mut failed = Vec::new();
        for (name, open) in self.jobs.iter() {
            if let Some((worker, failure)) = open.failures.last()
                && self.workers.sole_for(worker, LONELY)
            {
                failed.push((name.clone(), failure.clone()));
            }
        }
        for (name, failure) in failed {
            self.leave_out_failed_job(&name, failure);
        }
    }
}
