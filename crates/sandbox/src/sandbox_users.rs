//! The users that sandboxed processes run as if the caller is root: one per process.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The first user number: above those that systems give to people, services and containers.
const FIRST: u32 = 1_900_000_000;
/// The number of users per caller, and the number of callers that get different users.
const EACH: u32 = 2048;
const CALLERS: u32 = 65_536;

/// The users of this caller.
#[derive(Debug)]
pub(crate) struct SandboxUsers {
    first: u32,
    taken: Arc<Mutex<BTreeSet<u32>>>,
}

/// A user that belongs to one process until this is dropped.
#[derive(Debug)]
pub(crate) struct SandboxUser {
    /// Its user number, which is also its group number.
    pub(crate) id: u32,
    taken: Arc<Mutex<BTreeSet<u32>>>,
}

impl SandboxUsers {
    /// The users that this process may hand out, if it is root.
    pub(crate) fn of_this_process() -> Option<Self> {
        // A kernel without user namespaces has no such files.
        let map = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
        nix::unistd::geteuid().is_root().then(|| Self {
            first: first_sandbox_user(std::process::id(), [&map("uid_map"), &map("gid_map")]),
            taken: Arc::default(),
        })
    }

    /// Takes the first free user, if any.
    pub(crate) fn take(&self) -> Option<SandboxUser> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let id = (self.first..self.first + EACH).find(|id| !taken.contains(id))?;
        taken.insert(id);
        Some(SandboxUser { id, taken: Arc::clone(&self.taken) })
    }
}

/// The first user of this process: the usual one, or in a user namespace that does not have its number,
/// as in a container without root, one near the end of what it has. The `maps` of users and groups are
/// as in `/proc/self/uid_map`.
fn first_sandbox_user(process: u32, maps: [&str; 2]) -> u32 {
    let usual = FIRST + process % CALLERS * EACH;
    let [users, groups] = maps.map(parse_user_map);
    let has = |all: &[Range<u64>], first: u64| {
        all.iter().any(|range| range.start <= first && first + u64::from(EACH) <= range.end)
    };
    let is_there = |first: u64| has(&users, first) && has(&groups, first);
    if users.is_empty() || is_there(usual.into()) {
        return usual;
    }
    // The lower half belongs to what is installed there, and the end to `nobody`.
    let near_end = users.iter().filter_map(|range| {
        let blocks = (range.end - range.start) / u64::from(EACH) / 2;
        let back = 2 + u64::from(process) % blocks.max(1);
        range.end.checked_sub(back * u64::from(EACH))
    });
    let found = near_end.filter(|&first| first > 0 && is_there(first)).max();
    found.and_then(|first| u32::try_from(first).ok()).unwrap_or(usual)
}

/// The numbers of a map, as this namespace sees them.
fn parse_user_map(map: &str) -> Vec<Range<u64>> {
    let range = |line: &str| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        let (first, count) = (numbers.next()?.ok()?, numbers.nth(1)?.ok()?);
        Some(first..first.saturating_add(count))
    };
    map.lines().filter_map(range).collect()
}

impl Drop for SandboxUser {
    fn drop(&mut self) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_processes_have_the_same_user_at_once() {
        let users = SandboxUsers { first: 7, taken: Arc::default() };
        let (one, two) = (users.take().expect("a user"), users.take().expect("a user"));
        assert_eq!((one.id, two.id), (7, 8));
        drop(one);
        assert_eq!(users.take().expect("a user").id, 7);
    }

    #[test]
    fn a_container_without_root_has_users_too() {
        let whole = "         0          0 4294967295\n";
        assert_eq!(first_sandbox_user(3, [whole, whole]), FIRST + 3 * EACH);
        assert_eq!(first_sandbox_user(3, ["", ""]), FIRST + 3 * EACH);
        // Root is one user outside, and the others are a range.
        let rootless = "         0       1000          1\n         1     100000      65536\n";
        assert_eq!(first_sandbox_user(0, [rootless, rootless]), 65_537 - 2 * EACH);
        assert_eq!(first_sandbox_user(1, [rootless, rootless]), 65_537 - 3 * EACH);
        let all: Vec<u32> =
            (0..100).map(|process| first_sandbox_user(process, [rootless, rootless])).collect();
        assert!(all.iter().all(|&first| first > 30_000), "{all:?}");
        // Nothing fits.
        let one = "         0       1000          1\n";
        assert_eq!(first_sandbox_user(3, [one, one]), FIRST + 3 * EACH);
    }

    #[test]
    fn every_number_is_one_that_the_kernel_takes() {
        assert!(FIRST.checked_add(CALLERS * EACH).is_some_and(|last| last < u32::MAX - 1));
    }
}
