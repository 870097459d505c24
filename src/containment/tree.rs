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
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::time::ClockId;
use nix::unistd::{Pid, getsid};
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
    pub(crate) fn enter(pid: Pid, parent: Pid) -> Option<Self> {
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

    /// Sends a signal to all of the process group that it leads, at once; says whether the system
    /// can do that.
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

/// From now on, orphans of players whose guard was killed become children of this process.
pub(crate) fn adopt_strays() {
    // Where the system cannot do it they are lost as ever.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Kills and reaps everything that players left whose guard was killed; how many there were. Each
/// of these is in a session of a player, and no other child of this process is in another session
/// than its own. Waits for each no longer than `patience`.
pub(crate) fn kill_strays(patience: Duration) -> usize {
    let this = Pid::this();
    let own = getsid(None);
    let mut killed = 0;
    loop {
        let mut strays = entered(this);
        strays.retain(|stray| getsid(Some(stray.pid)) != own);
        if strays.is_empty() {
            return killed;
        }
        for stray in strays {
            for member in members(stray.pid) {
                member.signal(Signal::KILL);
            }
            killed += usize::from(!stray.is_dead());
            stray.signal(Signal::KILL);
            wait_for_end(stray.pid, patience);
            if waitpid(stray.pid, Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive) {
                return killed;
            }
        }
    }
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
    bytes_of(&status, "VmHWM:")
}

/// How many threads a process has.
pub(super) fn threads(pid: Pid) -> u64 {
    let fields = stat(pid).unwrap_or_default();
    fields.split(' ').nth(17).and_then(|field| field.parse().ok()).unwrap_or(0)
}

/// The memory of one process that is not swapped out, in bytes.
pub(super) fn resident_memory(pid: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    bytes_of(&status, "VmRSS:").unwrap_or(0)
}

/// The number of KiB after `name`, in bytes.
fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

/// The memory that one process takes, in bytes: of what it shares with others, its share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    /// Its private memory, with what it shares since a fork.
    pub(super) private: u64,
    /// Shared mappings.
    pub(super) shared: u64,
}

/// The memory that one process takes. It is summed page by page.
pub(super) fn share_of_memory(pid: Pid) -> Option<Share> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    Some(Share {
        private: bytes_of(&rollup, "Pss_Anon:")?,
        shared: bytes_of(&rollup, "Pss_Shmem:")?,
    })
}

/// CPU time of the children that `pid` waited for (fields 16 and 17).
pub(crate) fn waited_for(pid: Pid) -> Duration {
    let fields = stat(pid).unwrap_or_default();
    let ticks: u64 =
        fields.split(' ').skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    // The kernel shows these in units of 1/100 s whatever its own tick is.
    Duration::from_millis(ticks * 10)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::Instant;

    use super::*;

    /// Waits, at most half a minute, until all of them are in this state.
    fn become_state(pids: &[Pid], wanted: char) {
        let began = Instant::now();
        while !pids.iter().all(|&pid| state(pid) == Some(wanted)) {
            assert!(began.elapsed() < Duration::from_secs(30), "{pids:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_group_is_stopped_and_goes_on_at_once() {
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
        let member = Member::enter(leader, Pid::this()).expect("a child");
        // Before Linux 6.9 each is signalled by itself.
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
