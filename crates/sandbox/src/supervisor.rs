//! The supervisor: a small process with one thread, between the caller and one sandboxed process.

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
use nix::unistd::{ForkResult, Pid};

use crate::cgroup::Cgroup;
use crate::exec::{SupervisorLink, exec_command};
use crate::fork::fork_with_flags;
use crate::init::{init_namespace_flags, run_init};
use crate::leftovers::Leftovers;
use crate::level::Mechanism;
use crate::monitor::Monitor;
use crate::mounts::find_full_scratch_mount;
use crate::process_tree::{self, ProcessInTree, find_process_descendants};
use crate::procfs::read_procfs_stat;
use crate::resource_limits::Overrun;
use crate::resources::Resources;
use crate::start_request::StartRequest;
use crate::supervisor_protocol::{
    SupervisorMessage, SupervisorSetup, SupervisorSetupError, encode_wait_status,
    send_supervisor_message,
};
use crate::timer_gate::TimerGate;

/// How often to poll the limits that the system does not enforce.
const POLL_EVERY: Duration = Duration::from_millis(250);
/// How often to poll while the leader is stopped.
const POLL_STOPPED_EVERY: Duration = Duration::from_secs(1);

/// Supervises the process that the socket asks for, until it is gone.
pub(crate) fn run_supervisor(socket: &UnixStream) -> ExitCode {
    match StartRequest::receive(socket).and_then(|request| supervise(socket, request)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is left to hear of the error.
        Err(_) => ExitCode::FAILURE,
    }
}

/// Sets up the sandbox, starts the command in it, waits until everything is gone, and removes what
/// was created for it.
fn supervise(socket: &UnixStream, request: StartRequest) -> io::Result<()> {
    let setup = request.setup.clone();
    let mut resources = Resources::default();
    let started = resources
        .make(&request)
        .and_then(|()| request.give_pipes())
        .and_then(|()| start_supervised_command(socket, request, &resources.groups));
    let end = match started {
        Ok(mut supervisor) => supervisor.watch(socket, &resources.groups, &setup),
        Err(failed) => send_supervisor_message(socket, &SupervisorMessage::Failed(failed))
            .map(|()| SupervisionEnd::NotStarted),
    };
    let scratch = resources.remove(&setup);
    match end? {
        SupervisionEnd::NotStarted | SupervisionEnd::CallerGone => Ok(()),
        SupervisionEnd::Killed { left } => send_supervisor_message(
            socket,
            &SupervisorMessage::Gone(Leftovers { processes: left, scratch }),
        ),
    }
}

/// How the supervisor's work ended.
enum SupervisionEnd {
    /// The command did not start, and the caller has been told.
    NotStarted,
    /// The caller is gone, and everything has been killed.
    CallerGone,
    /// The caller asked to kill everything. `left` descendants were alive.
    Killed { left: usize },
}

/// The supervisor of a running process.
struct Supervisor {
    signals: SignalFd,
    /// The first process of the PID namespace, if there is one. Everything in it dies with it.
    init: Option<Pid>,
    /// The process that runs the command.
    leader: Pid,
    /// The limits to poll, if any.
    monitor: Option<Monitor>,
    polled: Instant,
    /// The limit that a poll found exceeded, if any.
    exceeded: Option<Overrun>,
    /// Counts its timers, if the kernel asks.
    timers: Option<TimerGate>,
    /// Writing to it allows the init to reap.
    go: OwnedFd,
}

