//! The supervisor: a small process with one thread between the referee and one player.

#![expect(unsafe_code, reason = "fork and clone of a process with one thread")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::monitor::Monitor;
use crate::protocol::{Message, Setup, SetupError, send, wait_status};
use crate::resources::Resources;
use crate::start_request::StartRequest;
use crate::{Leftovers, Overrun, cgroup, exec, init, mounts, process_tree, procfs};

/// How often what the system does not bound is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Guards one player until it is gone.
pub(crate) fn serve() -> ExitCode {
    match StartRequest::receive().and_then(|(socket, request)| supervise(&socket, request)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is left who could be told.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Sets up the box, starts the player in it, and stays until it is gone; then removes what was
/// made for it.
fn supervise(socket: &UnixStream, request: StartRequest) -> io::Result<()> {
    let setup = request.setup.clone();
    let mut made = Resources::default();
    let started = made
        .make(&request)
        .and_then(|()| request.give_pipes())
        .and_then(|()| start(socket, request, &made.groups));
    let end = match started {
        Ok(mut supervisor) => supervisor.watch(socket, &made.groups, &setup),
        Err(failed) => send(socket, &Message::Failed(failed)).map(|()| Told::Nothing),
    };
    let scratch = made.remove(&setup, matches!(end, Ok(Told::RefereeIsGone)));
    match end? {
        Told::Nothing | Told::RefereeIsGone => Ok(()),
        Told::ToKill { left } => {
            send(socket, &Message::Gone(Leftovers { processes: left, scratch }))
        }
    }
}

/// Why a supervisor ends.
enum Told {
    /// The player was never started, and the referee knows.
    Nothing,
    /// There is nobody left to tell.
    RefereeIsGone,
    /// The referee said so; `left` processes besides the player's first were alive.
    ToKill { left: usize },
}

/// A running player.
struct Supervisor {
    signals: SignalFd,
    /// The process to be killed with everything in its namespace, in a box.
    init: Option<Pid>,
    leader: Pid,
    /// What has to be looked at, and when that was done.
    look: Option<Monitor>,
    looked: Instant,
    /// The limit that it was over, if it was.
    over: Option<Overrun>,
    /// Closed when the supervisor is: the init waits for it before it reaps anything.
    go: OwnedFd,
}

/// Starts the player; what fails in its own process comes back through a pipe that the exec
/// closes.
fn start(
    socket: &UnixStream,
    request: StartRequest,
    groups: &[cgroup::Cgroup],
) -> Result<Supervisor, SetupError> {
    let failed = |error: Errno| SetupError::setting_up("its supervisor", &error);
    nix::sys::prctl::set_child_subreaper(true).map_err(failed)?;
    let mut child = SigSet::empty();
    child.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&child), None).map_err(failed)?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    let signals = SignalFd::with_flags(&child, flags).map_err(failed)?;
    let (report, reporter) = pipe()?;
    let (ready, go) = pipe()?;
    let pid = if request.setup.has(crate::Mechanism::Namespaces) {
        let boxed = init::clone(&request.setup);
        match boxed.map_err(|error| SetupError::setting_up("its namespaces", &error))? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report));
                init::live(socket, request, groups, reporter, &ready)
            }
        }
    } else {
        // SAFETY: this process has one thread, so the child may do all that the parent may.
        match unsafe { fork() }.map_err(failed)? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report));
                exec::leader(&request, groups, reporter)
            }
        }
    };
    let boxed = request.setup.has(crate::Mechanism::Namespaces);
    let look = Monitor::at(&request.setup);
    drop((request, reporter, ready));
    let init = boxed.then_some(pid);
    let supervisor =
        Supervisor { signals, init, leader: pid, look, looked: Instant::now(), over: None, go };
    supervisor.started(socket, report)
}

/// A pipe that no program inherits.
fn pipe() -> Result<(OwnedFd, OwnedFd), SetupError> {
    nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)
        .map_err(|error| SetupError::setting_up("its supervisor", &error))
}

