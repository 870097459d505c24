//! What the coordinator knows of its jobs: which are handed out, and which results came too early.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::run::job::Job;

/// The most results to keep for jobs that are not handed out yet.
const MOST_EARLY: usize = 1024;

/// The jobs that are handed out, by name, and results `R` of an earlier coordinator for jobs that
/// are not.
#[derive(Debug)]
pub struct Ledger<R> {
    open: HashMap<String, OpenJob>,
    early: VecDeque<(String, R)>,
}

/// A job that is handed out.
#[derive(Debug, Clone)]
pub struct OpenJob {
    /// The number of the runner's worker that waits for it.
    pub slot: usize,
    /// The job.
    pub job: Job,
    /// How often it was handed out before, because a result was refused.
    pub attempt: u32,
    /// When it was handed out last.
    pub since: Instant,
}

/// What to do with a job.
#[derive(Debug)]
pub enum Handing<R> {
    /// Put it into the queue, as this attempt.
    Queue(u32),
    /// Use this result of an earlier coordinator.
    Known(R),
}

impl<R> Default for Ledger<R> {
    fn default() -> Self {
        Self { open: HashMap::new(), early: VecDeque::new() }
    }
}

impl<R> Ledger<R> {
    /// Hands out a job for worker `slot` of the runner.
    pub fn hand_out(&mut self, name: &str, slot: usize, job: Job, attempt: u32) -> Handing<R> {
        let open = OpenJob { slot, job, attempt, since: Instant::now() };
        self.open.insert(name.to_owned(), open);
        let early = self.early.iter().position(|(known, _)| known == name);
        match early.and_then(|at| self.early.remove(at)) {
            Some((_, result)) => Handing::Known(result),
            None => Handing::Queue(attempt),
        }
    }

    /// The job of this name, if it is handed out.
    pub fn job(&self, name: &str) -> Option<&OpenJob> {
        self.open.get(name)
    }

    /// Closes a job: its result was accepted, or it is handed out again.
    pub fn close(&mut self, name: &str) -> Option<OpenJob> {
        self.open.remove(name)
    }

    /// Keeps a result for a job that is not handed out. Returns the result that it replaces, or the
    /// oldest one if too many are kept.
    pub fn keep_early(&mut self, name: String, result: R) -> Option<R> {
        let known = self.early.iter().position(|(known, _)| *known == name);
        let oldest = (self.early.len() >= MOST_EARLY).then_some(0);
        let out = known.or(oldest).and_then(|at| self.early.remove(at));
        self.early.push_back((name, result));
        out.map(|(_, result)| result)
    }

    /// The jobs that were handed out more than `age` ago, as if they were handed out now.
    pub fn overdue(&mut self, age: Duration) -> Vec<(String, Job, u32)> {
        let now = Instant::now();
        let is_old = |job: &&mut OpenJob| now.duration_since(job.since) >= age;
        let mut overdue = Vec::new();
        for (name, open) in &mut self.open {
            if is_old(&open) {
                open.since = now;
                overdue.push((name.clone(), open.job.clone(), open.attempt));
            }
        }
        overdue
    }

    /// How many jobs are handed out.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no job is handed out.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_early_result_is_used_once() {
        let mut ledger: Ledger<u32> = Ledger::default();
        assert_eq!(ledger.keep_early("a".to_owned(), 1), None);
        assert_eq!(ledger.keep_early("a".to_owned(), 2), Some(1), "a copy replaces it");
        let job = Job::Probe(0);
        assert!(matches!(ledger.hand_out("a", 7, job.clone(), 0), Handing::Known(2)));
        assert_eq!(ledger.close("a").map(|open| open.slot), Some(7));
        assert!(matches!(ledger.hand_out("a", 7, job, 1), Handing::Queue(1)));
        assert_eq!(ledger.overdue(Duration::ZERO).len(), 1);
        assert_eq!(ledger.overdue(Duration::from_secs(60)).len(), 0);
    }

    #[test]
    fn early_results_have_a_bound() {
        let mut ledger: Ledger<usize> = Ledger::default();
        let out: Vec<usize> = (0..MOST_EARLY + 2)
            .filter_map(|number| ledger.keep_early(number.to_string(), number))
            .collect();
        assert_eq!(out, [0, 1]);
    }
}
