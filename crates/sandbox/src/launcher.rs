//! The launcher: one small process that forks a supervisor whenever the caller needs one.
//!
//! Executing a program anew costs milliseconds: its file is mapped and relocated each time. Forking
//! a small process with one thread costs a fraction of one. So the caller executes itself only
//! once, as the launcher, which then forks. A forked supervisor is a child of the caller and not of
//! the launcher, and it runs on the cores of the thread that asked for it.

#![expect(unsafe_code, reason = "descriptors that come through a socket")]

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::{CloneFlags, sched_getaffinity, sched_setaffinity};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, recv,
    recvmsg, send, sendmsg, socketpair,
};
use nix::unistd::{ForkResult, Pid, setpgid};

use crate::command::THIS_PROGRAM;
use crate::error::ScopeError;
use crate::fork::fork_with_flags;
use crate::machine_settings::machine_settings;
use crate::supervisor_protocol::SUPERVISOR;
use crate::systemd::systemd_scope_command;

/// The calling process or thread, as an argument of a system call.
const THIS: Pid = Pid::from_raw(0);

/// The time that systemd gets to make a scope, and the launcher to start.
const PATIENCE: Duration = Duration::from_secs(20);

/// The launcher's first message.
const READY: i32 = 0;

/// The maximum length of an error message from systemd, in bytes.
const LONGEST: u64 = 1000;

/// Starts supervisors. Dropping it ends the launcher, but not the supervisors.
#[derive(Debug, Default)]
pub(crate) struct SupervisorLauncher {
    /// The launcher, from the first start on.
    running: Mutex<Option<RunningLauncher>>,
}

impl SupervisorLauncher {
    /// Starts a launcher in a delegated control group of its own, from systemd. Its supervisors
    /// start there.
    pub(crate) fn in_new_scope() -> Result<Self, ScopeError> {
        let mut command = systemd_scope_command()?;
        command.stderr(Stdio::piped());
        let mut launcher = RunningLauncher::spawn(command)
            .map_err(|error| ScopeError::Refused(error.to_string()))?;
        let ready = launcher.wait_until_ready();
        let said = launcher.process.stderr.take();
        if let Err(error) = ready {
            let _ = launcher.process.kill();
            let mut text = String::new();
            let _ = said.map(|said| said.take(LONGEST).read_to_string(&mut text));
            let text = text.trim();
            let text = if text.is_empty() { error.to_string() } else { text.to_owned() };
            return Err(ScopeError::Refused(text));
        }
        Ok(Self { running: Mutex::new(Some(launcher)) })
    }

    /// The process of the launcher, if it has been started.
    pub(crate) fn pid(&self) -> Option<Pid> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.as_ref().map(|launcher| Pid::from_raw(launcher.process.id().cast_signed()))
    }

    /// Starts a supervisor that serves the other end of `socket`, as a child of this process.
    pub(crate) fn start_supervisor(&self, socket: &UnixStream) -> io::Result<Pid> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running_one = running.as_ref().map(|launcher| launcher.fork(socket));
        let answer = if let Some(Ok(answer)) = running_one {
            answer
        } else {
            // It has not been started yet, or an uncontained process has killed it.
            *running = None;
            running.insert(RunningLauncher::start()?).fork(socket)?
        };
        let supervisor = answer?;
        // If the system refuses, it runs on the cores of the launcher.
        let _ = sched_getaffinity(THIS).and_then(|cores| sched_setaffinity(supervisor, &cores));
        Ok(supervisor)
    }
}

/// The caller's side of a launcher.
#[derive(Debug)]
struct RunningLauncher {
    process: Child,
    /// Each message arrives as a whole.
    socket: OwnedFd,
}

impl RunningLauncher {
    /// Starts it in the control group of this process.
    fn start() -> io::Result<Self> {
        let mut command = Command::new(THIS_PROGRAM);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let launcher = Self::spawn(command)?;
        launcher.wait_until_ready()?;
        Ok(launcher)
    }

