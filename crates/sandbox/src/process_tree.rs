//! The descendants of a process, found through `/proc`.
//!
//! The supervisor is the subreaper of its process: everything that the process starts stays below
//! the supervisor, even when orphaned. Numbers from `/proc` can be reused, so a process is only
//! used through its folder there, which stays its own, and only if that names the right parent. No
//! signal or measurement ever hits an unrelated process.

#![expect(unsafe_code, reason = "one question that no crate asks")]

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid, getsid};
pub(crate) use rustix::process::Signal;
use rustix::process::{PidfdFlags, pidfd_open};

use crate::core_waits::CoreWaits;
use crate::procfs::{ProcessClock, ProcfsFolder, ProcfsStat, read_procfs_stat};

/// How many times to search for processes that have not stopped yet.
const STOP_ROUNDS: usize = 64;

/// A process that was found. Its folder also serves as a pidfd.
#[derive(Debug)]
pub(crate) struct ProcessInTree {
    pub(crate) folder: ProcfsFolder,
    /// What it was doing when it was found.
    pub(crate) stat: ProcfsStat,
}

impl ProcessInTree {
    /// Opens the process `pid`, whose number is its own.
    pub(crate) fn open(pid: Pid) -> Option<Self> {
        let folder = ProcfsFolder::open(pid)?;
        let stat = folder.stat()?;
        Some(Self { folder, stat })
    }

    /// Opens the process `pid`, if it is a child of `parent`.
    fn open_child(pid: Pid, parent: Pid) -> Option<Self> {
        Self::open(pid).filter(|member| member.stat.parent == parent)
    }

    /// Its number in this process's PID namespace.
    pub(crate) fn pid(&self) -> Pid {
        self.folder.pid()
    }

    fn children(&self) -> Vec<Self> {
        let numbers = self.folder.children(&self.stat).into_iter();
        numbers.filter_map(|pid| Self::open_child(pid, self.pid())).collect()
    }

    /// Whether it has not been reaped: its number is still its own.
    fn is_unreaped(&self) -> bool {
        // Signal 0 only asks.
        self.send(0, 0) != Err(Errno::ESRCH)
    }

    /// The CPU time that it has used itself, and that of the children that it has waited for.
    fn cpu_time(&self) -> Duration {
        let own = ProcessClock::of_process(self.pid()).and_then(ProcessClock::read);
        own.unwrap_or_default() + self.stat.waited_for
    }

    /// Sends a signal to the whole process group that it leads, at once: none of its processes can
    /// escape by starting another one. Returns false if it leads none.
    fn signal_group(&self, signal: Signal) -> bool {
        // The kernel's PIDFD_SIGNAL_PROCESS_GROUP, since Linux 6.9.
        const PROCESS_GROUP: libc::c_uint = 1 << 2;
        match self.send(signal.as_raw(), PROCESS_GROUP) {
            // Numbers are given again only when all others were, so this is still its own.
            Err(Errno::EINVAL) if self.is_unreaped() => {
                // SAFETY: the call takes two numbers.
                unsafe { libc::kill(-self.pid().as_raw(), signal.as_raw()) == 0 }
            }
            sent => sent.is_ok(),
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        // A process that is gone needs no signal, and no other error can be handled here.
        let _ = self.send(signal.as_raw(), 0);
    }

    fn send(&self, signal: i32, flags: libc::c_uint) -> nix::Result<()> {
        let folder = self.folder.as_fd().as_raw_fd();
        // SAFETY: the descriptor is open, and no pointer is read.
        let answer =
            unsafe { libc::syscall(libc::SYS_pidfd_send_signal, folder, signal, 0_usize, flags) };
        Errno::result(answer).map(drop)
    }
}

/// Waits at most `patience` for the child `pid` of this process to end. Does not reap it.
pub(crate) fn wait_for_process_end(pid: Pid, patience: Duration) {
    let number = rustix::process::Pid::from_raw(pid.as_raw());
    let Some(handle) = number.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return;
    };
    let patience = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    // If it does not end in time, nothing more can be done here.
    let _ = poll(&mut [PollFd::new(handle.as_fd(), PollFlags::POLLIN)], patience);
}

