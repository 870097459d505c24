//! The groups of a process as the caller sees them: figures, freezing, killing.

#![expect(unsafe_code, reason = "waiting for the events of a file")]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::files::{Version, field, file_of, kill_in};
use crate::level::Mechanism;
use crate::protocol::CgroupSetup;

/// The groups of one process and its descendants, as the caller sees them.
#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    /// What the supervisor is to make.
    pub(crate) setups: Vec<CgroupSetup>,
    /// Which group gives which mechanism.
    pub(super) of: Vec<(Mechanism, Version, PathBuf)>,
}

/// How often limits were exceeded since the groups were made.
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
            Version::One => text.trim().parse().ok().map(Duration::from_nanos),
            Version::Two => field(text, "usage_usec").map(Duration::from_micros),
        }
    }
}

impl Cgroups {
    /// Kills everything in them, where the system can.
    pub(crate) fn kill(&self) {
        self.setups.iter().for_each(|group| kill_in(&group.dir));
    }

    fn group_of(&self, mechanism: Mechanism) -> Option<(Version, &Path)> {
        let (_, version, dir) = self.of.iter().find(|(one, ..)| *one == mechanism)?;
        Some((*version, dir))
    }

    fn number(&self, mechanism: Mechanism, names: [&str; 2]) -> Option<u64> {
        let (version, dir) = self.group_of(mechanism)?;
        let name = if version == Version::One { names[0] } else { names[1] };
        fs::read_to_string(dir.join(name)).ok()?.trim().parse().ok()
    }

    fn count(&self, mechanism: Mechanism, names: [&str; 2], key: &str) -> u64 {
        let Some((version, dir)) = self.group_of(mechanism) else { return 0 };
        let name = if version == Version::One { names[0] } else { names[1] };
        let text = fs::read_to_string(dir.join(name)).unwrap_or_default();
        field(&text, key).unwrap_or(0)
    }

    /// The most memory its processes had together, in bytes.
    pub(crate) fn memory_peak(&self) -> Option<u64> {
        self.number(Mechanism::Memory, ["memory.max_usage_in_bytes", "memory.peak"])
    }

    /// The counts so far.
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

    /// The CPU time, once the supervisor has made the groups.
    pub(crate) fn cpu(&self) -> Option<CpuFile> {
        let (version, dir) = self.group_of(Mechanism::Cpu)?;
        let file = File::open(dir.join(file_of(Mechanism::Cpu, version)?)).ok()?;
        Some(CpuFile { version, file })
    }

    /// What stops all processes at once, once the supervisor has made the groups.
    pub(crate) fn freezer(&self) -> Option<Freezer> {
        let (_, dir) = self.group_of(Mechanism::Freeze)?;
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
    /// Asks the system to stop them, and returns whether it accepted.
    pub(crate) fn freeze(&self) -> bool {
        (&self.control).write_all(b"1").is_ok()
    }

    /// Lets them continue; true once they do.
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
