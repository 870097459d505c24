//! The caller's control groups, which contain the groups of its processes.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::unistd::Pid;

use super::files::{GIVEN, Version, cgroup_file};
use super::hierarchy::{ASIDE, CgroupHierarchy, parse_cgroup_hierarchies};
use super::process_cgroups::ProcessCgroups;
use crate::error::{ScopeError, Unavailable};
use crate::level::Mechanism;
use crate::resource_limits::Limits;
use crate::supervisor_protocol::SetupCgroup;

/// A group in one hierarchy that contains the groups of processes.
#[derive(Debug)]
struct ParentCgroup {
    dir: PathBuf,
    version: Version,
    /// The mechanisms that it is used for.
    gives: Vec<Mechanism>,
    /// Held while the group is in use: a group without a lock is stale.
    lock: Flock<File>,
}

/// This caller's groups in all hierarchies. Dropping this removes them.
#[derive(Debug, Default)]
pub(crate) struct ParentCgroups {
    parents: Vec<ParentCgroup>,
}

/// Missing mechanisms, and why each is missing.
type Reasons = Vec<(Mechanism, Unavailable)>;

impl ParentCgroups {
    /// No groups, although systemd manages them, because it `refused`.
    pub(crate) fn all_missing(without: &[Mechanism], refused: &ScopeError) -> (Self, Reasons) {
        let missing = GIVEN.into_iter().filter(|mechanism| !without.contains(mechanism));
        (Self::default(), missing.map(|one| (one, refused.clone().into())).collect())
    }

    /// Creates a group in every hierarchy that allows it, beside the launcher if that is in a group
    /// of its own. Also returns why mechanisms are missing.
    pub(crate) fn create_in_hierarchies(
        without: &[Mechanism],
        launcher: Option<Pid>,
    ) -> (Self, Reasons) {
        let read = |name: &str| fs::read_to_string(name).unwrap_or_default();
        let mut parents = Self::default();
        let mut reasons = Vec::new();
        let mut missing: Vec<Mechanism> =
            GIVEN.into_iter().filter(|mechanism| !without.contains(mechanism)).collect();
        let groups = launcher.map_or_else(|| "self".to_owned(), |pid| pid.to_string());
        let groups = read(&format!("/proc/{groups}/cgroup"));
        for hierarchy in parse_cgroup_hierarchies(&read("/proc/self/mountinfo"), &groups) {
            parents.add_in_hierarchy(&hierarchy, &mut missing, &mut reasons);
        }
        reasons.retain(|(mechanism, _)| missing.contains(mechanism));
        for mechanism in missing {
            if !reasons.iter().any(|(known, _)| *known == mechanism) {
                reasons.push((mechanism, Unavailable::NoController));
            }
        }
        (parents, reasons)
    }

    /// Creates a group in `hierarchy` for those of the `missing` mechanisms that it can provide.
    fn add_in_hierarchy(
        &mut self,
        hierarchy: &CgroupHierarchy,
        missing: &mut Vec<Mechanism>,
        reasons: &mut Reasons,
    ) {
        let wanted: Vec<Mechanism> =
            missing.iter().copied().filter(|&mechanism| hierarchy.may_provide(mechanism)).collect();
        if wanted.is_empty() {
            return;
        }
        match ParentCgroup::make(&hierarchy.own, hierarchy.version(), &wanted) {
            Ok(parent) => {
                missing.retain(|mechanism| !parent.gives.contains(mechanism));
                let lacks = wanted.into_iter().filter(|one| !parent.gives.contains(one));
                reasons.extend(lacks.filter_map(|one| {
                    let file = cgroup_file(one, parent.version)?;
                    Some((one, Unavailable::NotPassedOn { dir: hierarchy.own.clone(), file }))
                }));
                self.parents.push(parent);
            }
            Err(error) => {
                let error = Arc::new(error);
                let why = |_| Unavailable::Cgroup {
                    dir: hierarchy.own.clone(),
                    error: Arc::clone(&error),
                };
                reasons.retain(|(known, _)| !wanted.contains(known));
                reasons.extend(wanted.iter().map(|&one| (one, why(one))));
            }
        }
    }

