//! Polls the limits that the system does not enforce.
//!
//! A poll sees only the current state. It misses what came and went since the last poll, and files
//! on disk that are only mapped. Memory that no poll could find is refused; see `seccomp`.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use nix::libc;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::stat::FileStat;

use crate::level::{Level, Mechanism};
use crate::process_tree::ProcessInTree;
use crate::procfs::{MemoryShare, ProcfsFolder};
use crate::resource_limits::{Limits, Overrun};
use crate::scratch_folder::find_scratch_overrun;
use crate::supervisor_protocol::{SetupCgroup, SupervisorSetup};

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
    pub(crate) fn new(setup: &SupervisorSetup) -> Option<Self> {
        let mounts = setup.has(Mechanism::Mounts) || setup.has(Mechanism::Namespaces);
        let counted = setup.user.is_some() || mounts;
        let monitor = Self {
            limits: setup.limits,
            scratch: setup.scratch.clone().filter(|_| !mounts),
            memory: !setup.groups.iter().any(SetupCgroup::bounds_memory),
            processes: !counted && !setup.groups.iter().any(SetupCgroup::bounds_processes),
        };
        let needed = monitor.scratch.is_some() || monitor.memory || monitor.processes;
        let needed = needed && setup.level > Level::Off;
        if needed {
            raise_monitor_file_limit();
        }
        needed.then_some(monitor)
    }

    /// The limit that these processes together exceed, if any.
    pub(crate) fn overrun(&self, members: &[ProcessInTree]) -> Option<Overrun> {
        let threads: u64 = members.iter().map(|member| member.stat.threads).sum();
        if self.processes && threads > self.limits.processes {
            return Some(Overrun::Processes { limit: self.limits.processes });
        }
        let open = MonitoredFiles::of_members(members);
        self.memory_overrun(members, open.buffers).or_else(|| {
            let dir = self.scratch.as_ref()?;
            // If the folder cannot be read now, the next poll tries again.
            find_scratch_overrun(dir, &self.limits, open.nameless).ok().flatten()
        })
    }

    /// The overrun of memory, with what the kernel may keep in `buffers`.
    fn memory_overrun(&self, members: &[ProcessInTree], buffers: u64) -> Option<Overrun> {
        let limit = self.limits.memory;
        let folders = || members.iter().map(|member| &member.folder);
        if !self.memory || folders().map(ProcfsFolder::memory).sum::<u64>() + buffers <= limit {
            return None;
        }
        // Shared memory appears in each process's count, but must count only once.
        let (mut private, mut shared) = (0, 0);
        for folder in folders() {
            // A process whose program is unreadable does not show what it shares with others.
            let whole = || MemoryShare { private: folder.memory(), shared: 0 };
            let share = folder.memory_share().unwrap_or_else(whole);
            private += share.private;
            shared += share.shared;
        }
        let peak = private + shared + buffers;
        (peak > limit).then_some(Overrun::Memory { peak, limit })
    }
}

/// Raises the limit on open files, since deeply nested folders need many.
fn raise_monitor_file_limit() {
    // If this fails, polling continues with the current limit.
    let _ = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, most)| setrlimit(Resource::RLIMIT_NOFILE, most, most));
}

/// The size of a pipe's buffer. A user can make larger only a few.
const PIPE: u64 = 64 * 1024;
/// The usual size of a socket's buffer.
const SOCKET: u64 = 208 * 1024;

/// What open files keep, in bytes.
#[derive(Debug, Default)]
struct MonitoredFiles {
    /// Files that have no name.
    nameless: u64,
    /// The most that the buffers of pipes and sockets can hold: how full they are, nothing tells.
    buffers: u64,
}

impl MonitoredFiles {
    fn of_members(members: &[ProcessInTree]) -> Self {
        let mut found = Self::default();
        let mut seen = BTreeSet::new();
        for file in members.iter().flat_map(|member| member.folder.open_files()) {
            if seen.insert((file.st_dev, file.st_ino)) {
                found.add(&file);
            }
        }
        found
    }

    fn add(&mut self, file: &FileStat) {
        match file.st_mode & libc::S_IFMT {
            libc::S_IFREG if file.st_nlink == 0 => {
                self.nameless += file.st_blocks.cast_unsigned() * 512;
            }
            libc::S_IFIFO => self.buffers += PIPE,
            libc::S_IFSOCK => self.buffers += monitored_socket_buffer(),
            _ => {}
        }
    }
}

/// The most that a socket's buffer holds on this machine, unless the socket asks for more.
fn monitored_socket_buffer() -> u64 {
    static SIZE: OnceLock<u64> = OnceLock::new();
    let size = || fs::read_to_string("/proc/sys/net/core/wmem_default").ok()?.trim().parse().ok();
    *SIZE.get_or_init(|| size().unwrap_or(SOCKET))
}
