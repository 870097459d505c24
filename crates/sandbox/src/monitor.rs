//! Polls the limits that the system does not enforce.
//!
//! A poll sees only the current state. It misses what came and went since the last poll, and files
//! that are only mapped or in transit through a socket.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::level::{Level, Mechanism};
use crate::limits::{Limits, Overrun};
use crate::process_tree::Member;
use crate::procfs::ProcessFolder;
use crate::protocol::{CgroupSetup, Setup};
use crate::scratch;

/// The limits to poll for one process.
#[derive(Debug)]
pub(crate) struct Monitor {
    limits: Limits,
    scratch: Option<PathBuf>,
    memory: bool,
    processes: bool,
}

impl Monitor {
    /// The limits to poll, if any.
    pub(crate) fn new(setup: &Setup) -> Option<Self> {
        let mounts = setup.has(Mechanism::Mounts) || setup.has(Mechanism::Namespaces);
        let counted = setup.user.is_some() || mounts;
        let monitor = Self {
            limits: setup.limits,
            scratch: setup.scratch.clone().filter(|_| !mounts),
            memory: !setup.groups.iter().any(CgroupSetup::bounds_memory),
            processes: !counted && !setup.groups.iter().any(CgroupSetup::bounds_processes),
        };
        let needed = monitor.scratch.is_some() || monitor.memory || monitor.processes;
        let needed = needed && setup.level > Level::Off;
        if needed {
            raise_descriptor_limit();
        }
        needed.then_some(monitor)
    }

    /// The limit that these processes together exceed, if any.
    pub(crate) fn overrun(&self, members: &[Member]) -> Option<Overrun> {
        let threads: u64 = members.iter().map(|member| member.stat.threads).sum();
        if self.processes && threads > self.limits.processes {
            return Some(Overrun::Processes { limit: self.limits.processes });
        }
        let nameless = Nameless::of(members);
        self.memory_overrun(members, nameless.memory).or_else(|| {
            let dir = self.scratch.as_ref()?;
            // If the folder cannot be read now, the next poll tries again.
            scratch::overrun(dir, self.limits.scratch, nameless.disk).ok().flatten()
        })
    }

    fn memory_overrun(&self, members: &[Member], files: u64) -> Option<Overrun> {
        let limit = self.limits.memory;
        let folders = || members.iter().map(|member| &member.folder);
        if !self.memory
            || folders().map(ProcessFolder::resident_memory).sum::<u64>() + files <= limit
        {
            return None;
        }
        // Shared memory appears in each process's count, but must count only once.
        let (mut private, mut shared) = (0, 0);
        for share in folders().filter_map(ProcessFolder::memory_share) {
            private += share.private;
            shared += share.shared;
        }
        // Files in memory may also be mapped, so take the larger number to avoid counting them
        // twice.
        let peak = private + shared.max(files);
        (peak > limit).then_some(Overrun::Memory { peak, limit })
    }
}

/// Raises the limit on open files, since deeply nested folders need many.
fn raise_descriptor_limit() {
    // If this fails, polling continues with the current limit.
    let _ = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
}

/// The bytes in open files that have no name.
#[derive(Debug, Default)]
struct Nameless {
    memory: u64,
    disk: u64,
}

impl Nameless {
    fn of(members: &[Member]) -> Self {
        let mut found = Self::default();
        let mut seen = BTreeSet::new();
        for pid in members.iter().map(Member::pid) {
            for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
                let Ok(file) = fs::metadata(entry.path()) else { continue };
                let is_nameless = file.is_file() && file.nlink() == 0;
                if !is_nameless || !seen.insert((file.dev(), file.ino())) {
                    continue;
                }
                let name = fs::read_link(entry.path()).unwrap_or_default();
                let in_memory = name.to_string_lossy().starts_with("/memfd:");
                let bytes = file.blocks() * 512;
                if in_memory { found.memory += bytes } else { found.disk += bytes }
            }
        }
        found
    }
}
