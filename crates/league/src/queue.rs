//! Who waits for a check, in which order, and how long that may take.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use referee_record::bounded;
use referee_record::disk;

/// The file in the results folder that says who waits.
const QUEUE: &str = "queue.json";
/// The most bytes of it that are read.
const LARGEST: u64 = 4 << 20;
/// An author without a check for this long goes ahead of all who had one.
const RECENT: Duration = Duration::from_secs(3600);
/// From how many of the last checks it is expected how long the next ones take.
const TIMED: usize = 10;

/// Who waits for a check, as everyone may know it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckQueue {
    /// When that was so, in seconds since 1970.
    pub at: u64,
    /// Whose submission is being checked.
    pub checking: Option<String>,
    /// The authors who wait, the next one first.
    pub waiting: Vec<String>,
    /// How long a check took lately, on average, in seconds.
    pub typical: Option<u64>,
}

impl CheckQueue {
    /// Reads the queue from the results folder `dir`. Without a file, the queue is empty.
    ///
    /// # Errors
    /// The file exists, but cannot be read.
    pub fn read(dir: &Path) -> io::Result<Self> {
        match bounded::read(&dir.join(QUEUE), LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            // After a power failure it may be empty. The run writes it again at the next check.
            bytes => Ok(serde_json::from_slice(&bytes?).unwrap_or_default()),
        }
    }

    fn write(&self, dir: &Path) -> io::Result<()> {
        disk::write_quickly(&dir.join(QUEUE), &serde_json::to_vec(self)?)
    }

    /// How many checks come before that of an author, whose folder changed at this time; `None` if
    /// the author does not wait. What changed during a check is read after it.
    pub fn before(&self, author: &str, changed: u64) -> Option<usize> {
        let checking = self.checking.as_deref()?;
        let known = self.waiting.iter().position(|waiting| waiting == author);
        let is_new = changed > self.at && checking != author;
        let at = known.or_else(|| is_new.then_some(self.waiting.len()))?;
        Some(at + 1)
    }
}

/// Those who wait for a check.
#[derive(Debug, Default)]
pub(crate) struct WaitingAuthors {
    /// When each handed in, in seconds since 1970.
    since: BTreeMap<String, u64>,
    /// When the last checks of each began, in seconds since 1970.
    checks: BTreeMap<String, Vec<u64>>,
    /// How long the last checks took.
    took: VecDeque<Duration>,
}

impl WaitingAuthors {
    /// A check of this author began at this time.
    pub(crate) fn began(&mut self, author: &str, at: u64) {
        self.checks.entry(author.to_owned()).or_default().push(at);
    }

    /// A check took so long.
    pub(crate) fn took(&mut self, time: Duration) {
        self.took.push_back(time);
        if self.took.len() > TIMED {
            self.took.pop_front();
        }
    }

    /// An author waits since this time.
    pub(crate) fn wait(&mut self, author: &str, since: u64) {
        self.since.insert(author.to_owned(), since);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.since.is_empty()
    }

    /// Those who wait, the next one first: whoever had the fewest checks lately, then whoever handed
    /// in first.
    fn order(&self, now: u64) -> Vec<String> {
        let recent = |author: &String| {
            let checks = self.checks.get(author).into_iter().flatten();
            checks.filter(|&&at| at + RECENT.as_secs() > now).count()
        };
        let mut all: Vec<(&String, &u64)> = self.since.iter().collect();
        all.sort_by_key(|&(author, since)| (recent(author), since));
        all.into_iter().map(|(author, _)| author.clone()).collect()
    }

    /// Takes the next one.
    pub(crate) fn next(&mut self, now: u64) -> Option<String> {
        let first = self.order(now).into_iter().next()?;
        self.since.remove(&first);
        Some(first)
    }

    /// Tells everyone who waits now, while the submission of `checking` is checked.
    pub(crate) fn publish(&self, dir: &Path, now: u64, checking: Option<&str>) -> io::Result<()> {
        let count = u32::try_from(self.took.len()).unwrap_or(u32::MAX);
        let typical = self.took.iter().sum::<Duration>().checked_div(count);
        let queue = CheckQueue {
            at: now,
            checking: checking.map(str::to_owned),
            waiting: self.order(now),
            typical: typical.map(|time| time.as_secs().max(1)),
        };
        queue.write(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_had_no_check_lately_comes_before_those_who_hand_in_often() {
        let now = 1_000_000;
        let mut waiting = WaitingAuthors::default();
        for at in [now - 100, now - 50] {
            waiting.began("ann", at);
        }
        waiting.began("bob", now - 2 * RECENT.as_secs());
        for (author, since) in [("ann", now - 40), ("cat", now - 20), ("bob", now - 10)] {
            waiting.wait(author, since);
        }
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(CheckQueue::read(dir.path()).expect("no file"), CheckQueue::default());
        std::fs::write(dir.path().join(QUEUE), "").expect("written");
        assert_eq!(CheckQueue::read(dir.path()).expect("empty"), CheckQueue::default());
        waiting.took(Duration::from_secs(20));
        waiting.took(Duration::from_secs(40));
        waiting.publish(dir.path(), now, Some("dog")).expect("written");
        let queue = CheckQueue::read(dir.path()).expect("a queue");
        assert_eq!(queue.waiting, ["cat", "bob", "ann"]);
        assert_eq!((queue.before("bob", 0), queue.before("dog", now + 1)), (Some(2), None));
        assert_eq!((queue.before("eve", now + 1), queue.before("eve", now)), (Some(4), None));
        assert_eq!(queue.typical, Some(30));
        let order: Vec<String> = std::iter::from_fn(|| waiting.next(now)).collect();
        assert_eq!(order, queue.waiting);
        assert!(waiting.is_empty());
    }
}
