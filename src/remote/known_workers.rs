//! What the coordinator knows of its workers.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::messages::{WorkerHeartbeat, WorkerId};
use crate::model::tournament::MOST_JOBS;
use crate::run::event::WorkerStatus;

/// A worker that has sent no heartbeat for this long counts as gone.
const SILENCE: Duration = Duration::from_secs(15);

/// The workers that are there, and those from which nothing is accepted.
#[derive(Debug, Default)]
pub struct KnownWorkers {
    /// By instance.
    present: HashMap<String, KnownWorker>,
    excluded: HashSet<String>,
}

#[derive(Debug)]
struct KnownWorker {
    heartbeat: WorkerHeartbeat,
    heard: Instant,
}

impl KnownWorkers {
    /// Hears a heartbeat. Returns why the worker cannot play, if it has not said so before.
    pub fn hear(&mut self, mut heartbeat: WorkerHeartbeat) -> Option<String> {
        heartbeat.slots = heartbeat.slots.min(MOST_JOBS);
        let instance = heartbeat.worker.instance.clone();
        if self.excluded.contains(&instance) || !heartbeat.worker.is_named_well() {
            return None;
        }
        let before = self.present.get(&instance);
        let is_new = before.is_none_or(|known| known.heartbeat.problem != heartbeat.problem);
        let problem = heartbeat.problem.clone().filter(|_| is_new);
        if heartbeat.leaves {
            self.present.remove(&instance);
        } else {
            self.present.insert(instance, KnownWorker { heartbeat, heard: Instant::now() });
        }
        problem
    }

    /// Forgets those that have been silent for too long. Returns whether there were any.
    pub fn forget_silent(&mut self) -> bool {
        let before = self.present.len();
        self.present.retain(|_, known| known.heard.elapsed() < SILENCE);
        self.present.len() != before
    }

    /// Accepts nothing more from this worker.
    pub fn exclude(&mut self, worker: &WorkerId) {
        self.excluded.insert(worker.instance.clone());
        self.present.remove(&worker.instance);
    }

    /// Whether nothing is accepted from this worker.
    pub fn is_excluded(&self, worker: &WorkerId) -> bool {
        self.excluded.contains(&worker.instance)
    }

    /// The instances from which nothing is accepted.
    pub fn excluded(&self) -> Vec<String> {
        self.excluded.iter().cloned().collect()
    }

    /// Whether another worker than this one can play.
    pub fn has_others_than(&self, worker: &WorkerId) -> bool {
        self.able().any(|heartbeat| heartbeat.worker.instance != worker.instance)
    }

    /// The workers that can play, by name.
    pub fn list(&self) -> Vec<WorkerStatus> {
        let mut list: Vec<WorkerStatus> = self
            .able()
            .map(|heartbeat| WorkerStatus {
                name: heartbeat.worker.name.clone(),
                slots: heartbeat.slots,
                cores: heartbeat.cores,
                played: heartbeat.played,
                calibration: Duration::from_micros(heartbeat.calibration_us),
                containment: heartbeat.containment.clone(),
            })
            .collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        list
    }

    fn able(&self) -> impl Iterator<Item = &WorkerHeartbeat> {
        self.present.values().map(|known| &known.heartbeat).filter(|heartbeat| heartbeat.slots > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(name: &str, slots: usize) -> WorkerHeartbeat {
        let id = WorkerId { name: name.to_owned(), instance: format!("{name}-1") };
        WorkerHeartbeat { slots, cores: 2, ..WorkerHeartbeat::idle(id) }
    }

    #[test]
    fn those_that_can_play_are_listed_until_they_leave_or_are_excluded() {
        let mut workers = KnownWorkers::default();
        for name in ["two", "one", "three"] {
            assert_eq!(workers.hear(heartbeat(name, 2)), None);
        }
        let names = |workers: &KnownWorkers| {
            workers.list().into_iter().map(|status| status.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&workers), ["one", "three", "two"]);
        workers.hear(WorkerHeartbeat { leaves: true, ..heartbeat("three", 2) });
        let two = heartbeat("two", 2).worker;
        workers.exclude(&two);
        workers.hear(heartbeat("two", 2));
        assert!(workers.is_excluded(&two) && workers.has_others_than(&two));
        assert_eq!(names(&workers), ["one"]);
        assert!(!workers.has_others_than(&heartbeat("one", 2).worker));
    }

    #[test]
    fn no_worker_plays_more_games_at_once_than_a_run_may() {
        let mut workers = KnownWorkers::default();
        workers.hear(heartbeat("one", usize::MAX));
        assert_eq!(workers.list()[0].slots, MOST_JOBS);
    }

    #[test]
    fn a_problem_is_told_once() {
        let mut workers = KnownWorkers::default();
        let unfit = || WorkerHeartbeat { problem: Some("no bwrap".into()), ..heartbeat("one", 0) };
        assert_eq!(workers.hear(unfit()), Some("no bwrap".to_owned()));
        assert_eq!(workers.hear(unfit()), None);
        assert!(workers.list().is_empty());
    }
}
