//! What the coordinator knows of its workers.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::messages::WorkerHeartbeat;
use super::worker_identity::WorkerId;
use referee_record::model::bounds::HasBounds;
use referee_record::model::tournament::MOST_JOBS;
use referee_tournament::run::run_event::WorkerStatus;

/// A worker that has sent no heartbeat for this long counts as gone.
pub(crate) const SILENCE: Duration = Duration::from_secs(15);
/// The maximum number of workers that are listed without having played.
const MAX_WORKERS: usize = 500;
/// The maximum number of workers that may join between two announcements of the run.
const MAX_NEW: usize = 64;
/// How often a worker fails at jobs that others do before it is excluded, if it does less than ten
/// times as many.
const MAX_FAILED: u64 = 3;
/// The maximum number of problems of workers that are reported.
const MAX_PROBLEMS: usize = 20;

/// The workers that are present, and those from which nothing is accepted.
#[derive(Debug, Default)]
pub(crate) struct KnownWorkers {
    /// By key.
    present: HashMap<String, KnownWorker>,
    excluded: HashSet<String>,
    /// The number of results that count, by the keys of those that sent them.
    proven: HashMap<String, u64>,
    /// The number of jobs that failed on a worker, and that another one did.
    failed: HashMap<String, u64>,
    /// The only worker that can play, and since when it is.
    sole: Option<(String, Instant)>,
    /// The names that several workers have.
    shared: HashSet<String>,
    /// How many have joined since the last announcement.
    pub(crate) joined: usize,
    problems: usize,
    /// Whether more joined than are listed. From then on, a worker has to play first.
    crowded: bool,
}

#[derive(Debug)]
struct KnownWorker {
    name: String,
    heartbeat: WorkerHeartbeat,
    since: Instant,
    heard: Instant,
}

impl KnownWorkers {
    /// Handles a heartbeat. Returns why the worker cannot play, if that is new.
    pub(crate) fn on_heartbeat(
        &mut self,
        worker: &WorkerId,
        mut heartbeat: WorkerHeartbeat,
    ) -> Option<String> {
        heartbeat.slots = heartbeat.slots.min(MOST_JOBS);
        heartbeat.jobs.truncate(heartbeat.slots);
        heartbeat.containment.cut();
        heartbeat.problem.cut();
        let WorkerId { name, key } = worker;
        if heartbeat.leaves {
            self.present.remove(key);
            return None;
        }
        let now = Instant::now();
        let before = self.present.get(key);
        if before.is_none() && !self.admits(key) {
            return None;
        }
        let before = self.present.get(key);
        let is_news = before.is_none_or(|known| known.heartbeat.problem != heartbeat.problem);
        let since = before.map_or(now, |known| known.since);
        let problem = heartbeat.problem.clone().filter(|_| is_news);
        let known = KnownWorker { name: name.clone(), heartbeat, since, heard: now };
        self.present.insert(key.clone(), known);
        self.problems += usize::from(problem.is_some());
        problem.filter(|_| self.problems <= MAX_PROBLEMS)
    }

    /// Whether a worker that is not present may join now.
    fn admits(&mut self, key: &str) -> bool {
        if self.excluded.contains(key) {
            return false;
        }
        if self.proven.contains_key(key) {
            return true;
        }
        self.crowded |= self.present.len() >= MAX_WORKERS;
        self.joined += 1;
        !self.crowded && self.joined <= MAX_NEW
    }

    /// Forgets silent workers. Returns what the organiser must know, in sentences.
    pub(crate) fn tick(&mut self) -> Vec<String> {
        self.present.retain(|_, known| known.heard.elapsed() < SILENCE);
        self.joined = 0;
        self.note_sole();
        let mut news = self.shared_names();
        let Self { present, proven, .. } = self;
        if self.crowded && present.keys().any(|key| !proven.contains_key(key)) {
            present.retain(|key, _| proven.contains_key(key));
            news.push(format!(
                "more than {MAX_WORKERS} workers have joined: someone who has the workers' \
                 password is making them up. From now on, a worker is listed once it has played"
            ));
        }
        news
    }

    /// Notes names that several workers have. A worker that was started again does not count: the
    /// one before it is silent.
    fn shared_names(&mut self) -> Vec<String> {
        let mut newest: HashMap<&str, Instant> = HashMap::new();
        for known in self.present.values() {
            let since = newest.entry(&known.name).or_insert(known.since);
            *since = known.since.max(*since);
        }
        let is_old_and_alive = |known: &&KnownWorker| known.heard > newest[known.name.as_str()];
        let is_older = |known: &&KnownWorker| known.since < newest[known.name.as_str()];
        let shared = self.present.values().filter(is_older).filter(is_old_and_alive);
        let shared: HashSet<String> = shared.map(|known| known.name.clone()).collect();
        let new: Vec<String> = shared.difference(&self.shared).cloned().collect();
        self.shared.extend(new.iter().cloned());
        new.iter()
            .map(|name| {
                format!(
                    "several workers are called {name}: from now on, records show their \
                     keys; start each with a different --name"
                )
            })
            .collect()
    }

