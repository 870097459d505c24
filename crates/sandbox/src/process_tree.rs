//! The descendants of a process, found through `/proc` and opened as pidfds.
//!
//! The supervisor is the subreaper of its process: everything that the process starts stays below
//! the supervisor, even when orphaned. Numbers from `/proc` can be reused, so a process is only
//! used if a pidfd proves that the number was its own the whole time. No signal or measurement ever
//! hits an unrelated process.

#![expect(unsafe_code, reason = "one question that no crate asks")]

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid, getsid};
pub(crate) use rustix::process::Signal;
use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

use crate::core_waits::CoreWaits;
use crate::procfs;

/// How many times to search for processes that have not stopped yet.
const STOP_ROUNDS: usize = 8;

/// A process, referenced by a pidfd.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its number in this process's PID namespace.
    pub(crate) pid: Pid,
    handle: OwnedFd,
}

impl Member {
    /// Opens the process `pid`, if it is a child of `parent` now.
    pub(crate) fn open(pid: Pid, parent: Pid) -> Option<Self> {
        let number = rustix::process::Pid::from_raw(pid.as_raw())?;
        let handle = pidfd_open(number, PidfdFlags::empty()).ok()?;
        let member = Self { pid, handle };
        // If it is still alive, its number was its own while the parent was read.
        (procfs::parent(pid) == Some(parent) && member.lives()).then_some(member)
    }

    /// Whether it has not been reaped: its number is still its own.
    fn lives(&self) -> bool {
        // SAFETY: signal 0 only asks, the descriptor is open, and no pointer is read.
        let answer = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, self.handle.as_raw_fd(), 0, 0_usize, 0)
        };
        answer == 0 || Errno::last() != Errno::ESRCH
    }

    /// Whether it is dead and waits to be reaped.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(procfs::state(self.pid), None | Some('Z' | 'X'))
    }

    /// Sends a signal to the whole process group that it leads. Returns false if the kernel does
    /// not support that.
    pub(crate) fn signal_group(&self, signal: Signal) -> bool {
        // The kernel's PIDFD_SIGNAL_PROCESS_GROUP, since Linux 6.9.
        const PROCESS_GROUP: libc::c_uint = 1 << 2;
        let (handle, signal) = (self.handle.as_raw_fd(), signal.as_raw());
        // SAFETY: the descriptor is open, and no pointer is read.
        let answer = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, handle, signal, 0_usize, PROCESS_GROUP)
        };
        answer == 0
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        // A process that is gone needs no signal, and no other error can be handled here.
        let _ = pidfd_send_signal(&self.handle, signal);
    }
}

/// Waits at most `patience` for the child `pid` of this process to end. Does not reap it.
pub(crate) fn wait_for_end(pid: Pid, patience: Duration) {
    let number = rustix::process::Pid::from_raw(pid.as_raw());
    let Some(handle) = number.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return;
    };
    let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    // If it does not end in time, nothing more can be done here.
    let _ = poll(&mut [PollFd::new(handle.as_fd(), PollFlags::POLLIN)], patience);
}

/// Makes this process adopt the descendants of supervisors that are killed from now on.
pub(crate) fn adopt_orphans() {
    // If the system refuses, they are lost.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Kills and reaps the descendants of killed supervisors, and returns how many were alive. Other
/// children of this process share its session; these do not. Waits at most `patience` for each.
pub(crate) fn kill_orphans(patience: Duration) -> usize {
    let this = Pid::this();
    let own = getsid(None);
    let mut killed = 0;
    loop {
        let mut orphans = opened(this);
        orphans.retain(|orphan| getsid(Some(orphan.pid)) != own);
        if orphans.is_empty() {
            return killed;
        }
        for orphan in orphans {
            for member in members(orphan.pid) {
                member.signal(Signal::KILL);
            }
            killed += usize::from(!orphan.is_dead());
            orphan.signal(Signal::KILL);
            wait_for_end(orphan.pid, patience);
            if waitpid(orphan.pid, Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive) {
                return killed;
            }
        }
    }
}

/// All descendants of `root`, parents before children, including dead ones that have not been
/// reaped.
pub(crate) fn members(root: Pid) -> Vec<Member> {
    let mut found: Vec<Member> = opened(root);
    let mut next = 0;
    while let Some(member) = found.get(next) {
        let below = opened(member.pid);
        // The data is this process's own only if the process is still there now.
        if member.lives() {
            found.extend(below);
        }
        next += 1;
    }
    found
}

fn opened(parent: Pid) -> Vec<Member> {
    procfs::children(parent).into_iter().filter_map(|pid| Member::open(pid, parent)).collect()
}

/// A sandboxed process and its descendants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessTree {
    /// The supervisor.
    pub(crate) root: Pid,
    /// The process that runs the command.
    pub(crate) leader: Pid,
    /// The first process of its PID namespace, if it has one.
    pub(crate) init: Option<Pid>,
}

