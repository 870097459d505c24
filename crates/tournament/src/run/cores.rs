//! The cores that workers play on.
//!
//! Workers of several referees on one machine avoid each other: a worker holds a lock named after
//! its core. The lock ends with the process that holds it. Locks are only advisory: without them,
//! workers take the cores in turn.

use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// At most this many workers on one core are told apart by their locks.
const MAX_SHARERS: usize = 16;

/// The lowest priority of a thread.
#[cfg(target_os = "linux")]
const LOWEST: i32 = 19;

/// The cores that this process may use.
#[derive(Debug, Clone)]
pub struct Cores {
    /// Their numbers. Two numbers can belong to one core, whose threads slow each other down: the
    /// first numbers are of different cores.
    available: Vec<usize>,
    /// How many cores a worker takes.
    each: usize,
    /// The folder of the locks, if there is one.
    locks: Option<PathBuf>,
}

/// The cores of one worker, reserved while this value lives. None if the system does not report its
/// cores.
#[derive(Debug)]
pub struct CoreReservation {
    cores: Vec<usize>,
    /// Hold the locks while they are open.
    locks: Vec<File>,
}

impl Deref for CoreReservation {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.cores
    }
}

impl Cores {
    /// The cores of this process; every worker takes `each` of them.
    pub fn of_this_process(each: usize) -> Self {
        Self { available: list_available_cores(), each, locks: core_lock_folder() }
    }

    /// The cores for worker `number`: those with the fewest workers of this and other referees.
    pub fn reserve(&self, number: usize) -> CoreReservation {
        let mut share = CoreReservation { cores: Vec::new(), locks: Vec::new() };
        for at in number * self.each..(number + 1) * self.each {
            if let Some((core, lock)) = self.lock_quietest_core(&share) {
                share.cores.push(core);
                share.locks.push(lock);
            } else if !self.available.is_empty() {
                share.cores.push(self.available[at % self.available.len()]);
            }
        }
        share
    }

    /// A warning if this many games at once must share cores.
    pub fn crowding_warning(&self, games: usize) -> Option<String> {
        let (each, cores) = (self.each, count_real_cores().get());
        (games > 1 && games * each > cores).then(|| describe_crowded_cores(games, each, cores))
    }

    /// The first of the cores with the fewest workers, and a lock on it.
    fn lock_quietest_core(&self, taken: &[usize]) -> Option<(usize, File)> {
        let dir = self.locks.as_deref()?;
        let fresh = self.available.iter().filter(|core| !taken.contains(core));
        (0..MAX_SHARERS).find_map(|layer| {
            fresh.clone().find_map(|&core| Some((core, lock_core(dir, core, layer)?)))
        })
    }
}

/// Says that `games` games at once, each on `each` cores, have only `cores` cores.
fn describe_crowded_cores(games: usize, each: usize, cores: usize) -> String {
    format!(
        "{games} games at once need {} cores, but there {} only {cores}: they slow each other \
         down, so players may lose on time. Use --jobs {}",
        games * each,
        if cores == 1 { "is" } else { "are" },
        (cores / each).max(1)
    )
}

/// The cores of `workers` workers, with `each` cores per worker.
pub fn reserve_cores(workers: usize, each: usize) -> Vec<CoreReservation> {
    let cores = Cores::of_this_process(each);
    (0..workers).map(|worker| cores.reserve(worker)).collect()
}

