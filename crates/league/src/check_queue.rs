//! Who waits for a check, in which order, and how long that may take.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Add;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use referee_record::disk;
use referee_record::plain_files::read_plain_nofollow;

/// The file in the results folder that says who waits.
const QUEUE: &str = "queue.json";
/// The most bytes of it that are read.
const LARGEST: u64 = 4 << 20;
/// An author without a check for this long goes ahead of all who had one.
const RECENT: Duration = Duration::from_secs(3600);
/// From how many of the last checks it is expected how long the next ones take.
const TIMED: usize = 10;
/// How long a check holds up the next one. Then that begins beside it.
const ALONE: Duration = Duration::from_secs(20);
/// The most checks at once: each takes the place of a game.
pub(crate) const MOST_CHECKS: usize = 2;

/// A check that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunCheck {
    /// Whose submission is checked.
    pub author: String,
    /// Since when, in seconds since 1970.
    pub at: u64,
}

/// When the next check may begin, now or later, beside those that began at the times `begun`, of at
/// most `most` at once; `None` if one of them has to end first.
pub(crate) fn queued_check_start<T>(begun: &[T], most: usize, now: T) -> Option<T>
where
    T: Copy + Ord + Add<Duration, Output = T>,
{
    match begun.iter().max() {
        None => Some(now),
        Some(&last) => (begun.len() < most).then_some(now.max(last + ALONE)),
    }
}

/// Who waits for a check, as everyone may know it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckQueue {
    /// When that was so, in seconds since 1970.
    pub at: u64,
    /// The checks that are under way.
    pub checking: Vec<BegunCheck>,
    /// The most checks at once.
    pub most: usize,
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
        match read_plain_nofollow(&dir.join(QUEUE), LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            // After a power failure it may be empty. The run writes it again at the next check.
            bytes => Ok(serde_json::from_slice(&bytes?).unwrap_or_default()),
        }
    }

    fn write(&self, dir: &Path) -> io::Result<()> {
        disk::write_atomically_unsynced(&dir.join(QUEUE), &serde_json::to_vec(self)?)
    }

    /// How many checks come before that of an author, whose folder changed at this time; `None` if
    /// the author does not wait. What has just changed is not in the queue yet.
    pub fn before(&self, author: &str, changed: u64) -> Option<usize> {
        let is_idle = self.checking.is_empty();
        let is_checked = self.checking.iter().any(|check| check.author == author);
        let known = self.waiting.iter().position(|waiting| waiting == author);
        let is_new = changed > self.at && !is_checked;
        let at = known.or_else(|| is_new.then_some(self.waiting.len())).filter(|_| !is_idle)?;
        Some(at + self.checking.len())
    }

    /// How long one waits for whose check this many come before, if checks take as long as lately;
    /// `None` if that is not known.
    pub fn wait(&self, before: usize, now: u64) -> Option<Duration> {
        let (typical, now) = (Duration::from_secs(self.typical?), Duration::from_secs(now));
        // A check that takes longer is as likely to take as long again.
        let end = |begun: Duration| begun + typical.max(2 * now.saturating_sub(begun));
        let mut begun: Vec<Duration> =
            self.checking.iter().map(|check| Duration::from_secs(check.at)).collect();
        let mut at = now;
        for _ in self.checking.len()..=before {
            loop {
                begun.retain(|&begun| end(begun) > at);
                let next = queued_check_start(&begun, self.most.max(1), at);
                if next.is_some_and(|next| next <= at) {
                    break;
                }
                // Whatever comes first: it may begin, or another one ends.
                let ends = begun.iter().map(|&begun| end(begun));
                at = ends.chain(next).min().unwrap_or(at);
            }
            begun.push(at);
        }
        Some(at.saturating_sub(now))
    }
}

/// Those who wait for a check.
#[derive(Debug, Default)]
pub(crate) struct QueuedAuthors {
    /// When each handed in, in seconds since 1970, and the digest of that.
    since: BTreeMap<String, (u64, String)>,
    /// When the last checks of each began, in seconds since 1970.
    checks: BTreeMap<String, Vec<u64>>,
    /// How long the last checks took.
    took: VecDeque<Duration>,
}

impl QueuedAuthors {
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

    /// An author waits since this time, with what has this digest. Whoever waits with the same keeps
    /// the place.
    pub(crate) fn wait(&mut self, author: &str, since: u64, digest: &str) {
        if self.since.get(author).is_none_or(|(_, known)| known != digest) {
            self.since.insert(author.to_owned(), (since, digest.to_owned()));
        }
    }

    /// An author waits no longer. Returns whether it did.
    pub(crate) fn forget(&mut self, author: &str) -> bool {
        self.since.remove(author).is_some()
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
        let mut all: Vec<_> =
            self.since.iter().map(|(author, (since, _))| (author, since)).collect();
        all.sort_by_key(|&(author, since)| (recent(author), since));
        all.into_iter().map(|(author, _)| author.clone()).collect()
    }