impl ProcessTree {
    /// The CPU time of the leader alone, which is cheap to read.
    pub(crate) fn leader_cpu(&self) -> Option<Duration> {
        procfs::cpu_time(self.leader)
    }

    /// The CPU time of all living processes, and of dead ones that their parents have waited for: a
    /// lower bound.
    pub(crate) fn cpu(&self) -> Duration {
        let keepers = [Some(self.root), self.init].into_iter().flatten();
        let waited: Duration = keepers.map(procfs::waited_for).sum();
        let members = self.members().into_iter().map(|member| {
            procfs::cpu_time(member.pid).unwrap_or_default() + procfs::waited_for(member.pid)
        });
        members.sum::<Duration>() + waited
    }

    /// How long each thread of the living processes has waited for a core.
    pub(crate) fn core_waits(&self) -> CoreWaits {
        let members = self.members().into_iter();
        members.flat_map(|member| procfs::core_waits(member.pid)).collect()
    }

    /// The sum of the peak resident memory of all living processes, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let peaks = self.members().into_iter().filter_map(|member| procfs::peak_memory(member.pid));
        Some(peaks.sum::<u64>()).filter(|&bytes| bytes > 0)
    }

    /// Stops every process. The leader's process group comes first, all at once, so that it does
    /// not compete with the search for the others.
    ///
    /// A process can start others until it is stopped, so the search is repeated.
    pub(crate) fn stop(&self) {
        self.signal_group(Signal::STOP);
        let mut stopped: Vec<Pid> = Vec::new();
        for _ in 0..STOP_ROUNDS {
            let members = self.members();
            let fresh = members.iter().filter(|member| !stopped.contains(&member.pid));
            let fresh: Vec<Pid> = fresh
                .inspect(|member| member.signal(Signal::STOP))
                .map(|member| member.pid)
                .collect();
            if fresh.is_empty() {
                return;
            }
            stopped.extend(fresh);
        }
    }

    /// Sends the leader the signal with this number.
    pub(crate) fn signal_leader(&self, signal: i32) {
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        for member in self.members().iter().filter(|member| member.pid == self.leader) {
            member.signal(signal);
        }
    }

    /// Lets every process continue.
    pub(crate) fn resume(&self) {
        let (in_group, others): (Vec<_>, Vec<_>) = self
            .members()
            .into_iter()
            .partition(|member| getpgid(Some(member.pid)) == Ok(self.leader));
        let each = |members: &[Member]| {
            for member in members {
                member.signal(Signal::CONT);
            }
        };
        each(&others);
        if !self.signal_group(Signal::CONT) {
            each(&in_group);
        }
    }

    /// Signals the group of its first process, if there is one and the kernel supports that.
    fn signal_group(&self, signal: Signal) -> bool {
        let leader = Member::open(self.leader, self.init.unwrap_or(self.root));
        leader.is_some_and(|leader| leader.signal_group(signal))
    }

    fn members(&self) -> Vec<Member> {
        let mut members = members(self.root);
        members.retain(|member| Some(member.pid) != self.init);
        members
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    /// Waits at most half a minute until all of them are in this state.
    fn become_state(pids: &[Pid], wanted: char) {
        let began = Instant::now();
        while !pids.iter().all(|&pid| procfs::state(pid) == Some(wanted)) {
            assert!(began.elapsed() < Duration::from_secs(30), "{pids:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn process_groups_stop_and_continue_at_once() {
        let script = "sleep 60 & sleep 60 & wait";
        let mut shell =
            Command::new("sh").args(["-c", script]).process_group(0).spawn().expect("a shell");
        let leader = Pid::from_raw(shell.id().cast_signed());
        let began = Instant::now();
        while members(leader).len() < 2 {
            assert!(began.elapsed() < Duration::from_secs(30), "it starts both");
        }
        let mut pids: Vec<Pid> = members(leader).iter().map(|member| member.pid).collect();
        pids.push(leader);
        let member = Member::open(leader, Pid::this()).expect("a child");
        // Before Linux 6.9, each process gets its own signal.
        if member.signal_group(Signal::STOP) {
            become_state(&pids, 'T');
            assert!(member.signal_group(Signal::CONT));
            become_state(&pids, 'S');
        }
        for one in members(leader) {
            one.signal(Signal::KILL);
        }
        shell.kill().expect("killed");
        shell.wait().expect("reaped");
    }
}