/// Starts the command. Errors in the child come back through a pipe that the exec closes.
fn start_supervised_command(
    socket: &UnixStream,
    request: StartRequest,
    groups: &[Cgroup],
) -> Result<Supervisor, SupervisorSetupError> {
    let failed = |error: Errno| SupervisorSetupError::setting_up("its supervisor", &error);
    nix::sys::prctl::set_child_subreaper(true).map_err(failed)?;
    let mut child = SigSet::empty();
    child.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&child), None).map_err(failed)?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    let signals = SignalFd::with_flags(&child, flags).map_err(failed)?;
    let (report, reporter) = open_supervisor_pipe()?;
    let (ready, go) = open_supervisor_pipe()?;
    let (timers, timers_of_child) = UnixStream::pair()
        .map_err(|error| SupervisorSetupError::setting_up("its supervisor", &error))?;
    let link = SupervisorLink { reporter, timers: timers_of_child };
    let pid = if request.setup.has(Mechanism::Namespaces) {
        let namespaces = fork_with_flags(init_namespace_flags(&request.setup));
        match namespaces
            .map_err(|error| SupervisorSetupError::setting_up("its namespaces", &error))?
        {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report, timers));
                run_init(socket, request, groups, link, &ready)
            }
        }
    } else {
        // SAFETY: this process has one thread, so the child may do anything that the parent may.
        match unsafe { nix::unistd::fork() }.map_err(failed)? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report, timers));
                exec_command(&request, groups, link)
            }
        }
    };
    let namespaces = request.setup.has(Mechanism::Namespaces);
    let monitor = Monitor::new(&request.setup);
    drop((request, link, ready));
    let init = namespaces.then_some(pid);
    let supervisor = Supervisor {
        signals,
        init,
        leader: pid,
        monitor,
        polled: Instant::now(),
        exceeded: None,
        timers: None,
        go,
    };
    supervisor.wait_until_started(socket, report, &timers)
}

/// A pipe that the command does not inherit.
fn open_supervisor_pipe() -> Result<(OwnedFd, OwnedFd), SupervisorSetupError> {
    nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)
        .map_err(|error| SupervisorSetupError::setting_up("its supervisor", &error))
}

