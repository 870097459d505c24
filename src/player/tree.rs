//! The processes of a player: its leader, the leader's process group, and every descendant.
//!
//! On Linux descendants are found through `/proc`, and orphans come back to the referee, which
//! is their subreaper; elsewhere the process group is all there is.

use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// The variable in a player's environment that tells its orphans from another player's.
pub(super) const TOKEN: &str = "REFEREE_PLAYER";

/// Sends `signal` to the leader's group and to every descendant outside it.
pub(super) fn signal(leader: Pid, signal: Signal) {
    // A process that is gone needs no signal; there is nothing else to do about an error here.
    let _ = killpg(leader, signal);
    for pid in platform::descendants(leader) {
        let _ = kill(pid, signal);
    }
}

/// Kills everything that descends from `leader`, orphans that carry `token` included.
/// Returns how many processes besides the leader were still alive.
pub(super) fn kill_all(leader: Pid, token: &str) -> usize {
    let mut killed = std::collections::BTreeSet::new();
    loop {
        let mut alive = platform::descendants(leader);
        alive.extend(platform::orphans(leader, token));
        alive.retain(|pid| killed.insert(*pid));
        let _ = killpg(leader, Signal::SIGKILL);
        if alive.is_empty() {
            return killed.len();
        }
        for pid in alive {
            let _ = kill(pid, Signal::SIGKILL);
        }
    }
}

/// CPU time used by the tree: the leader, its living descendants, and children they waited for.
/// A lower bound; `None` where the system does not tell.
pub(super) fn cpu(leader: Pid) -> Option<Duration> {
    platform::cpu(leader)
}

/// CPU time used by the leader alone, cheaply.
pub(super) fn leader_cpu(leader: Pid) -> Option<Duration> {
    platform::leader_cpu(leader)
}

/// What a process is doing, seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// Sleeping in a read of its standard input, or in a wait for events.
    Reading,
    /// Stopped by a signal.
    Stopped,
    /// On a core, or waiting for one.
    Running,
    /// Anything else.
    Other,
}

/// What the leader is doing now.
pub(super) fn doing(leader: Pid) -> Doing {
    platform::doing(leader)
}

/// Makes orphaned descendants come back to this process, where the system can.
pub fn adopt_orphans() {
    platform::adopt_orphans();
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;

    use nix::time::ClockId;

    use super::{Doing, Duration, Pid, TOKEN};

    pub(super) fn adopt_orphans() {
        // Without it a daemon survives its game under `off`; it never changes a result.
        let _ = nix::sys::prctl::set_child_subreaper(true);
    }

    /// Children of every thread of `pid`.
    fn children(pid: Pid) -> Vec<Pid> {
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

    pub(super) fn descendants(leader: Pid) -> Vec<Pid> {
        let mut found = children(leader);
        let mut next = 0;
        while let Some(&pid) = found.get(next) {
            found.extend(children(pid));
            next += 1;
        }
        found
    }

    /// Children of the referee that were born to the player, and what descends from them.
    pub(super) fn orphans(leader: Pid, token: &str) -> Vec<Pid> {
        let mark = format!("{TOKEN}={token}");
        let mut found: Vec<Pid> = children(Pid::this())
            .into_iter()
            .filter(|&pid| pid != leader && carries(pid, mark.as_bytes()))
            .collect();
        for at in 0..found.len() {
            let below = descendants(found[at]);
            found.extend(below);
        }
        found.retain(|&pid| !reap(pid));
        found
    }

    fn carries(pid: Pid, mark: &[u8]) -> bool {
        // A zombie's environment is gone: it is dead, and reaping it is all that is left.
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|environ| environ.split(|&byte| byte == 0).any(|entry| entry == mark))
    }

    /// Reaps a dead orphan; says whether it was one.
    fn reap(pid: Pid) -> bool {
        use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
        matches!(
            waitpid(pid, Some(WaitPidFlag::WNOHANG)),
            Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..))
        )
    }

    pub(super) fn leader_cpu(leader: Pid) -> Option<Duration> {
        let clock = ClockId::pid_cpu_clock_id(leader).ok()?;
        Some(clock.now().ok()?.into())
    }

    pub(super) fn cpu(leader: Pid) -> Option<Duration> {
        let own = leader_cpu(leader)?;
        let below = descendants(leader).into_iter().filter_map(leader_cpu).sum::<Duration>();
        Some(own + below + waited_for(leader))
    }

    /// CPU time of the children that `pid` waited for, from `/proc/PID/stat` (fields 16, 17).
    fn waited_for(pid: Pid) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let Some((_, fields)) = stat.rsplit_once(") ") else { return Duration::ZERO };
        let ticks: u64 =
            fields.split(' ').skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        // The kernel shows these in units of 1/100 s whatever its own tick is.
        Duration::from_millis(ticks * 10)
    }

    pub(super) fn doing(leader: Pid) -> Doing {
        let stat = fs::read_to_string(format!("/proc/{leader}/stat")).unwrap_or_default();
        match stat.rsplit_once(") ").and_then(|(_, fields)| fields.chars().next()) {
            Some('T' | 't') => Doing::Stopped,
            Some('R') => Doing::Running,
            Some('S') if waits_for_input(leader) => Doing::Reading,
            _ => Doing::Other,
        }
    }

    fn waits_for_input(leader: Pid) -> bool {
        let call = fs::read_to_string(format!("/proc/{leader}/syscall")).unwrap_or_default();
        let mut words = call.split(' ');
        let (number, descriptor) = (words.next(), words.next());
        number == Some(READ) && descriptor == Some("0x0")
    }

    #[cfg(target_arch = "x86_64")]
    const READ: &str = "0";
    #[cfg(not(target_arch = "x86_64"))]
    const READ: &str = "63";
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{Doing, Duration, Pid};

    pub(super) fn adopt_orphans() {}
    pub(super) fn descendants(_: Pid) -> Vec<Pid> {
        Vec::new()
    }
    pub(super) fn orphans(_: Pid, _: &str) -> Vec<Pid> {
        Vec::new()
    }
    pub(super) fn leader_cpu(_: Pid) -> Option<Duration> {
        None
    }
    pub(super) fn cpu(_: Pid) -> Option<Duration> {
        None
    }
    pub(super) fn doing(_: Pid) -> Doing {
        Doing::Other
    }
}
