//! Control groups: limits and figures for all processes of a player together.
//!
//! A machine has one hierarchy of the second version, several of the first, or both: the second
//! with some controllers and the first with the others. Every hierarchy in which this process may
//! make groups is used for what it can do.

#![expect(unsafe_code, reason = "waiting for the events of a file")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::protocol::{CgroupSetup, SetupError};
use crate::{Limits, Mechanism, Unavailable};

/// One folder in which groups of players are made, of one run of the referee.
#[derive(Debug)]
struct ParentCgroup {
    dir: PathBuf,
    version: Version,
    /// What is used of it.
    gives: Vec<Mechanism>,
    /// Process as long as this run lives: what nobody holds is stale.
    _lock: Flock<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    First,
    Second,
}

/// Where this run of the referee makes groups. They are removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct ParentCgroups {
    parents: Vec<ParentCgroup>,
}

/// Mechanisms that are missing, and why.
type Reasons = Vec<(Mechanism, Unavailable)>;

/// The mechanisms that groups give.
pub(crate) const GIVEN: [Mechanism; 5] =
    [Mechanism::Memory, Mechanism::Processes, Mechanism::Cpu, Mechanism::Freeze, Mechanism::Kill];

/// A hierarchy, and where this process stands in it.
#[derive(Debug, PartialEq, Eq)]
struct Hierarchy {
    /// The group of this process, as a folder.
    own: PathBuf,
    /// The controllers by name; none for the second version.
    controllers: Vec<String>,
}

impl Hierarchy {
    fn version(&self) -> Version {
        if self.controllers.is_empty() { Version::Second } else { Version::First }
    }

    /// It may give `mechanism`. What the second version has is seen when a group is made in it.
    fn has(&self, mechanism: Mechanism) -> bool {
        let controller = match mechanism {
            _ if self.version() == Version::Second => return true,
            Mechanism::Memory => "memory",
            Mechanism::Processes => "pids",
            Mechanism::Cpu => "cpuacct",
            _ => return false,
        };
        self.controllers.iter().any(|own| own == controller)
    }
}

/// The hierarchies that `mountinfo` and `cgroup` of `/proc/self` tell of.
fn hierarchies(mountinfo: &str, cgroup: &str) -> Vec<Hierarchy> {
    let mut found = Vec::new();
    for line in mountinfo.lines() {
        let Some((mount, file_system)) = line.split_once(" - ") else { continue };
        let mut file_system = file_system.split(' ');
        let (kind, options) = (file_system.next().unwrap_or(""), file_system.nth(1).unwrap_or(""));
        let mut mount = mount.split(' ').skip(3);
        let (Some(root), Some(folder)) = (mount.next(), mount.next()) else { continue };
        let own = cgroup.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let same = match kind {
                "cgroup2" => controllers.is_empty(),
                "cgroup" => {
                    !controllers.is_empty()
                        && controllers.split(',').all(|name| options.split(',').any(|o| o == name))
                }
                _ => false,
            };
            same.then(|| (controllers.to_owned(), path.to_owned()))
        });
        let Some((controllers, path)) = own else { continue };
        let Ok(below) = Path::new(&path).strip_prefix(root) else { continue };
        let controllers = controllers.split(',').filter(|name| !name.is_empty());
        let hierarchy = Hierarchy {
            own: Path::new(folder).join(below),
            controllers: controllers.map(str::to_owned).collect(),
        };
        if !found.contains(&hierarchy) {
            found.push(hierarchy);
        }
    }
    // The second version first: what it gives is not taken from the first.
    found.sort_by_key(|hierarchy| !hierarchy.controllers.is_empty());
    found
}

