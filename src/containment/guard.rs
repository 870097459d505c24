//! The guard: a small process with one thread between the referee and one player.

#![expect(unsafe_code, reason = "fork and clone of a process with one thread")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, IoSliceMut, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getegid, geteuid};

use super::look::Look;
use super::made::Made;
use super::spec::{Failed, LONGEST, Message, Spec};
use super::{Leavings, Overrun, THIS_PROGRAM, cgroup, enter, init, mounts, tree};

/// How often what the system does not bound is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Guards one player until it is gone.
pub(super) fn serve() -> ExitCode {
    match receive().and_then(|(socket, order)| guard(&socket, order)) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody is left who could be told.
        Err(_) => ExitCode::FAILURE,
    }
}

/// What the guard was given.
pub(super) struct Order {
    pub(super) spec: Spec,
    /// The player's stdin, stdout and stderr.
    pub(super) pipes: [OwnedFd; 3],
    /// The user and the group of this process.
    pub(super) ids: (u32, u32),
    /// The program of this process, where it is also the player's.
    pub(super) this: Option<File>,
}

impl Order {
    /// The pipes become the player's own, or it could not open them by name, as `/dev/stdout`.
    fn give_pipes(&self) -> Result<(), Failed> {
        let Some(user) = self.spec.user else { return Ok(()) };
        self.pipes.iter().try_for_each(|pipe| {
            std::os::unix::fs::fchown(pipe, Some(user), Some(user))
                .map_err(|error| Failed::setting_up("its pipes", &error))
        })
    }
}

/// Takes the specification and the pipes from the socket that is this process's stdin.
fn receive() -> io::Result<(UnixStream, Order)> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    nix::unistd::dup2_stdin(File::open("/dev/null")?)?;
    let mut text = vec![0; 64 * 1024];
    let mut space = nix::cmsg_space!([i32; 3]);
    let (read, mut fds) = {
        let mut parts = [IoSliceMut::new(&mut text)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let mut fds = Vec::new();
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(numbers) = part {
                // SAFETY: the kernel has just opened these for this process, and nobody else
                // knows their numbers.
                fds.extend(numbers.iter().map(|&fd| unsafe { OwnedFd::from_raw_fd(fd) }));
            }
        }
        (message.bytes, fds.into_iter())
    };
    text.truncate(read);
    let mut chunk = vec![0; 64 * 1024];
    while !text.ends_with(b"\n") && text.len() < LONGEST {
        match (&socket).read(&mut chunk)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => text.extend_from_slice(&chunk[..count]),
        }
    }
    let spec: Spec = serde_json::from_slice(&text)?;
    let this = spec.is_this_program().then(|| File::open(THIS_PROGRAM)).transpose()?;
    let (Some(stdin), Some(stdout), Some(stderr)) = (fds.next(), fds.next(), fds.next()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let ids = (geteuid().as_raw(), getegid().as_raw());
    Ok((socket, Order { spec, pipes: [stdin, stdout, stderr], ids, this }))
}

/// Writes one message to the referee.
pub(super) fn say(mut socket: &UnixStream, message: &Message) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// Sets up the box, starts the player in it, and stays until it is gone; then removes what was
/// made for it.
fn guard(socket: &UnixStream, order: Order) -> io::Result<()> {
    let spec = order.spec.clone();
    let mut made = Made::default();
    let started = made
        .make(&order)
        .and_then(|()| order.give_pipes())
        .and_then(|()| start(socket, order, &made.groups));
    let end = match started {
        Ok(mut guard) => guard.watch(socket, &made.groups, &spec),
        Err(failed) => say(socket, &Message::Failed(failed)).map(|()| Told::Nothing),
    };
    let stays = made.remove(&spec, matches!(end, Ok(Told::RefereeIsGone)));
    match end? {
        Told::Nothing | Told::RefereeIsGone => Ok(()),
        Told::ToKill { left } => say(socket, &Message::Gone(Leavings { processes: left, stays })),
    }
}

/// Why a guard ends.
enum Told {
    /// The player was never started, and the referee knows.
    Nothing,
    /// There is nobody left to tell.
    RefereeIsGone,
    /// The referee said so; `left` processes besides the player's first were alive.
    ToKill { left: usize },
}

/// A running player.
struct Guard {
    signals: SignalFd,
    /// The process to be killed with everything in its namespace, in a box.
    init: Option<Pid>,
    leader: Pid,
    /// What has to be looked at, and when that was done.
    look: Option<Look>,
    looked: Instant,
    /// The limit that it was over, if it was.
    over: Option<Overrun>,
    /// Closed when the guard is: the init waits for it before it reaps anything.
    go: OwnedFd,
}