    /// The name of a worker in records: with its key, if others have the same name.
    pub(crate) fn label(&self, worker: &WorkerId) -> String {
        let WorkerId { name, key } = worker;
        if self.shared.contains(name) { format!("{name}-{key}") } else { name.clone() }
    }

    /// Notes that a result of this worker counts.
    pub(crate) fn prove(&mut self, worker: &WorkerId) {
        *self.proven.entry(worker.key.clone()).or_default() += 1;
    }

    /// Notes that a job failed on this worker which another one did. Returns whether that is too
    /// often: the machine of an honest worker may fail now and then.
    pub(crate) fn count_failure(&mut self, worker: &WorkerId) -> bool {
        let failed = self.failed.entry(worker.key.clone()).or_default();
        *failed += 1;
        let done = self.proven.get(&worker.key).copied().unwrap_or(0);
        *failed >= MAX_FAILED && failed.saturating_mul(10) > done
    }

    /// Whether this worker has been the only one that can play for this long.
    pub(crate) fn sole_for(&self, worker: &WorkerId, time: Duration) -> bool {
        let sole = self.sole.as_ref().filter(|(key, _)| *key == worker.key);
        sole.is_some_and(|(_, since)| since.elapsed() >= time) && !self.has_others_than(worker)
    }

    fn note_sole(&mut self) {
        let before = self.sole.take();
        let mut able = self.able();
        let sole = able.next().filter(|_| able.next().is_none()).map(|(key, _)| key.clone());
        drop(able);
        self.sole = sole.map(|sole| match before {
            Some((key, since)) if key == sole => (key, since),
            _ => (sole, Instant::now()),
        });
    }

    /// Accepts nothing more from this worker. Returns the number of those excluded.
    pub(crate) fn exclude(&mut self, worker: &WorkerId) -> usize {
        self.excluded.insert(worker.key.clone());
        self.present.remove(&worker.key);
        self.excluded.len()
    }

    /// Whether nothing is accepted from this worker.
    pub(crate) fn is_excluded(&self, worker: &WorkerId) -> bool {
        self.excluded.contains(&worker.key)
    }

    /// The keys of the workers from which nothing is accepted.
    pub(crate) fn excluded(&self) -> Vec<String> {
        self.excluded.iter().cloned().collect()
    }

    /// Whether another worker than this one can play.
    pub(crate) fn has_others_than(&self, worker: &WorkerId) -> bool {
        self.able().any(|(key, _)| *key != worker.key)
    }

    /// Whether a worker that had a job still has it. `None` if it was silent for `silence`.
    pub(crate) fn still_has(
        &self,
        worker: &WorkerId,
        job: &str,
        silence: Duration,
    ) -> Option<bool> {
        let known = self.present.get(&worker.key)?;
        let has = known.heartbeat.jobs.iter().any(|name| name == job);
        (known.heard.elapsed() < silence).then_some(has)
    }

    /// The workers that can play, by name.
    pub(crate) fn list(&self) -> Vec<WorkerStatus> {
        let mut list: Vec<WorkerStatus> = self
            .able()
            .map(|(key, known)| WorkerStatus {
                name: self.label(&WorkerId { name: known.name.clone(), key: key.clone() }),
                slots: known.heartbeat.slots,
                cores: known.heartbeat.cores,
                calibration: Duration::from_micros(known.heartbeat.calibration_us),
                containment: known.heartbeat.containment.clone(),
            })
            .collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        list
    }