    /// The mechanisms that these groups provide.
    pub(crate) fn provides(&self) -> impl Iterator<Item = Mechanism> {
        GIVEN.into_iter().filter(|one| self.parents.iter().any(|parent| parent.gives.contains(one)))
    }

    /// The groups of a new process, for its supervisor to create.
    pub(crate) fn for_new_process(&self, limits: &Limits) -> ProcessCgroups {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed).to_string();
        let mut groups = ProcessCgroups::default();
        for parent in &self.parents {
            let dir = parent.dir.join(&number);
            for &mechanism in &parent.gives {
                groups.of.push((mechanism, parent.version, dir.clone()));
            }
            groups.setups.push(SetupCgroup { set: parent.settings(limits), dir });
        }
        groups
    }
}

impl Drop for ParentCgroups {
    fn drop(&mut self) {
        for ParentCgroup { dir, lock, .. } in self.parents.drain(..) {
            // If a process's group is still in it, that process's supervisor removes both. It only
            // does so without the lock.
            drop(lock);
            let _ = fs::remove_dir(dir);
        }
    }
}

/// Creates and locks a group for this caller in the group `own`.
fn create_parent_cgroup(own: &Path) -> io::Result<(PathBuf, Flock<File>)> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let dir = own.join(format!("referee-{}-{random:016x}", std::process::id()));
    // Whoever can open the group can lock it.
    DirBuilder::new().mode(0o700).create(&dir)?;
    let lock = lock_parent_cgroup(&dir)?;
    // Another caller may have removed the group as stale before this one locked it.
    if dir.exists() { Ok((dir, lock)) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Locks a group for as long as this process lives; fails if another process holds the lock.
fn lock_parent_cgroup(dir: &Path) -> io::Result<Flock<File>> {
    let lock = Flock::lock(File::open(dir)?, FlockArg::LockExclusiveNonblock);
    lock.map_err(|(_, error)| error.into())
}

/// Removes the groups of killed callers, which are not locked. The kernel keeps groups that are in
/// use.
fn remove_stale_parents(own: &Path) {
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().as_encoded_bytes().starts_with(b"referee-");
        if let (true, Ok(_held)) = (is_ours, lock_parent_cgroup(&entry.path())) {
            for below in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(below.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Removes a caller's group if that caller is gone. The kernel keeps it while it contains others.
pub(super) fn remove_unused_parent(dir: &Path) {
    if let Ok(_held) = lock_parent_cgroup(dir) {
        let _ = fs::remove_dir(dir);
    }
}

/// How often other callers may remove a new group as stale before that is an error.
const ATTEMPTS: usize = 8;

/// Creates a group for this caller in the group `own`, and retries if others remove it as stale.
fn claim_parent_cgroup(own: &Path) -> io::Result<(PathBuf, Flock<File>)> {
    let mut attempts = 1;
    loop {
        match create_parent_cgroup(own).map_err(|error| (error.kind(), error)) {
            Err((io::ErrorKind::NotFound | io::ErrorKind::WouldBlock, _))
                if attempts < ATTEMPTS =>
            {
                attempts += 1;
            }
            claimed => return claimed.map_err(|(_, error)| error),
        }
    }
}

/// The file with the controllers that a group passes on to its child groups.
const CONTROL: &str = "cgroup.subtree_control";

/// How often to move all processes of a group aside: they may start others meanwhile.
const ROUNDS: usize = 16;

/// Passes the controllers `needed` on to the child groups of `own`.
fn pass_controllers_on(own: &Path, needed: &str) -> io::Result<()> {
    // A group that passes controllers on may not contain processes. The kernel says so only for
    // some controllers; with others, the child groups turn out to be unusable later. Only the
    // root of a hierarchy, which has no type, may do both.
    if !own.join("cgroup.type").exists() {
        return fs::write(own.join(CONTROL), needed);
    }
    let mut rounds = 1;
    loop {
        move_processes_aside(own)?;
        match fs::write(own.join(CONTROL), needed) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy && rounds < ROUNDS => {
                rounds += 1;
            }
            passed => return passed,
        }
    }
}

/// Moves all processes of the group `own` into a group in it.
fn move_processes_aside(own: &Path) -> io::Result<()> {
    let aside = own.join(ASIDE);
    for process in fs::read_to_string(own.join("cgroup.procs"))?.lines() {
        match fs::create_dir(&aside) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        match fs::write(aside.join("cgroup.procs"), process) {
            // It has ended.
            Err(error) if error.raw_os_error() == Some(Errno::ESRCH as i32) => {}
            moved => moved?,
        }
    }
    Ok(())
}

impl ParentCgroup {
    /// Creates a group in the group `own`, with those of the `wanted` mechanisms that it can
    /// provide.
    fn make(own: &Path, version: Version, wanted: &[Mechanism]) -> io::Result<Self> {
        remove_stale_parents(own);
        let (dir, lock) = claim_parent_cgroup(own)?;
        let mut parent = Self { dir, version, gives: Vec::new(), lock };
        let enabled = parent.enable_controllers(own, wanted).and_then(|()| parent.test_creation());
        if enabled.is_err() {
            let _ = fs::remove_dir(&parent.dir);
        }
        parent.gives = wanted.iter().copied().filter(|&one| parent.can_provide(one)).collect();
        enabled.map(|()| parent)
    }

    /// Enables the controllers of the `wanted` mechanisms for child groups.
    fn enable_controllers(&self, own: &Path, wanted: &[Mechanism]) -> io::Result<()> {
        if self.version == Version::One {
            return Ok(());
        }
        let available = fs::read_to_string(own.join("cgroup.controllers"))?;
        let has = |name: &str| available.split_whitespace().any(|own| own == name);
        let needed: Vec<&str> = [(Mechanism::Memory, "+memory"), (Mechanism::Processes, "+pids")]
            .into_iter()
            .filter(|(mechanism, name)| wanted.contains(mechanism) && has(&name[1..]))
            .map(|(_, name)| name)
            .collect();
        if needed.is_empty() {
            return Ok(());
        }
        let needed = needed.join(" ");
        pass_controllers_on(own, &needed)?;
        fs::write(self.dir.join(CONTROL), &needed)
    }

    /// Tests whether a group can be created in it.
    fn test_creation(&self) -> io::Result<()> {
        let test = self.dir.join("test");
        fs::create_dir(&test)?;
        fs::remove_dir(test)
    }

    /// Whether the mechanism is available: its file exists in a child group.
    fn can_provide(&self, mechanism: Mechanism) -> bool {
        let Some(file) = cgroup_file(mechanism, self.version) else { return false };
        let test = self.dir.join("test");
        let there = fs::create_dir(&test).is_ok() && test.join(file).exists();
        let _ = fs::remove_dir(test);
        there
    }

    /// The files and values that set the limits in a process's group.
    fn settings(&self, limits: &Limits) -> Vec<(String, String)> {
        let mut set = Vec::new();
        let mut give = |name: &str, value: String| set.push((name.to_owned(), value));
        let memory = limits.memory.to_string();
        for mechanism in &self.gives {
            match (mechanism, self.version) {
                (Mechanism::Memory, Version::One) => {
                    give("memory.limit_in_bytes", memory.clone());
                    give("?memory.memsw.limit_in_bytes", memory.clone());
                }
                (Mechanism::Memory, Version::Two) => {
                    give("memory.max", memory.clone());
                    give("?memory.swap.max", "0".to_owned());
                    give("?memory.oom.group", "1".to_owned());
                }
                (Mechanism::Processes, _) => give("pids.max", limits.processes.to_string()),
                _ => {}
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unlocked_control_groups_are_stale_whatever_their_process_id() {
        let own = tempfile::tempdir().expect("a folder");
        let of_this_process =
            |number| own.path().join(format!("referee-{}-{number}", std::process::id()));
        fs::create_dir_all(of_this_process(0).join("0")).expect("a folder");
        let (kept, _lock) = claim_parent_cgroup(own.path()).expect("a folder");
        let (also, _other) = claim_parent_cgroup(own.path()).expect("another folder");
        remove_stale_parents(own.path());
        assert!(!of_this_process(0).exists());
        assert!(kept.exists() && also.exists() && kept != also);
    }

    #[test]
    fn processes_move_aside_before_a_group_passes_controllers_on() {
        let own = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(own.path().join(name), text).expect("a file");
        let read = |name: &str| fs::read_to_string(own.path().join(name)).expect("a file");
        write("cgroup.procs", "11\n12\n");
        pass_controllers_on(own.path(), "+pids").expect("the root of a hierarchy");
        assert!(!own.path().join(ASIDE).exists(), "only the root may do both");
        write("cgroup.type", "domain\n");
        write(CONTROL, "");
        pass_controllers_on(own.path(), "+pids").expect("a group");
        // Unlike a plain file, that of a group keeps every process that is written to it.
        assert_eq!(
            (read(&format!("{ASIDE}/cgroup.procs")), read(CONTROL)),
            ("12".into(), "+pids".into())
        );
    }

    /// A group that provides all of these, with a process's group in it.
    fn parent(version: Version, gives: &[Mechanism]) -> (tempfile::TempDir, ParentCgroups) {
        let own = tempfile::tempdir().expect("a folder");
        let (dir, lock) = claim_parent_cgroup(own.path()).expect("a folder");
        let parents = vec![ParentCgroup { dir, version, gives: gives.to_vec(), lock }];
        (own, ParentCgroups { parents })
    }

    #[test]
    fn each_version_has_its_own_files_for_limits() {
        let limits = Limits { memory: 64, processes: 8, ..Limits::default() };
        let set = |version| {
            let (_own, parents) = parent(version, &GIVEN);
            parents.for_new_process(&limits).setups.remove(0)
        };
        let (one, two) = (set(Version::One), set(Version::Two));
        let text = |group: &SetupCgroup| {
            let set: Vec<_> =
                group.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
            set.join(" ")
        };
        assert_eq!(
            text(&one),
            "memory.limit_in_bytes=64 ?memory.memsw.limit_in_bytes=64 pids.max=8"
        );
        assert_eq!(text(&two), "memory.max=64 ?memory.swap.max=0 ?memory.oom.group=1 pids.max=8");
        for group in [one, two] {
            assert!(group.bounds_memory() && group.bounds_processes());
        }
    }

    #[test]
    fn every_process_has_its_own_control_group() {
        let (own, parents) = parent(Version::Two, &[Mechanism::Cpu]);
        let limits = Limits::default();
        let [one, other] = [(); 2].map(|()| parents.for_new_process(&limits).setups.remove(0).dir);
        assert_ne!(one, other);
        assert_eq!(one.parent(), other.parent());
        assert!(one.starts_with(own.path()) && !one.exists(), "its supervisor makes it");
        assert_eq!(parents.provides().collect::<Vec<_>>(), [Mechanism::Cpu]);
        let caller = one.parent().expect("a parent").to_owned();
        assert!(caller.exists());
        drop(parents);
        assert!(!caller.exists(), "nothing is left behind");
    }

    #[test]
    fn the_last_to_leave_removes_the_callers_group() {
        let (own, parents) = parent(Version::Two, &[Mechanism::Cpu]);
        let group = parents.for_new_process(&Limits::default()).setups.remove(0).dir;
        let caller = group.parent().expect("a parent").to_owned();
        remove_unused_parent(&caller);
        assert!(caller.exists(), "the caller lives, and may start another process");
        fs::create_dir(&group).expect("a group");
        drop(parents);
        assert!(caller.exists(), "a process is still in it");
        fs::remove_dir(&group).expect("an empty group");
        remove_unused_parent(&caller);
        assert!(!caller.exists() && own.path().exists());
    }
}