impl ParentCgroups {
    /// Makes a folder for this run wherever that is possible, and finds out what each can do and
    /// why something is missing.
    pub(crate) fn find(without: &[Mechanism]) -> (Self, Reasons) {
        let read = |name| fs::read_to_string(name).unwrap_or_default();
        let mut parents = Self::default();
        let mut reasons = Vec::new();
        let mut missing: Vec<Mechanism> =
            GIVEN.into_iter().filter(|mechanism| !without.contains(mechanism)).collect();
        for hierarchy in hierarchies(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup")) {
            parents.add(&hierarchy, &mut missing, &mut reasons);
        }
        for mechanism in missing {
            if !reasons.iter().any(|(known, _)| *known == mechanism) {
                reasons.push((mechanism, Unavailable::NoController));
            }
        }
        (parents, reasons)
    }

    /// Makes a folder in `hierarchy` for what is still missing and what it can give.
    fn add(&mut self, hierarchy: &Hierarchy, missing: &mut Vec<Mechanism>, reasons: &mut Reasons) {
        let wanted: Vec<Mechanism> =
            missing.iter().copied().filter(|&mechanism| hierarchy.has(mechanism)).collect();
        if wanted.is_empty() {
            return;
        }
        match ParentCgroup::make(&hierarchy.own, hierarchy.version(), &wanted) {
            Ok(parent) => {
                missing.retain(|mechanism| !parent.gives.contains(mechanism));
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

    /// The mechanisms that these groups give.
    pub(crate) fn gives(&self) -> impl Iterator<Item = Mechanism> {
        GIVEN.into_iter().filter(|one| self.parents.iter().any(|place| place.gives.contains(one)))
    }

    /// The groups of a new player, to be made by its supervisor.
    pub(crate) fn of_process(&self, limits: &Limits) -> Cgroups {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed).to_string();
        let mut groups = Cgroups::default();
        for parent in &self.parents {
            let dir = parent.dir.join(&number);
            for &mechanism in &parent.gives {
                groups.of.push((mechanism, parent.version, dir.clone()));
            }
            groups.made.push(CgroupSetup { set: parent.settings(limits), dir });
        }
        groups
    }
}

impl Drop for ParentCgroups {
    fn drop(&mut self) {
        for parent in &self.parents {
            // A group that still has a player in it is removed by that player's supervisor.
            let _ = fs::remove_dir(&parent.dir);
        }
    }
}

/// Makes a folder for this run in the group `own`, and holds it.
fn run_folder(own: &Path) -> io::Result<(PathBuf, Flock<File>)> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let dir = own.join(format!("referee-{}-{random:016x}", std::process::id()));
    fs::create_dir(&dir)?;
    let lock = hold(&dir)?;
    // Another referee may have taken it for stale before it was held.
    if dir.exists() { Ok((dir, lock)) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Holds a folder as long as this process lives, unless another process does.
fn hold(dir: &Path) -> io::Result<Flock<File>> {
    let lock = Flock::lock(File::open(dir)?, FlockArg::LockExclusiveNonblock);
    lock.map_err(|(_, error)| error.into())
}

/// Removes what referees left behind that were killed while none of their players lived: nobody
/// holds it. A group that is in use cannot be removed.
fn remove_stale(own: &Path) {
    for entry in fs::read_dir(own).into_iter().flatten().flatten() {
        let is_referee = entry.file_name().as_encoded_bytes().starts_with(b"referee-");
        if let (true, Ok(_held)) = (is_referee, hold(&entry.path())) {
            for below in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = fs::remove_dir(below.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// How often a folder of this run may be taken for stale before that is an error.
const ATTEMPTS: usize = 8;

/// Makes a folder for this run in the group `own` that nobody took for stale.
fn claim(own: &Path) -> io::Result<(PathBuf, Flock<File>)> {
    let mut attempts = 1;
    loop {
        match run_folder(own).map_err(|error| (error.kind(), error)) {
            Err((io::ErrorKind::NotFound | io::ErrorKind::WouldBlock, _))
                if attempts < ATTEMPTS =>
            {
                attempts += 1;
            }
            claimed => return claimed.map_err(|(_, error)| error),
        }
    }
}

impl ParentCgroup {
    /// Makes a place in the group `own`, with what is wanted and there.
    fn make(own: &Path, version: Version, wanted: &[Mechanism]) -> io::Result<Self> {
        remove_stale(own);
        let (dir, lock) = claim(own)?;
        let mut parent = Self { dir, version, gives: Vec::new(), _lock: lock };
        let enabled = parent.enable(own, wanted).and_then(|()| parent.try_out());
        if enabled.is_err() {
            let _ = fs::remove_dir(&parent.dir);
        }
        parent.gives = wanted.iter().copied().filter(|&one| parent.can(one)).collect();
        enabled.map(|()| parent)
    }

    fn enable(&self, own: &Path, wanted: &[Mechanism]) -> io::Result<()> {
        if self.version == Version::First {
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
        let control = "cgroup.subtree_control";
        if fs::write(own.join(control), &needed).is_err() {
            // A group that hands controllers on has no processes of its own: this one moves.
            let aside = own.join("referee");
            match fs::create_dir(&aside) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            fs::write(aside.join("cgroup.procs"), "0")?;
            fs::write(own.join(control), &needed)?;
        }
        fs::write(self.dir.join(control), &needed)
    }

    /// A group can be made in it.
    fn try_out(&self) -> io::Result<()> {
        let test = self.dir.join("test");
        fs::create_dir(&test)?;
        fs::remove_dir(test)
    }

    /// What a mechanism needs is there. Looked for in a group below, as players' groups are.
    fn can(&self, mechanism: Mechanism) -> bool {
        let Some(file) = file_of(mechanism, self.version) else { return false };
        let test = self.dir.join("test");
        let there = fs::create_dir(&test).is_ok() && test.join(file).exists();
        let _ = fs::remove_dir(test);
        there
    }

    fn settings(&self, limits: &Limits) -> Vec<(String, String)> {
        let mut set = Vec::new();
        let mut give = |name: &str, value: String| set.push((name.to_owned(), value));
        let memory = limits.memory.to_string();
        for mechanism in &self.gives {
            match (mechanism, self.version) {
                (Mechanism::Memory, Version::First) => {
                    give("memory.limit_in_bytes", memory.clone());
                    give("?memory.memsw.limit_in_bytes", memory.clone());
                }
                (Mechanism::Memory, Version::Second) => {
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

/// The file without which a mechanism is not there.
fn file_of(mechanism: Mechanism, version: Version) -> Option<&'static str> {
    Some(match (mechanism, version) {
        (Mechanism::Memory, Version::First) => "memory.limit_in_bytes",
        (Mechanism::Memory, Version::Second) => "memory.max",
        (Mechanism::Processes, _) => "pids.max",
        (Mechanism::Cpu, Version::First) => "cpuacct.usage",
        (Mechanism::Cpu, Version::Second) => "cpu.stat",
        (Mechanism::Freeze, Version::Second) => "cgroup.freeze",
        (Mechanism::Kill, Version::Second) => "cgroup.kill",
        _ => return None,
    })
}

/// The groups of one player, as the referee sees them.
#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    /// For its supervisor.
    pub(crate) made: Vec<CgroupSetup>,
    of: Vec<(Mechanism, Version, PathBuf)>,
}

/// How often a player ran into what its groups bound, since they were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    /// Processes that were killed because there was no memory left for them.
    pub(crate) killed_for_memory: u64,
    /// Processes and threads that were refused because there were too many.
    pub(crate) refused_processes: u64,
}

/// The CPU time of a group.
#[derive(Debug)]
pub(crate) struct CpuFile {
    version: Version,
    file: File,
}

impl CpuFile {
    /// The CPU time of everything that ever was in the group.
    pub(crate) fn read(&self) -> Option<Duration> {
        let mut space = [0; 512];
        let count = self.file.read_at(&mut space, 0).ok()?;
        let text = std::str::from_utf8(&space[..count]).ok()?;
        match self.version {
            Version::First => text.trim().parse().ok().map(Duration::from_nanos),
            Version::Second => field(text, "usage_usec").map(Duration::from_micros),
        }
    }
}

impl Cgroups {
    /// Kills everything in them, where the system can.
    pub(crate) fn kill(&self) {
        self.made.iter().for_each(|group| kill_in(&group.dir));
    }

    fn place(&self, mechanism: Mechanism) -> Option<(Version, &Path)> {
        let (_, version, dir) = self.of.iter().find(|(one, ..)| *one == mechanism)?;
        Some((*version, dir))
    }

    fn number(&self, mechanism: Mechanism, names: [&str; 2]) -> Option<u64> {
        let (version, dir) = self.place(mechanism)?;
        let name = if version == Version::First { names[0] } else { names[1] };
        fs::read_to_string(dir.join(name)).ok()?.trim().parse().ok()
    }

    fn count(&self, mechanism: Mechanism, names: [&str; 2], key: &str) -> u64 {
        let Some((version, dir)) = self.place(mechanism) else { return 0 };
        let name = if version == Version::First { names[0] } else { names[1] };
        let text = fs::read_to_string(dir.join(name)).unwrap_or_default();
        field(&text, key).unwrap_or(0)
    }

    /// The most memory its processes had together, in bytes.
    pub(crate) fn memory_peak(&self) -> Option<u64> {
        self.number(Mechanism::Memory, ["memory.max_usage_in_bytes", "memory.peak"])
    }

    /// What was counted so far.
    pub(crate) fn counts(&self) -> Counts {
        Counts {
            killed_for_memory: self.count(
                Mechanism::Memory,
                ["memory.oom_control", "memory.events"],
                "oom_kill",
            ),
            refused_processes: self.count(
                Mechanism::Processes,
                ["pids.events", "pids.events"],
                "max",
            ),
        }
    }

    /// Where its CPU time can be read, once its supervisor has made the group.
    pub(crate) fn cpu(&self) -> Option<CpuFile> {
        let (version, dir) = self.place(Mechanism::Cpu)?;
        let file = File::open(dir.join(file_of(Mechanism::Cpu, version)?)).ok()?;
        Some(CpuFile { version, file })
    }

    /// What stops all of it at once, once its supervisor has made the group.
    pub(crate) fn freezer(&self) -> Option<Freezer> {
        let (_, dir) = self.place(Mechanism::Freeze)?;
        let control = OpenOptions::new().write(true).open(dir.join("cgroup.freeze")).ok()?;
        let events = File::open(dir.join("cgroup.events")).ok()?;
        // SAFETY: a file owns its descriptor and keeps it open and the same as long as it lives.
        let events = unsafe { AsyncFd::register_with_interest(events, Interest::PRIORITY) };
        Some(Freezer { control, events: events.ok()? })
    }
}

/// What stops all processes of a group at once.
#[derive(Debug)]
pub(crate) struct Freezer {
    control: File,
    events: AsyncFd<File>,
}

impl Freezer {
    /// Stops them, soon; says whether that was taken.
    pub(crate) fn freeze(&self) -> bool {
        (&self.control).write_all(b"1").is_ok()
    }

    /// Lets them go on; true once they do.
    pub(crate) async fn thaw(&self) -> bool {
        (&self.control).write_all(b"0").is_ok() && self.becomes(0).await
    }

    /// True once all of them are stopped.
    pub(crate) async fn frozen(&self) -> bool {
        self.becomes(1).await
    }

    async fn becomes(&self, wanted: u64) -> bool {
        loop {
            let mut space = [0; 128];
            let Ok(count) = self.events.get_ref().read_at(&mut space, 0) else { return false };
            let text = String::from_utf8_lossy(&space[..count]);
            match field(&text, "frozen") {
                Some(state) if state == wanted => return true,
                Some(_) => {}
                None => return false,
            }
            match self.events.ready(Interest::PRIORITY).await {
                Ok(mut ready) => ready.clear_ready(),
                Err(_) => return false,
            }
        }
    }
}

/// The number after `key` in lines of keys and numbers.
pub(crate) fn field(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (name, number) = line.split_once(' ')?;
        (name == key).then(|| number.trim().parse().ok())?
    })
}

/// Kills everything in a group at once.
fn kill_in(dir: &Path) {
    // Where the system cannot, every process is killed by itself.
    let control = OpenOptions::new().write(true).open(dir.join("cgroup.kill"));
    let _ = control.and_then(|mut file| file.write_all(b"1"));
}

/// A group that was made for a player, as its supervisor sees it.
#[derive(Debug)]
pub(crate) struct Cgroup {
    dir: PathBuf,
    procs: File,
}

impl Cgroup {
    /// Makes the group with its settings; those that begin with `?` where there are such.
    pub(crate) fn make(group: &CgroupSetup) -> Result<Self, SetupError> {
        let dir = &group.dir;
        let make = || {
            fs::create_dir(dir)?;
            for (name, value) in &group.set {
                let optional = name.strip_prefix('?');
                let file = dir.join(optional.unwrap_or(name));
                if optional.is_none() || file.exists() {
                    fs::write(file, value)?;
                }
            }
            OpenOptions::new().write(true).open(dir.join("cgroup.procs"))
        };
        make().map(|procs| Self { dir: dir.clone(), procs }).map_err(|error: io::Error| {
            let _ = fs::remove_dir(dir);
            SetupError::setting_up(&format!("its control group {}", dir.display()), &error)
        })
    }

    /// Moves this process into the group.
    pub(crate) fn join(&self) -> Result<(), SetupError> {
        (&self.procs).write_all(b"0").map_err(|error| {
            SetupError::setting_up(&format!("its control group {}", self.dir.display()), &error)
        })
    }

    /// Kills everything in the group at once, where the system can.
    pub(crate) fn kill(&self) {
        kill_in(&self.dir);
    }

    /// Removes the group, and that of the run too where the referee cannot do it any more.
    pub(crate) fn remove(self, referee_is_gone: bool) -> io::Result<()> {
        drop(self.procs);
        let removed = fs::remove_dir(&self.dir);
        if let Some(run) = self.dir.parent().filter(|_| referee_is_gone) {
            // Other supervisors may have players in it still; the last one succeeds.
            let _ = fs::remove_dir(run);
        }
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_of_both_versions_are_found() {
        let mountinfo = "\
30 25 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 25 0:27 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
32 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
33 25 0:29 / /proc rw - proc proc rw
";
        let cgroup = "4:memory:/a/b\n3:cpu,cpuacct:/docker/x/y\n0::/user.slice\n";
        let of = |own: &str, controllers: &[&str]| Hierarchy {
            own: PathBuf::from(own),
            controllers: controllers.iter().map(|&name| name.to_owned()).collect(),
        };
        assert_eq!(
            hierarchies(mountinfo, cgroup),
            [
                of("/sys/fs/cgroup/unified/user.slice", &[]),
                of("/sys/fs/cgroup/memory/a/b", &["memory"]),
                of("/sys/fs/cgroup/cpu,cpuacct/y", &["cpu", "cpuacct"]),
            ]
        );
    }

    #[test]
    fn what_nobody_holds_is_stale_whatever_its_number() {
        let own = tempfile::tempdir().expect("a folder");
        let of_this_process =
            |number| own.path().join(format!("referee-{}-{number}", std::process::id()));
        fs::create_dir_all(of_this_process(0).join("0")).expect("a folder");
        let (kept, _lock) = claim(own.path()).expect("a folder");
        let (also, _other) = claim(own.path()).expect("another folder");
        remove_stale(own.path());
        assert!(!of_this_process(0).exists());
        assert!(kept.exists() && also.exists() && kept != also);
    }

    #[test]
    fn figures_are_found_by_their_key() {
        let text = "low 0\noom 3\noom_kill 2\n";
        assert_eq!((field(text, "oom_kill"), field(text, "max")), (Some(2), None));
    }
}
