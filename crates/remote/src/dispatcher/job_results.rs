//! What the dispatcher does with the results of workers.

use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::{Dispatcher, NOTHING_MORE};
use crate::delivery::{DeliveryAck, unpack_delivery};
use crate::inspection::WrongResult;
use crate::open_jobs::{ArrivedResult, OpenJob};
use crate::run_streams::job_of;
use crate::spot_checks::FirstResult;
use crate::worker_identity::{WorkerId, WorkerIdentity};
use referee_tournament::run::job::{JobOutcome, WorkerReport};

/// Drops a result redelivered this often for an unknown job.
const MAX_DELIVERIES: i64 = 3;

/// A job gets this many attempts at once. Further ones wait until the last one is out of the queue,
/// so invalid results for it cost the other workers nothing.
const QUICK_ATTEMPTS: u32 = 3;

/// The maximum number of excluded workers that are reported.
const MAX_REPORTED: usize = 50;

impl Dispatcher {
    /// Handles a message of the queue of results.
    pub(super) async fn on_job_result(&mut self, message: Message) {
        let worker = WorkerIdentity::sender(message.headers.as_ref());
        let name = job_of(&message.subject).map(str::to_owned);
        let (packed, ack) = DeliveryAck::split(message);
        let (Some(worker), Some(name)) = (worker, name) else {
            if !std::mem::replace(&mut self.has_dropped, true) {
                self.warn("a result does not say which worker sent it. Such results are dropped");
            }
            return ack.send().await;
        };
        if self.workers.is_excluded(&worker) {
            self.repeat_after_job_result(&name);
            return ack.send().await;
        }
        let is_fresh = ack.deliveries < MAX_DELIVERIES;
        let arrival = ArrivedResult { worker, packed, ack };
        if self.jobs.get(&name).is_some() {
            return self.check_job_result(&name, arrival).await;
        }
        let dropped = if is_fresh {
            self.jobs.keep_early(&name, arrival)
        } else {
            self.jobs.drop_early(&name);
            Some(arrival)
        };
        if let Some(arrival) = dropped {
            arrival.ack.send().await;
        }
    }

    /// Gives a result to the runner, if it can be true.
    pub(super) async fn check_job_result(&mut self, name: &str, arrival: ArrivedResult) {
        let ArrivedResult { worker, packed, ack } = arrival;
        let may_be_part = self.closes.is_some_and(|closes| closes <= Instant::now());
        let Some(open) = self.jobs.get(name) else { return };
        let checked = unpack_delivery(&packed).ok_or(WrongResult::Unreadable).and_then(|outcome| {
            self.run.inspector.inspect(&open.job, outcome, &worker.name, may_be_part)
        });
        match checked {
            Ok(JobOutcome::Played(games)) => {
                self.clear_job_failures(name, &worker);
                return self.on_job_games(name, FirstResult { worker, games, ack }).await;
            }
            Ok(JobOutcome::Failed(failure)) => self.on_failure(name, &worker, failure),
            Ok(outcome) => {
                self.clear_job_failures(name, &worker);
                if let Some(open) = self.close_job(name) {
                    self.report(WorkerReport::Done(open.slot, outcome));
                }
            }
            Err(why) => {
                let job = open.describe();
                self.exclude_worker_for_job_result(
                    &worker,
                    &format!(
                        "worker {worker} sent an invalid result for {job}: {why}. It will be \
                         replayed, and {NOTHING_MORE}"
                    ),
                );
                self.repeat_after_job_result(name);
            }
        }
        // None of its games will be logged, so the server need not keep this message.
        ack.send().await;
    }

    /// Accepts the games of a job, or has another worker play them again first.
    async fn on_job_games(&mut self, name: &str, result: FirstResult) {
        let Some(open) = self.jobs.get(name) else { return };
        match open.first.take() {
            None => {
                let may_check = self.workers.has_others_than(&result.worker);
                if may_check && self.checks.chooses(name) {
                    open.begin_again();
                    open.first = Some(result);
                    self.queue_on_server(name);
                } else {
                    self.hand_over_job_result(name, result);
                }
            }
            // The server has sent the same result again.
            Some(first) if first.worker == result.worker => open.first = Some(result),
            Some(first) if self.workers.is_excluded(&first.worker) => {
                first.ack.send().await;
                self.hand_over_job_result(name, result);
            }
            Some(first) => {
                for difference in self.checks.compare(&first.games, &result.games) {
                    let [counts, other] =
                        [&first, &result].map(|result| self.workers.label(&result.worker));
                    let from = difference
                        .ply
                        .map_or("at its end".to_owned(), |ply| format!("from ply {ply} on"));
                    self.warn(&format!(
                        "game {} was different {from} when worker {other} played it again. The \
                         game from worker {counts} counts. If its players are deterministic, one \
                         of these workers cannot be trusted",
                        difference.game
                    ));
                }
                self.report_workers();
                self.hand_over_job_result(name, first);
                result.ack.send().await;
            }
        }
    }

    /// Gives games to the runner.
    pub(super) fn hand_over_job_result(&mut self, name: &str, result: FirstResult) {
        let Some(open) = self.close_job(name) else { return };
        let FirstResult { worker, mut games, ack } = result;
        self.handed_over += games.len() as u64;
        self.pending.push_back((self.handed_over, ack));
        let plies = games.iter().map(|game| game.record.plies.saturating_mul(4));
        self.longest.0 = plies.max().unwrap_or(0).max(self.longest.0);
        let took = open.taken.map_or(Duration::ZERO, |taken| taken.elapsed());
        self.longest.1 = self.longest.1.max(took);
        let label = self.workers.label(&worker);
        for game in &mut games {
            game.record.worker = Some(label.clone());
        }
        self.report(WorkerReport::Done(open.slot, JobOutcome::Played(games)));
    }

    /// Closes a job, and takes what is left of it out of the queue.
    pub(super) fn close_job(&mut self, name: &str) -> Option<OpenJob> {
        let open = self.jobs.close(name)?;
        if open.attempt > 0 {
            self.withdraw_from_queue(self.run.names.attempts(name));
        }
        Some(open)
    }

    /// Excludes a worker, with a warning that names it.
    pub(super) fn exclude_worker_for_job_result(&mut self, worker: &WorkerId, warning: &str) {
        match self.workers.exclude(worker) {
            ..=MAX_REPORTED => self.warn(warning),
            count if count == MAX_REPORTED + 1 => {
                self.warn(&format!(
                    "more than {MAX_REPORTED} workers were excluded; further ones are not reported"
                ));
            }
            _ => {}
        }
        self.report_workers();
    }

    /// Hands out a job again after a result that does not count.
    pub(super) fn repeat_after_job_result(&mut self, name: &str) {
        let Some(open) = self.jobs.get(name) else { return };
        if open.attempt < QUICK_ATTEMPTS {
            open.begin_again();
        }
        self.queue_on_server(name);
    }

    /// Accepts results without a check when no other worker is left that could do it.
    pub(super) fn end_lonely_checks(&mut self) {
        let mut lonely = Vec::new();
        for (name, open) in self.jobs.iter() {
            let first = open.first.take_if(|first| !self.workers.has_others_than(&first.worker));
            lonely.extend(first.map(|first| (name.clone(), first)));
        }
        for (name, first) in lonely {
            self.hand_over_job_result(&name, first);
        }
    }
}