    /// Takes the next one.
    pub(crate) fn next(&mut self, now: u64) -> Option<String> {
        let first = self.order(now).into_iter().next()?;
        self.since.remove(&first);
        Some(first)
    }

    /// Tells everyone who waits now, and which checks are under way, of at most so many at once.
    pub(crate) fn publish(
        &self,
        dir: &Path,
        now: u64,
        (checking, most): (Vec<BegunCheck>, usize),
    ) -> io::Result<()> {
        let count = u32::try_from(self.took.len()).unwrap_or(u32::MAX);
        let typical = self.took.iter().sum::<Duration>().checked_div(count);
        let queue = CheckQueue {
            at: now,
            checking,
            most,
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
        let mut waiting = QueuedAuthors::default();
        for at in [now - 100, now - 50] {
            waiting.began("ann", at);
        }
        waiting.began("bob", now - 2 * RECENT.as_secs());
        for (author, since) in [("ann", now - 40), ("cat", now - 20), ("bob", now - 10)] {
            waiting.wait(author, since, "1");
        }
        waiting.wait("cat", now, "1");
        waiting.wait("fox", now - 30, "1");
        assert!(waiting.forget("fox") && !waiting.forget("fox"));
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(CheckQueue::read(dir.path()).expect("no file"), CheckQueue::default());
        std::fs::write(dir.path().join(QUEUE), "").expect("written");
        assert_eq!(CheckQueue::read(dir.path()).expect("empty"), CheckQueue::default());
        waiting.took(Duration::from_secs(20));
        waiting.took(Duration::from_secs(40));
        let dog = BegunCheck { author: "dog".to_owned(), at: now };
        waiting.publish(dir.path(), now, (vec![dog], 2)).expect("written");
        let queue = CheckQueue::read(dir.path()).expect("a queue");
        assert_eq!(queue.waiting, ["cat", "bob", "ann"]);
        assert_eq!((queue.before("bob", 0), queue.before("dog", now + 1)), (Some(2), None));
        assert_eq!((queue.before("eve", now + 1), queue.before("eve", now)), (Some(4), None));
        assert_eq!(queue.typical, Some(30));
        let order: Vec<String> = std::iter::from_fn(|| waiting.next(now)).collect();
        assert_eq!(order, queue.waiting);
        assert!(waiting.is_empty());
    }
    /// When each of these checks begins and who waits how long according to the page, on a clock
    /// of seconds. Everyone is there from the beginning.
    fn begins(takes: &[u64], most: usize) -> (Vec<u64>, Vec<u64>) {
        let (mut at, mut begun, mut ends) = (1000, Vec::new(), Vec::new());
        let mut waits = Vec::new();
        for takes in takes {
            loop {
                let running: Vec<Duration> =
                    ends.iter().filter(|&&(_, end)| end > at).map(|&(begun, _)| begun).collect();
                let now = Duration::from_secs(at);
                if queued_check_start(&running, most, now) == Some(now) {
                    break;
                }
                at += 1;
            }
            begun.push(at - 1000);
            ends.push((Duration::from_secs(at), at + takes));
        }
        let first = BegunCheck { author: "ann".to_owned(), at: 1000 };
        let typical = takes.iter().sum::<u64>() / takes.len() as u64;
        let queue = CheckQueue {
            checking: vec![first],
            most,
            typical: Some(typical),
            ..CheckQueue::default()
        };
        for before in 1..takes.len() {
            waits.push(queue.wait(before, 1000).expect("known").as_secs());
        }
        (begun, waits)
    }

    #[test]
    fn a_long_check_holds_up_others_for_a_short_time_only() {
        assert_eq!(begins(&[5, 5, 5], 2), (vec![0, 5, 10], vec![5, 10]));
        assert_eq!(begins(&[156, 5, 5], 2).0, [0, 20, 25]);
        // Each long one is waited for no longer than twenty seconds, until all places are taken.
        assert_eq!(begins(&[100, 100, 100], 2), (vec![0, 20, 100], vec![20, 100]));
        assert_eq!(begins(&[100, 100, 100], 1), (vec![0, 100, 200], vec![100, 200]));
    }

    #[test]
    fn a_wait_is_expected_to_be_longer_behind_checks_that_take_long() {
        let check = |at| BegunCheck { author: format!("since {at}"), at };
        let checking = vec![check(900), check(950)];
        let queue = CheckQueue { checking, most: 2, typical: Some(10), ..CheckQueue::default() };
        // The later one of the two is expected to end in 50 seconds, as it has taken 50.
        assert_eq!(queue.wait(2, 1000), Some(Duration::from_secs(50)));
        assert_eq!(queue.wait(3, 1000), Some(Duration::from_secs(60)));
        assert_eq!(CheckQueue::default().wait(1, 1000), None);
    }
}