/// Starts the player; what fails in its own process comes back through a pipe that the exec
/// closes.
fn start(socket: &UnixStream, order: Order, groups: &[cgroup::Joined]) -> Result<Guard, Failed> {
    let failed = |error: Errno| Failed::setting_up("its guard", &error);
    nix::sys::prctl::set_child_subreaper(true).map_err(failed)?;
    let mut child = SigSet::empty();
    child.add(Signal::SIGCHLD);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&child), None).map_err(failed)?;
    let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
    let signals = SignalFd::with_flags(&child, flags).map_err(failed)?;
    let (report, reporter) = pipe()?;
    let (ready, go) = pipe()?;
    let pid = if order.spec.has(super::Mechanism::Namespaces) {
        let boxed = init::clone(&order.spec);
        match boxed.map_err(|error| Failed::setting_up("its namespaces", &error))? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report));
                init::live(socket, order, groups, reporter, &ready)
            }
        }
    } else {
        // SAFETY: this process has one thread, so the child may do all that the parent may.
        match unsafe { fork() }.map_err(failed)? {
            ForkResult::Parent { child } => child,
            ForkResult::Child => {
                drop((go, report));
                enter::leader(&order, groups, reporter)
            }
        }
    };
    let boxed = order.spec.has(super::Mechanism::Namespaces);
    let look = Look::at(&order.spec);
    drop((order, reporter, ready));
    let init = boxed.then_some(pid);
    let guard = Guard { signals, init, leader: pid, look, looked: Instant::now(), over: None, go };
    guard.started(socket, report)
}

/// A pipe that no program inherits.
fn pipe() -> Result<(OwnedFd, OwnedFd), Failed> {
    nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)
        .map_err(|error| Failed::setting_up("its guard", &error))
}

impl Guard {
    /// Waits until the player's program runs, and says so.
    fn started(mut self, socket: &UnixStream, report: OwnedFd) -> Result<Self, Failed> {
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
                .unwrap_or_else(|error| Failed::setting_up("its guard", &error)));
        }
        if let Some(init) = self.init {
            // The init reaps nothing before it is told to: its child is there.
            self.leader = tree::children(init).first().copied().ok_or_else(|| {
                Failed::setting_up(
                    "the first process of its box",
                    &io::Error::other("it is not there"),
                )
            })?;
        }
        let init = self.init.map(Pid::as_raw);
        let started = Message::Started { leader: self.leader.as_raw(), init };
        // Without a referee the socket shows its end at once.
        let _ = say(socket, &started);
        let _ = nix::unistd::write(&self.go, b"g");
        Ok(self)
    }

    /// Reaps and reports until the referee says that it is over, or is gone.
    fn watch(
        &mut self,
        mut socket: &UnixStream,
        groups: &[cgroup::Joined],
        spec: &Spec,
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
                self.reap(socket, spec);
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
        let _ = say(socket, &Message::Overran(over));
        for member in members {
            member.signal(tree::Signal::KILL);
        }
    }

    /// The player's processes.
    fn members(&self) -> Vec<tree::Member> {
        let mut members = tree::members(Pid::this());
        members.retain(|member| Some(member.pid) != self.init);
        members
    }

    /// Reaps whatever is dead, and reports the end of the leader. That of a box comes from its
    /// init.
    fn reap(&mut self, socket: &UnixStream, spec: &Spec) {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            let Some(pid) = status.pid() else { break };
            if self.init.is_none() && pid == self.leader {
                self.look(socket);
                let dir = spec.scratch.as_ref().filter(|_| spec.has_mounts_alone());
                if let Some(full) =
                    dir.and_then(|dir| mounts::full_scratch(dir, spec.limits.scratch))
                {
                    let _ = say(socket, &Message::Overran(full));
                }
                let _ = say(socket, &Message::Exited { status: raw(status) });
            }
            if self.init == Some(pid) {
                // The box went down with everything in it: the referee sees that no end of the
                // leader was reported.
                let _ = socket.shutdown(std::net::Shutdown::Write);
            }
        }
    }

    /// Kills every process of the player; how many lived besides its first.
    fn kill_all(&mut self, groups: &[cgroup::Joined]) -> usize {
        let this = Pid::this();
        let mut lived = BTreeSet::new();
        let mut note = |members: &[tree::Member], guard: &Self| {
            let others = members.iter().filter(|member| {
                member.pid != guard.leader && Some(member.pid) != guard.init && !member.is_dead()
            });
            lived.extend(others.map(|member| member.pid.as_raw()));
        };
        note(&tree::members(this), self);
        groups.iter().for_each(cgroup::Joined::kill);
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
            let members = tree::members(this);
            note(&members, self);
            for member in &members {
                member.signal(tree::Signal::KILL);
            }
            if waitpid(None, None) == Err(Errno::ECHILD) {
                return lived.len();
            }
        }
    }
}

/// A wait status as the kernel gives it.
pub(super) fn raw(status: WaitStatus) -> i32 {
    match status {
        WaitStatus::Exited(_, code) => (code & 0xff) << 8,
        WaitStatus::Signaled(_, signal, dumped) => signal as i32 | if dumped { 0x80 } else { 0 },
        _ => 0,
    }
}