/// Makes this process adopt the descendants of supervisors that are killed from now on.
pub(crate) fn adopt_orphaned_trees() {
    // If the system refuses, they are lost.
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Kills and reaps the descendants of killed supervisors, and returns how many were alive. Other
/// children of this process share its session; these do not. Waits at most `patience` for each.
pub(crate) fn kill_orphaned_trees(patience: Duration) -> usize {
    let this = Pid::this();
    let own = getsid(None);
    let mut killed = 0;
    loop {
        let mut orphans = ProcessInTree::open(this).map_or_else(Vec::new, |this| this.children());
        orphans.retain(|orphan| getsid(Some(orphan.pid())) != own);
        if orphans.is_empty() {
            return killed;
        }
        for orphan in orphans {
            for member in find_process_descendants(orphan.pid()) {
                member.signal(Signal::KILL);
            }
            killed += usize::from(!orphan.stat.is_dead());
            orphan.signal(Signal::KILL);
            wait_for_process_end(orphan.pid(), patience);
            if waitpid(orphan.pid(), Some(WaitPidFlag::WNOHANG)) == Ok(WaitStatus::StillAlive) {
                return killed;
            }
        }
    }
}

/// All descendants of `root`, parents before children, including dead ones that have not been
/// reaped. The number of `root` must be its own.
pub(crate) fn find_process_descendants(root: Pid) -> Vec<ProcessInTree> {
    let mut found = ProcessInTree::open(root).map_or_else(Vec::new, |root| root.children());
    let mut next = 0;
    while let Some(member) = found.get(next) {
        let below = member.children();
        // Its number was its own all the time only if it is still there now.
        if member.is_unreaped() {
            found.extend(below);
        }
        next += 1;
    }
    found
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
    /// The clock of the CPU time of the leader alone, which is cheap to read.
    pub(crate) fn leader_clock(&self) -> Option<ProcessClock> {
        ProcessClock::of_process(self.leader)
    }

    /// The CPU time of all living processes, and of dead ones that their parents have waited for: a
    /// lower bound.
    pub(crate) fn cpu_time(&self) -> Duration {
        let keepers = [Some(self.root), self.init].into_iter().flatten();
        let waited = keepers.filter_map(read_procfs_stat).map(|stat| stat.waited_for);
        self.members().iter().map(ProcessInTree::cpu_time).chain(waited).sum()
    }

    /// How long each thread of the living processes has waited for a core.
    pub(crate) fn core_waits(&self) -> CoreWaits {
        self.members().iter().flat_map(|member| member.folder.core_waits()).collect()
    }

    /// The sum of the peak resident memory of all living processes, in bytes.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let members = self.members();
        let peaks = members.iter().filter_map(|member| member.folder.peak_memory());
        Some(peaks.sum::<u64>()).filter(|&bytes| bytes > 0)
    }

    /// Stops every process. The leader's process group comes first, all at once, so that it does
    /// not compete with the search for the others. Returns whether it has descendants.
    ///
    /// A process can start others until it is stopped, so the search is repeated. Its end can wake
    /// others, so each round also stops those that were found before.
    pub(crate) fn stop(&self) -> bool {
        if let Some(leader) = self.leader() {
            leader.signal_group(Signal::STOP);
        }
        let mut stopped: Vec<Pid> = Vec::new();
        for _ in 0..STOP_ROUNDS {
            let members = self.members();
            let signalled = members.iter().inspect(|member| member.signal(Signal::STOP));
            let fresh: Vec<Pid> =
                signalled.map(ProcessInTree::pid).filter(|pid| !stopped.contains(pid)).collect();
            if fresh.is_empty() {
                break;
            }
            stopped.extend(fresh);
        }
        stopped.len() > 1
    }

    /// Sends the leader the signal with this number.
    pub(crate) fn signal_leader(&self, signal: i32) {
        if let (Some(signal), Some(leader)) = (Signal::from_named_raw(signal), self.leader()) {
            leader.signal(signal);
        }
    }

    /// Lets every process continue.
    pub(crate) fn resume(&self) {
        let members = self.members().into_iter();
        let (in_group, others): (Vec<_>, Vec<_>) =
            members.partition(|member| getpgid(Some(member.pid())) == Ok(self.leader));
        let each = |members: &[ProcessInTree]| {
            for member in members {
                member.signal(Signal::CONT);
            }
        };
        each(&others);
        let leader = in_group.iter().find(|member| member.pid() == self.leader);
        if !leader.is_some_and(|leader| leader.signal_group(Signal::CONT)) {
            each(&in_group);
        }
    }

    /// The process that runs the command, unless it has been reaped.
    fn leader(&self) -> Option<ProcessInTree> {
        ProcessInTree::open_child(self.leader, self.init.unwrap_or(self.root))
    }

    /// The current processes.
    pub(crate) fn members(&self) -> Vec<ProcessInTree> {
        let mut members = find_process_descendants(self.root);
        members.retain(|member| Some(member.pid()) != self.init);
        members
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::*;

    /// Waits at most half a minute until all of them are in this state.
    fn become_state(pids: &[Pid], wanted: char) {
        let began = Instant::now();
        let state = |pid| read_procfs_stat(pid).map(|stat| stat.state);
        while !pids.iter().all(|&pid| state(pid) == Some(wanted)) {
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
        while find_process_descendants(leader).len() < 2 {
            assert!(began.elapsed() < Duration::from_secs(30), "it starts both");
        }
        let mut pids: Vec<Pid> =
            find_process_descendants(leader).iter().map(ProcessInTree::pid).collect();
        pids.push(leader);
        let member = ProcessInTree::open_child(leader, Pid::this()).expect("a child");
        assert!(member.signal_group(Signal::STOP));
        become_state(&pids, 'T');
        assert!(member.signal_group(Signal::CONT));
        become_state(&pids, 'S');
        for one in find_process_descendants(leader) {
            one.signal(Signal::KILL);
        }
        shell.kill().expect("killed");
        shell.wait().expect("reaped");
    }

    /// Stops a process that was started with this command of a shell, and has `below` descendants,
    /// and lets it continue.
    fn stops_and_continues(command: &str, below: usize) {
        // With -m, the process leads a group of its own.
        let script = format!("{command} & read line");
        let mut shell = Command::new("sh");
        shell.args(["-mc", &script]).stdin(Stdio::piped());
        let mut shell = shell.spawn().expect("a shell");
        let root = Pid::from_raw(shell.id().cast_signed());
        let began = Instant::now();
        while find_process_descendants(root).len() <= below {
            assert!(began.elapsed() < Duration::from_secs(30), "it starts all");
        }
        let found = find_process_descendants(root);
        let tree = ProcessTree { root, leader: found[0].pid(), init: None };
        let pids: Vec<Pid> = found.iter().map(ProcessInTree::pid).collect();
        assert_eq!(tree.stop(), below > 0);
        become_state(&pids, 'T');
        tree.resume();
        become_state(&pids, 'S');
        for one in &found {
            one.signal(Signal::KILL);
        }
        shell.kill().expect("killed");
        shell.wait().expect("reaped");
    }

    #[test]
    fn all_processes_of_a_tree_stop_and_continue() {
        stops_and_continues("sleep 60", 0);
        stops_and_continues("sh -c 'sleep 60 & exec sleep 60'", 1);
        stops_and_continues("sh -c 'setsid sleep 60 & exec sleep 60'", 1);
    }

    #[test]
    fn a_name_that_is_not_text_hides_no_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join(OsStr::from_bytes(b"\xff) R 1 ("));
        std::os::unix::fs::symlink("/bin/sleep", &program).expect("a link");
        let mut command = Command::new(&program);
        let mut child = command.arg0("sleep").arg("60").spawn().expect("it starts");
        let pid = Pid::from_raw(child.id().cast_signed());
        let found =
            find_process_descendants(Pid::this()).into_iter().find(|member| member.pid() == pid);
        assert!(found.expect("it is found").folder.memory() > 0);
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }
}
