//! Which worker has which job, and what becomes of the jobs of those that fall silent.

use std::time::{Duration, Instant};

use super::{Dispatcher, NOTHING_MORE};
use crate::known_workers::SILENCE;
use crate::messages::{HEARTBEAT, WorkerHeartbeat};
use crate::open_jobs::{job_time_bound, job_time_bound_with_outages};
use crate::worker_identity::{WorkerId, WorkerIdentity};
use referee_record::model::record::Header;
use referee_record::model::short_clock::with_own_short_clock;
use referee_tournament::run::job::{JobOutcome, WorkerReport};
use referee_tournament::run::job_failure::JobFailure;

/// A job is left out when this many workers took it and fell silent.
const MAX_LOST: usize = 5;

/// The maximum size of a heartbeat, in bytes.
const MAX_HEARTBEAT: usize = 64 << 10;

/// The number of workers whose joining is reported at once, between two announcements of the run.
const PROMPT: usize = 8;

impl Dispatcher {
    /// Handles a heartbeat.
    pub(super) fn on_holder_heartbeat(&mut self, message: &async_nats::Message) {
        let sender = WorkerIdentity::sender(message.headers.as_ref());
        let Some(worker) = sender.filter(|_| message.payload.len() <= MAX_HEARTBEAT) else {
            return;
        };
        let Ok(heartbeat) = serde_json::from_slice::<WorkerHeartbeat>(&message.payload) else {
            return;
        };
        let jobs = heartbeat.jobs.clone();
        let before = self.workers.joined;
        if let Some(why) = self.workers.on_heartbeat(&worker, heartbeat) {
            self.warn(&format!("worker {} cannot play: {why}", self.workers.label(&worker)));
        }
        let joined = self.workers.joined;
        if joined != before && joined <= PROMPT {
            self.report_workers();
        }
        for name in jobs {
            if self.workers.still_has(&worker, &name, SILENCE) == Some(true) {
                self.note_holder(&name, &worker);
            }
        }
    }

    /// Notes that a worker has taken a job, unless another one has it.
    fn note_holder(&mut self, name: &str, worker: &WorkerId) {
        let silence = self.holder_silence_limit();
        let Some(open) = self.jobs.get(name) else { return };
        if let Some(holder) = open.holder.take_if(|holder| holder.key != worker.key) {
            match self.workers.still_has(&holder, name, silence) {
                Some(true) => {
                    open.holder = Some(holder);
                    return;
                }
                Some(false) => {}
                None => open.lost.push(holder),
            }
        }
        if open.holder.is_none() && !self.workers.is_excluded(worker) {
            open.holder = Some(worker.clone());
            open.taken = open.taken.map(|_| Instant::now());
        }
    }

    /// How long a worker may be silent until its jobs count as lost.
    fn holder_silence_limit(&self) -> Duration {
        self.run.files.lease().clamp(2 * HEARTBEAT, SILENCE)
    }

    /// Finds the jobs of workers that fell silent, or keep them longer than the clocks allow.
    /// Messages up to the number `delivered` were delivered.
    pub(super) fn look_after_holders(&mut self, delivered: u64) {
        let silence = self.holder_silence_limit();
        let bound = self.holder_time_bound();
        let (mut overdue, mut lost) = (Vec::new(), Vec::new());
        for (name, open) in self.jobs.iter() {
            if open.sequence.is_some_and(|sequence| sequence <= delivered) {
                open.taken.get_or_insert_with(Instant::now);
            }
            if let Some(holder) = open.holder.take() {
                match self.workers.still_has(&holder, name, silence) {
                    Some(true) => open.holder = Some(holder),
                    Some(false) => {}
                    None => open.lost.push(holder),
                }
            }
            if open.lost.len() >= MAX_LOST {
                lost.push(name.clone());
            } else if open.taken.is_some_and(|taken| taken.elapsed() > bound) {
                overdue.push(name.clone());
            }
        }
        for name in lost {
            if let Some(first) = self.jobs.get(&name).and_then(|open| open.first.take()) {
                self.hand_over_job_result(&name, first);
                continue;
            }
            let Some(open) = self.close_job(&name) else { continue };
            self.withdraw_from_queue(self.run.names.attempts(&name));
            let workers = open.lost.into_iter().map(|worker| worker.name).collect();
            let failure = JobFailure::Abandoned { workers };
            self.report(WorkerReport::Done(open.slot, JobOutcome::Failed(failure)));
        }
        for name in &overdue {
            self.take_job_from_holder(name, bound);
        }
    }

    /// The longest that a worker may take for a job, with its lease.
    fn holder_time_bound(&self) -> Duration {
        let (plies, longest) = self.longest;
        let Header { clock, players, seats, .. } = &self.run.inspector.header;
        let controls = players.iter().map(|player| with_own_short_clock(clock, player.tc));
        let bounds = controls.map(|control| job_time_bound(&control, seats.len(), plies, longest));
        let outages = players.iter().map(|player| player.outages).max().unwrap_or(0);
        let bound =
            job_time_bound_with_outages(bounds.max().unwrap_or_default(), seats.len(), outages);
        bound + self.run.files.lease()
    }

    /// Gives a job to another worker than the one that holds it up.
    fn take_job_from_holder(&mut self, name: &str, bound: Duration) {
        let Some(open) = self.jobs.get(name) else { return };
        let job = open.describe();
        let subject = self.run.names.job(name, open.attempt);
        let holder = open.holder.take();
        open.begin_again();
        let seconds = bound.as_secs();
        match &holder {
            Some(worker) => self.exclude_worker_for_job_result(
                worker,
                &format!(
                    "worker {worker} has kept {job} for more than {seconds} seconds, longer than \
                     the clocks allow. It will go to another, and {NOTHING_MORE}"
                ),
            ),
            None => self.warn(&format!(
                "a worker that does not give its name has kept {job} for more than {seconds} \
                 seconds, longer than the clocks allow. It will go to another"
            )),
        }
        self.withdraw_from_queue(subject);
        self.queue_on_server(name);
    }

    /// Hands back the jobs that no worker has, when no game may begin any more.
    pub(super) fn hand_back_unheld_jobs(&mut self) {
        let is_closed = self.deadline.borrow().is_some_and(|deadline| !deadline.allows());
        // A worker that took a job in time has confirmed it by then.
        if !is_closed || self.closes.is_none_or(|closes| closes.elapsed() < 2 * HEARTBEAT) {
            return;
        }
        let left = self.jobs.iter().filter(|(_, open)| open.holder.is_none());
        let left: Vec<String> = left.map(|(name, _)| name.clone()).collect();
        for name in left {
            if let Some(first) = self.jobs.get(&name).and_then(|open| open.first.take()) {
                self.hand_over_job_result(&name, first);
            } else if let Some(open) = self.close_job(&name) {
                self.withdraw_from_queue(self.run.names.attempts(&name));
                self.report(WorkerReport::Done(open.slot, JobOutcome::Stopped));
            }
        }
    }
}