    fn able(&self) -> impl Iterator<Item = (&String, &KnownWorker)> {
        self.present.iter().filter(|(_, known)| known.heartbeat.slots > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, key: &str) -> WorkerId {
        WorkerId { name: name.to_owned(), key: key.to_owned() }
    }

    fn playing(slots: usize) -> WorkerHeartbeat {
        WorkerHeartbeat { slots, cores: 2, ..WorkerHeartbeat::default() }
    }

    fn names(workers: &KnownWorkers) -> Vec<String> {
        workers.list().into_iter().map(|status| status.name).collect()
    }

    #[test]
    fn those_that_can_play_are_listed_until_they_leave_or_are_excluded() {
        let mut workers = KnownWorkers::default();
        for name in ["two", "one", "three"] {
            assert_eq!(workers.on_heartbeat(&id(name, name), playing(2)), None);
        }
        assert_eq!(names(&workers), ["one", "three", "two"]);
        let leaves = WorkerHeartbeat { leaves: true, ..playing(2) };
        workers.on_heartbeat(&id("three", "three"), leaves);
        let two = id("two", "two");
        workers.exclude(&two);
        workers.on_heartbeat(&two, playing(2));
        assert!(workers.is_excluded(&two) && workers.has_others_than(&two));
        assert_eq!(names(&workers), ["one"]);
        assert!(!workers.has_others_than(&id("one", "one")));
        assert!(!workers.is_excluded(&id("two", "another")), "only the key counts");
    }

    #[test]
    fn no_worker_plays_more_games_at_once_than_a_run_may() {
        let mut workers = KnownWorkers::default();
        workers.on_heartbeat(&id("one", "1"), playing(usize::MAX));
        assert_eq!(workers.list()[0].slots, MOST_JOBS);
    }

    #[test]
    fn a_problem_is_reported_once_and_only_some_are() {
        let mut workers = KnownWorkers::default();
        let unfit = || WorkerHeartbeat { problem: Some("no bwrap".into()), ..playing(0) };
        assert_eq!(workers.on_heartbeat(&id("one", "1"), unfit()), Some("no bwrap".to_owned()));
        assert_eq!(workers.on_heartbeat(&id("one", "1"), unfit()), None);
        assert!(workers.list().is_empty());
        let more = (2..60)
            .filter_map(|key: u32| workers.on_heartbeat(&id("x", &key.to_string()), unfit()));
        assert_eq!(more.count(), MAX_PROBLEMS - 1);
    }

    #[test]
    fn made_up_workers_are_bounded_and_do_not_keep_out_those_that_play() {
        let mut workers = KnownWorkers::default();
        let honest = id("honest", "honest");
        workers.on_heartbeat(&honest, playing(2));
        workers.prove(&honest);
        let mut news = Vec::new();
        for key in 0..20_000 {
            workers.on_heartbeat(&id("x", &key.to_string()), playing(2));
            if key % 1000 == 0 {
                news.extend(workers.tick());
            }
            assert!(workers.present.len() <= MAX_WORKERS);
        }
        assert!(workers.list().len() <= MAX_WORKERS);
        let crowd = news.iter().filter(|line| line.contains("making them up")).count();
        assert_eq!(crowd, 1, "{news:?}");
        assert_eq!(names(&workers), ["honest"]);
        let another = id("another", "another");
        workers.on_heartbeat(&another, playing(2));
        assert_eq!(names(&workers), ["honest"], "it has not played");
        workers.prove(&another);
        workers.on_heartbeat(&another, playing(2));
        assert_eq!(names(&workers), ["another", "honest"]);
    }

    #[test]
    fn a_worker_may_fail_now_and_then() {
        let mut workers = KnownWorkers::default();
        let (broken, fine) = (id("broken", "1"), id("fine", "2"));
        assert_eq!([(); 3].map(|()| workers.count_failure(&broken)), [false, false, true]);
        for _ in 0..40 {
            workers.prove(&fine);
        }
        let excluded = [(); 5].map(|()| workers.count_failure(&fine));
        assert_eq!(excluded, [false, false, false, false, true]);
    }

    #[test]
    fn a_worker_is_the_only_one_until_another_can_play() {
        let mut workers = KnownWorkers::default();
        let one = id("one", "1");
        workers.on_heartbeat(&one, playing(1));
        assert!(!workers.sole_for(&one, Duration::ZERO), "another one may have joined unseen");
        workers.tick();
        assert!(workers.sole_for(&one, Duration::ZERO) && !workers.sole_for(&one, SILENCE));
        workers.on_heartbeat(&id("unfit", "2"), playing(0));
        assert!(workers.sole_for(&one, Duration::ZERO));
        workers.on_heartbeat(&id("two", "3"), playing(1));
        assert!(!workers.sole_for(&one, Duration::ZERO));
        workers.tick();
        workers.exclude(&id("two", "3"));
        assert!(!workers.sole_for(&one, Duration::ZERO), "it was not alone at the last look");
    }

    #[test]
    fn two_workers_of_one_name_are_told_apart_once_both_are_alive() {
        let mut workers = KnownWorkers::default();
        let (first, second) = (id("lab", "1"), id("lab", "2"));
        workers.on_heartbeat(&first, playing(1));
        workers.on_heartbeat(&second, playing(1));
        assert!(workers.tick().is_empty(), "the first one may have been started again");
        assert_eq!(workers.label(&first), "lab");
        workers.on_heartbeat(&first, playing(1));
        let news = workers.tick();
        assert!(news[0].starts_with("several workers are called lab"), "{news:?}");
        assert!(workers.tick().is_empty());
        assert_eq!(names(&workers), ["lab-1", "lab-2"]);
    }

    #[test]
    fn a_worker_has_the_jobs_that_it_lists() {
        let mut workers = KnownWorkers::default();
        let one = id("one", "1");
        let busy = WorkerHeartbeat { jobs: vec!["a".to_owned()], ..playing(1) };
        workers.on_heartbeat(&one, busy);
        assert_eq!(workers.still_has(&one, "a", SILENCE), Some(true));
        assert_eq!(workers.still_has(&one, "b", SILENCE), Some(false));
        assert_eq!(workers.still_has(&one, "a", Duration::ZERO), None);
        assert_eq!(workers.still_has(&id("two", "2"), "a", SILENCE), None);
    }
}
