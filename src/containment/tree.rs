//! The processes below a guard, found through `/proc` and held by pidfds.
//!
//! The guard is the subreaper of its player: whatever the player starts, however it is orphaned,
//! stays below the guard. A process is entered only while a pidfd proves that the number read from
//! `/proc` was its own all the time, so no signal and no figure ever goes to a stranger.

#![expect(unsafe_code, reason = "one question that no crate asks")]

use std::fs;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::time::ClockId;
use nix::unistd::Pid;
pub(crate) use rustix::process::Signal;
use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

/// A process of a player.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its number here.
    pub(crate) pid: Pid,
    handle: OwnedFd,
}

impl Member {
    /// The process `pid`, if it is a child of `parent` now.
    fn enter(pid: Pid, parent: Pid) -> Option<Self> {
        let number = rustix::process::Pid::from_raw(pid.as_raw())?;
        let handle = pidfd_open(number, PidfdFlags::empty()).ok()?;
        let member = Self { pid, handle };
        // The number was the process's own while the parent was read: it lives still.
        (parent_of(pid) == Some(parent) && member.lives()).then_some(member)
    }

    /// It was not reaped yet: its number is still its own.
    fn lives(&self) -> bool {
        // SAFETY: signal 0 is only a question, the descriptor is open, and no pointer is read.
        let answer = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, self.handle.as_raw_fd(), 0, 0_usize, 0)
        };
        answer == 0 || Errno::last() != Errno::ESRCH
    }

    /// It is dead and waits to be reaped.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(state(self.pid), None | Some('Z' | 'X'))
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        // A process that is gone needs no signal; there is nothing else to do about an error here.
        let _ = pidfd_send_signal(&self.handle, signal);
    }
}

/// Waits until the child `pid` of this process has ended, but not longer than `patience`. It is
/// left to be reaped.
pub(crate) fn wait_for_end(pid: Pid, patience: Duration) {
    let number = rustix::process::Pid::from_raw(pid.as_raw());
    let Some(handle) = number.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return;
    };
    let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    // When it does not end in time there is nothing more to be done here.
    let _ = poll(&mut [PollFd::new(handle.as_fd(), PollFlags::POLLIN)], patience);
}

/// Every process below `root`, parents before their children, dead ones that were not reaped
/// included.
pub(crate) fn members(root: Pid) -> Vec<Member> {
    let mut found: Vec<Member> = entered(root);
    let mut next = 0;
    while let Some(member) = found.get(next) {
        let below = entered(member.pid);
        // What was read belongs to this process only if it was there until now.
        if member.lives() {
            found.extend(below);
        }
        next += 1;
    }
    found
}

fn entered(parent: Pid) -> Vec<Member> {
    children(parent).into_iter().filter_map(|pid| Member::enter(pid, parent)).collect()
}

/// Children of every thread of `pid`.
pub(crate) fn children(pid: Pid) -> Vec<Pid> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| {
            list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
        })
        .map(Pid::from_raw)
        .collect()
}

/// The fields of `/proc/PID/stat` from the third on.
fn stat(pid: Pid) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(stat.rsplit_once(") ")?.1.to_owned())
}

/// The letter of its state.
pub(crate) fn state(pid: Pid) -> Option<char> {
    stat(pid)?.chars().next()
}

fn parent_of(pid: Pid) -> Option<Pid> {
    stat(pid)?.split(' ').nth(1)?.parse().ok().map(Pid::from_raw)
}

/// CPU time used by one process so far.
pub(crate) fn cpu_of(pid: Pid) -> Option<Duration> {
    let clock = ClockId::pid_cpu_clock_id(pid).ok()?;
    Some(clock.now().ok()?.into())
}

/// The most resident memory that one process has held, in bytes.
pub(crate) fn peak_memory(pid: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

/// CPU time of the children that `pid` waited for (fields 16 and 17).
pub(crate) fn waited_for(pid: Pid) -> Duration {
    let fields = stat(pid).unwrap_or_default();
    let ticks: u64 =
        fields.split(' ').skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // The kernel shows these in units of 1/100 s whatever its own tick is.
    Duration::from_millis(ticks * 10)
}