impl Supervisor {
    /// Waits until the player's program runs, and says so.
    fn started(mut self, socket: &UnixStream, report: OwnedFd) -> Result<Self, SetupError> {
        let mut watched = [
            PollFd::new(report.as_fd(), PollFlags::POLLIN),
            PollFd::new(socket.as_fd(), PollFlags::POLLIN),
        ];
        let _ = poll(&mut watched, PollTimeout::NONE);
        let mut text = Vec::new();
        if watched[0].any().unwrap_or(false) {
            let _ = File::from(report).read_to_end(&mut text);
        }
        if !text.is_empty() {
            self.kill_all(&[]);
            return Err(serde_json::from_slice(&text)
                .unwrap_or_else(|error| SetupError::setting_up("its supervisor", &error)));
        }
        if let Some(init) = self.init {
            // The init reaps nothing before it is told to: its child is there.
            self.leader = procfs::children(init).first().copied().ok_or_else(|| {
                SetupError::setting_up(
                    "the first process of its box",
                    &io::Error::other("it is not there"),
                )
            })?;
        }
        let init = self.init.map(Pid::as_raw);
        let started = Message::Started { leader: self.leader.as_raw(), init };
        // Without a referee the socket shows its end at once.
        let _ = send(socket, &started);
        let _ = nix::unistd::write(&self.go, b"g");
        Ok(self)
    }

    /// Reaps and reports until the referee says that it is over, or is gone.
    fn watch(
        &mut self,
        mut socket: &UnixStream,
        groups: &[cgroup::Cgroup],
        setup: &Setup,
    ) -> io::Result<Told> {
        loop {
            let patience = match &self.look {
                Some(_) if self.over.is_none() => {
                    PollTimeout::try_from(LOOK_EVERY).unwrap_or(PollTimeout::NONE)
                }
                _ => PollTimeout::NONE,
            };
            let mut watched = [
                PollFd::new(socket.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut watched, patience) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [asked, died] = watched.map(|fd| fd.any().unwrap_or(true));
            if asked || self.looked.elapsed() >= LOOK_EVERY {
                self.look(socket);
            }
            if died {
                while let Ok(Some(_)) = self.signals.read_signal() {}
                self.reap(socket, setup);
            }
            if asked {
                let told = socket.read(&mut [0]).unwrap_or(0) > 0;
                let left = self.kill_all(groups);
                return Ok(if told { Told::ToKill { left } } else { Told::RefereeIsGone });
            }
        }
    }

    /// Ends a player that is over a limit which the system does not enforce.
    fn look(&mut self, socket: &UnixStream) {
        self.looked = Instant::now();
        let (Some(look), None) = (&self.look, self.over) else { return };
        let members = self.members();
        self.over = look.overrun(&members);
        let Some(over) = self.over else { return };
        let _ = send(socket, &Message::Exceeded(over));
        for member in members {
            member.signal(process_tree::Signal::KILL);
        }
    }

    /// The player's processes.
    fn members(&self) -> Vec<process_tree::Member> {
        let mut members = process_tree::members(Pid::this());
        members.retain(|member| Some(member.pid) != self.init);
        members
    }

    /// Reaps whatever is dead, and reports the end of the leader. That of a box comes from its
    /// init.
    fn reap(&mut self, socket: &UnixStream, setup: &Setup) {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            let Some(pid) = status.pid() else { break };
            if self.init.is_none() && pid == self.leader {
                self.look(socket);
                let dir = setup.scratch.as_ref().filter(|_| setup.has_mounts_alone());
                if let Some(full) =
                    dir.and_then(|dir| mounts::full_scratch(dir, setup.limits.scratch))
                {
                    let _ = send(socket, &Message::Exceeded(full));
                }
                let _ = send(socket, &Message::Exited { status: wait_status(status) });
            }
            if self.init == Some(pid) {
                // The box went down with everything in it: the referee sees that no end of the
                // leader was reported.
                let _ = socket.shutdown(std::net::Shutdown::Write);
            }
        }
    }

    /// Kills every process of the player; how many lived besides its first.
    fn kill_all(&mut self, groups: &[cgroup::Cgroup]) -> usize {
        let this = Pid::this();
        let mut lived = BTreeSet::new();
        let mut note = |members: &[process_tree::Member], supervisor: &Self| {
            let others = members.iter().filter(|member| {
                member.pid != supervisor.leader
                    && Some(member.pid) != supervisor.init
                    && !member.is_dead()
            });
            lived.extend(others.map(|member| member.pid.as_raw()));
        };
        note(&process_tree::members(this), self);
        groups.iter().for_each(cgroup::Cgroup::kill);
        if let Some(init) = self.init {
            // Everything in its namespace dies with it; its number is ours until it is reaped.
            let _ = kill(init, Signal::SIGKILL);
            let _ = waitpid(init, None);
            return lived.len();
        }
        loop {
            while waitpid(None, Some(WaitPidFlag::WNOHANG))
                .is_ok_and(|status| status.pid().is_some())
            {}
            let members = process_tree::members(this);
            note(&members, self);
            for member in &members {
                member.signal(process_tree::Signal::KILL);
            }
            if waitpid(None, None) == Err(Errno::ECHILD) {
                return lived.len();
            }
        }
    }
}