/// Locks one place on a core. Returns `None` if it is taken or cannot be locked.
fn lock_core(dir: &Path, core: usize, layer: usize) -> Option<File> {
    let path = dir.join(format!("{core}.{layer}"));
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// The folder of the locks, shared by all referees of this user only.
fn core_lock_folder() -> Option<PathBuf> {
    let user = nix::unistd::geteuid().as_raw();
    make_core_lock_folder(PathBuf::from(format!("/tmp/referee-cores-{user}")))
}

/// Creates the folder if it is missing. Returns `None` unless it belongs to this user alone.
fn make_core_lock_folder(dir: PathBuf) -> Option<PathBuf> {
    // It may exist already.
    let _ = DirBuilder::new().mode(0o700).create(&dir);
    let found = std::fs::symlink_metadata(&dir).ok()?;
    let is_own = found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o777 == 0o700;
    (found.is_dir() && is_own).then_some(dir)
}

/// How many real cores this process may use, at least one. The threads of one core count once.
pub fn count_real_cores() -> NonZeroUsize {
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let (firsts, _) = split_siblings_by_core(list_usable_cores(), core_siblings);
    NonZeroUsize::new(firsts.len()).map_or(threads, |real| real.min(threads))
}

/// How many games fit on the real cores, at least one, if each takes `each` cores.
pub fn count_games_for_cores(each: usize) -> NonZeroUsize {
    NonZeroUsize::new(count_real_cores().get() / each).unwrap_or(NonZeroUsize::MIN)
}

/// The numbers of the usable cores, those of different cores first.
fn list_available_cores() -> Vec<usize> {
    let (mut firsts, others) = split_siblings_by_core(list_usable_cores(), core_siblings);
    firsts.extend(others);
    firsts
}

/// The first number of each core, and all other numbers. `siblings` returns a text that is the same
/// for all numbers of one core; without it, a number is a core of its own.
fn split_siblings_by_core(
    numbers: Vec<usize>,
    siblings: impl Fn(usize) -> Option<String>,
) -> (Vec<usize>, Vec<usize>) {
    let mut seen = HashSet::new();
    numbers
        .into_iter()
        .partition(|&number| siblings(number).is_none_or(|siblings| seen.insert(siblings)))
}

/// The numbers of all threads of the core to which this number belongs, as a text.
#[cfg(target_os = "linux")]
fn core_siblings(number: usize) -> Option<String> {
    let topology = format!("/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list");
    std::fs::read_to_string(topology).ok()
}

#[cfg(not(target_os = "linux"))]
fn core_siblings(_: usize) -> Option<String> {
    None
}

/// The numbers of the cores that this process may use.
#[cfg(target_os = "linux")]
fn list_usable_cores() -> Vec<usize> {
    let Ok(set) = nix::sched::sched_getaffinity(nix::unistd::Pid::from_raw(0)) else {
        return Vec::new();
    };
    (0..nix::sched::CpuSet::count()).filter(|&core| set.is_set(core).unwrap_or(false)).collect()
}

/// Other systems cannot bind a thread to a core.
#[cfg(not(target_os = "linux"))]
fn list_usable_cores() -> Vec<usize> {
    Vec::new()
}

/// Gives this thread the lowest priority, so that it takes no time from games that are played on
/// this machine. Other systems than Linux only know priorities of whole processes.
pub fn yield_cores_to_games() {
    // Everything also works without it.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, LOWEST);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A referee on four cores.
    fn referee(locks: Option<&Path>, each: usize) -> Cores {
        Cores { available: vec![0, 1, 4, 5], each, locks: locks.map(Path::to_owned) }
    }

    #[test]
    fn cores_of_other_referees_are_taken_last() {
        let dir = tempfile::tempdir().expect("a folder");
        let [one, other, third] = [1, 1, 2].map(|each| referee(Some(dir.path()), each));
        let first = one.reserve(0);
        let second = other.reserve(0);
        assert_eq!((&*first, &*second), (&[0][..], &[1][..]));
        let both = third.reserve(0);
        assert_eq!(*both, [4, 5]);
        let shared = one.reserve(1);
        assert_eq!(*shared, [0], "all are busy");
        assert_eq!(*other.reserve(1), [1], "the next one has fewer workers");
        drop(second);
        assert_eq!(*one.reserve(2), [1], "it is free again");
    }

    #[test]
    fn threads_of_one_core_are_taken_after_all_cores() {
        let siblings = |number: usize| (number < 6).then(|| format!("{0},{1}", number % 2, 5));
        let (firsts, others) = split_siblings_by_core(vec![0, 1, 2, 3, 8, 9], siblings);
        assert_eq!((firsts, others), (vec![0, 1, 8, 9], vec![2, 3]), "8 and 9 are not described");
        assert!(count_real_cores() <= std::thread::available_parallelism().expect("known"));
        assert_eq!(count_games_for_cores(1), count_real_cores());
        assert_eq!(
            count_games_for_cores(2 * count_real_cores().get()).get(),
            1,
            "at least one game"
        );
    }

    #[test]
    fn more_games_than_cores_are_warned_about() {
        let (cores, referee) = (count_real_cores().get(), |each| referee(None, each));
        assert_eq!(referee(1).crowding_warning(cores), None);
        assert_eq!(referee(4 * cores).crowding_warning(1), None, "one game alone cannot be helped");
        let games = cores + 1;
        let crowded = referee(2).crowding_warning(games);
        assert_eq!(crowded, Some(super::describe_crowded_cores(games, 2, cores)));
        let text = super::describe_crowded_cores(12, 2, 8);
        assert_eq!(
            text,
            "12 games at once need 24 cores, but there are only 8: they slow each other down, so \
             players may lose on time. Use --jobs 4"
        );
    }

    #[test]
    fn without_locks_workers_take_cores_in_turn() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for locks in [None, Some(file.path())] {
            let taken =
                move |each| (0..3).map(move |worker| referee(locks, each).reserve(worker).cores);
            assert_eq!(taken(1).collect::<Vec<_>>(), [[0], [1], [4]]);
            assert_eq!(taken(2).collect::<Vec<_>>(), [[0, 1], [4, 5], [0, 1]]);
        }
        let nothing = Cores { available: Vec::new(), each: 2, locks: None };
        assert!(nothing.reserve(1).is_empty());
    }

    #[test]
    fn a_lock_folder_of_another_user_is_not_used() {
        let dir = tempfile::tempdir().expect("a folder");
        let own = dir.path().join("own");
        assert_eq!(make_core_lock_folder(own.clone()), Some(own.clone()), "it is made");
        assert_eq!(make_core_lock_folder(own.clone()), Some(own.clone()));
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&own, &link).expect("a link");
        assert_eq!(make_core_lock_folder(link), None);
        std::fs::set_permissions(&own, PermissionsExt::from_mode(0o777)).expect("ours");
        assert_eq!(make_core_lock_folder(own), None);
    }
}