impl Supervisor {
    /// Waits until the command is running, and reports that to the caller.
    fn wait_until_started(
        mut self,
        socket: &UnixStream,
        report: OwnedFd,
        timers: &UnixStream,
    ) -> Result<Self, SupervisorSetupError> {
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
            return Err(serde_json::from_slice(&text).unwrap_or_else(|error| {
                SupervisorSetupError::setting_up("its supervisor", &error)
            }));
        }
        self.timers = TimerGate::receive(timers);
        if let Some(init) = self.init {
            // The init waits before it reaps anything, so its child must exist.
            let leader = find_process_descendants(init).first().map(ProcessInTree::pid);
            self.leader = leader.ok_or_else(|| {
                SupervisorSetupError::setting_up(
                    "the first process of its namespaces",
                    &io::Error::other("it is not there"),
                )
            })?;
        }
        let init = self.init.map(Pid::as_raw);
        let started = SupervisorMessage::Started { leader: self.leader.as_raw(), init };
        // If the caller is gone, the socket is at its end, and `watch` notices.
        let _ = send_supervisor_message(socket, &started);
        let _ = nix::unistd::write(&self.go, b"g");
        Ok(self)
    }

    /// Reaps and reports until the caller asks to kill everything or is gone.
    fn watch(
        &mut self,
        mut socket: &UnixStream,
        groups: &[Cgroup],
        setup: &SupervisorSetup,
    ) -> io::Result<SupervisionEnd> {
        loop {
            let patience = match &self.monitor {
                Some(_) if self.exceeded.is_none() => {
                    PollTimeout::try_from(POLL_EVERY).unwrap_or(PollTimeout::NONE)
                }
                _ => PollTimeout::NONE,
            };
            let gate = self.timers.as_ref().map(AsFd::as_fd);
            let asks = if gate.is_some() { PollFlags::POLLIN } else { PollFlags::empty() };
            let mut watched = [
                PollFd::new(socket.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.signals.as_fd(), PollFlags::POLLIN),
                PollFd::new(gate.unwrap_or(socket.as_fd()), asks),
            ];
            match poll(&mut watched, patience) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            let timer = watched[2].revents().unwrap_or(PollFlags::empty());
            let [asked, died, _] = watched.map(|fd| fd.any().unwrap_or(true));
            self.answer_about_timers(timer);
            if asked || self.is_poll_due() {
                self.poll_limits(socket);
            }
            if died {
                while let Ok(Some(_)) = self.signals.read_signal() {}
                self.reap(socket, setup);
            }
            if asked {
                let told = socket.read(&mut [0]).unwrap_or(0) > 0;
                let left = self.kill_all(groups);
                return Ok(if told {
                    SupervisionEnd::Killed { left }
                } else {
                    SupervisionEnd::CallerGone
                });
            }
        }
    }

    /// Answers what the kernel asks about a timer, until there were too many or no process is left.
    fn answer_about_timers(&mut self, found: PollFlags) {
        if let Some(timers) = &mut self.timers {
            let goes_on =
                if found.contains(PollFlags::POLLIN) { timers.answer() } else { found.is_empty() };
            if !goes_on {
                self.timers = None;
            }
        }
    }

    /// Whether the limits are to be polled now. That takes the core from the opponent while the
    /// leader is stopped, on the opponent's turn, so it is done less often then.
    fn is_poll_due(&self) -> bool {
        let since = self.polled.elapsed();
        let is_stopped = || read_procfs_stat(self.leader).is_some_and(|stat| stat.is_stopped());
        since >= POLL_EVERY && (since >= POLL_STOPPED_EVERY || !is_stopped())
    }

    /// Kills everything if a limit that the system does not enforce is exceeded.
    fn poll_limits(&mut self, socket: &UnixStream) {
        self.polled = Instant::now();
        let (Some(monitor), None) = (&self.monitor, self.exceeded) else { return };
        let members = self.members();
        self.exceeded = monitor.overrun(&members);
        let Some(exceeded) = self.exceeded else { return };
        let _ = send_supervisor_message(socket, &SupervisorMessage::Exceeded(exceeded));
        for member in members {
            member.signal(process_tree::Signal::KILL);
        }
    }

    /// The command and its descendants.
    fn members(&self) -> Vec<ProcessInTree> {
        let mut members = find_process_descendants(Pid::this());
        members.retain(|member| Some(member.pid()) != self.init);
        members
    }

    /// Reaps dead processes, and reports the end of the command. With namespaces, the init reaps.
    fn reap(&mut self, socket: &UnixStream, setup: &SupervisorSetup) {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            let Some(pid) = status.pid() else { break };
            if self.init.is_none() && pid == self.leader {
                self.poll_limits(socket);
                let dir = setup.scratch.as_ref().filter(|_| setup.has_mounts_alone());
                if let Some(full) = dir.and_then(|dir| find_full_scratch_mount(dir, &setup.limits))
                {
                    let _ = send_supervisor_message(socket, &SupervisorMessage::Exceeded(full));
                }
                let _ = send_supervisor_message(
                    socket,
                    &SupervisorMessage::Exited { status: encode_wait_status(status) },
                );
            }
            if self.init == Some(pid) {
                // Everything in the namespaces is dead. Closing the socket signals that to the
                // caller, although the end of the command was never reported.
                let _ = socket.shutdown(std::net::Shutdown::Write);
            }
        }
    }

    /// Kills the command and its descendants. Returns how many descendants were alive.
    fn kill_all(&mut self, groups: &[Cgroup]) -> usize {
        let this = Pid::this();
        let mut lived = BTreeSet::new();
        let mut note = |members: &[ProcessInTree], supervisor: &Self| {
            let others = members.iter().filter(|member| {
                member.pid() != supervisor.leader
                    && Some(member.pid()) != supervisor.init
                    && !member.stat.is_dead()
            });
            lived.extend(others.map(|member| member.pid().as_raw()));
        };
        note(&find_process_descendants(this), self);
        groups.iter().for_each(Cgroup::kill);
        if let Some(init) = self.init {
            // Everything in its namespace dies with it. Its number is its own until it is reaped.
            let _ = kill(init, Signal::SIGKILL);
            let _ = waitpid(init, None);
            return lived.len();
        }
        loop {
            while waitpid(None, Some(WaitPidFlag::WNOHANG))
                .is_ok_and(|status| status.pid().is_some())
            {}
            let members = find_process_descendants(this);
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