    /// Starts it by a command that executes this program.
    fn spawn(mut command: Command) -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
        let process =
            command.arg(SUPERVISOR).stdin(Stdio::from(theirs)).process_group(0).spawn()?;
        Ok(Self { process, socket: ours })
    }

    fn wait_until_ready(&self) -> nix::Result<()> {
        let mut watched = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        let patience = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::MAX);
        loop {
            match poll(&mut watched, patience) {
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error),
                Ok(0) => return Err(Errno::ETIMEDOUT),
                Ok(_) => return self.answer().map(drop),
            }
        }
    }

    /// Asks the launcher for a supervisor. Fails if the launcher is gone; the inner result is that
    /// of its fork.
    fn fork(&self, socket: &UnixStream) -> nix::Result<nix::Result<Pid>> {
        // An uncontained process may have stopped it.
        let _ = kill(Pid::from_raw(self.process.id().cast_signed()), Signal::SIGCONT);
        let fds = [socket.as_raw_fd()];
        let fds = [ControlMessage::ScmRights(&fds)];
        let flags = MsgFlags::MSG_NOSIGNAL;
        // Descriptors need at least one byte to travel with.
        sendmsg::<()>(self.socket.as_raw_fd(), &[IoSlice::new(b"s")], &fds, flags, None)?;
        Ok(match self.answer()? {
            pid @ 1.. => Ok(Pid::from_raw(pid)),
            errno => Err(Errno::from_raw(-errno)),
        })
    }

    /// The launcher's next message.
    fn answer(&self) -> nix::Result<i32> {
        let mut answer = [0; size_of::<i32>()];
        let received = loop {
            match recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty()) {
                // A signal says nothing about the launcher, which may have forked already.
                Err(Errno::EINTR) => {}
                received => break received?,
            }
        };
        if received == 0 { Err(Errno::EPIPE) } else { Ok(i32::from_ne_bytes(answer)) }
    }
}

impl Drop for RunningLauncher {
    fn drop(&mut self) {
        // Both only fail if it is gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs as the launcher, until its caller is gone. In each forked process it returns what
/// `supervise` returns.
pub(crate) fn run_launcher(supervise: fn(&UnixStream) -> ExitCode) -> ExitCode {
    // Every supervisor needs them, and a fork has what this process has found.
    let _ = machine_settings();
    let Ok(socket) = take_launcher_socket() else { return ExitCode::FAILURE };
    if send_launcher_answer(&socket, READY).is_err() {
        return ExitCode::FAILURE;
    }
    while let Some(given) = receive_launch_request(&socket) {
        let answer = match fork_with_flags(CloneFlags::CLONE_PARENT) {
            Ok(ForkResult::Parent { child }) => child.as_raw(),
            Ok(ForkResult::Child) => {
                drop(socket);
                // As the launcher, it must not get the signals of the caller's terminal.
                let _ = setpgid(THIS, THIS);
                return supervise(&given);
            }
            Err(error) => -(error as i32),
        };
        if send_launcher_answer(&socket, answer).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

fn send_launcher_answer(socket: &OwnedFd, answer: i32) -> nix::Result<usize> {
    send(socket.as_raw_fd(), &answer.to_ne_bytes(), MsgFlags::MSG_NOSIGNAL)
}

/// The socket on this process's stdin. Its standard descriptors become empty.
fn take_launcher_socket() -> io::Result<OwnedFd> {
    let socket = io::stdin().as_fd().try_clone_to_owned()?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&nothing)?;
    nix::unistd::dup2_stdout(&nothing)?;
    nix::unistd::dup2_stderr(&nothing)?;
    Ok(socket)
}

/// The next socket to serve; `None` at the end.
fn receive_launch_request(socket: &OwnedFd) -> Option<UnixStream> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([i32; 1]);
    let mut parts = [IoSliceMut::new(&mut byte)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags).ok()?;
    let given = message.cmsgs().ok()?.find_map(|part| match part {
        ControlMessageOwned::ScmRights(numbers) => numbers.first().copied(),
        _ => None,
    })?;
    // SAFETY: the kernel has just opened it for this process, and no one else knows its number.
    let given = unsafe { OwnedFd::from_raw_fd(given) };
    Some(UnixStream::from(given))
}
