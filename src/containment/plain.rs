//! A player's process on systems that contain nothing: a child in a process group of its own.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::{Lack, Leavings, NotStarted, Overrun, Policy, REFEREE};
use crate::model::fault::{Fault, FaultCode};
use crate::player::Launch;

/// How long a player's process may take to die.
const DEATH: Duration = Duration::from_secs(10);

/// The referee's ends of a player's stdin, stdout and stderr.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: pipe::Sender,
    pub(crate) stdout: pipe::Receiver,
    pub(crate) stderr: pipe::Receiver,
}

/// Nobody knows what became of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

/// A running player.
#[derive(Debug)]
pub(crate) struct Held {
    child: Child,
    leader: Pid,
}

impl Held {
    /// Starts a player.
    pub(crate) async fn start(launch: &Launch, _: &Policy) -> Result<(Self, Pipes), NotStarted> {
        let (child, pipes) = spawn(launch).map_err(|error| {
            let fault = || {
                let message = format!("{} cannot be run: {error}", launch.program.display());
                NotStarted::Fault(Fault::new(FaultCode::NoStart, message))
            };
            Lack::of("start a player", &error).map_or_else(fault, NotStarted::Lack)
        })?;
        let leader = Pid::from_raw(child.id().unwrap_or_default().cast_signed());
        Ok((Self { child, leader }, pipes))
    }

    /// Its CPU time.
    pub(crate) fn clock(&self) -> Clock {
        Clock { tree: self.tree() }
    }

    /// Its processes.
    pub(crate) fn tree(&self) -> Tree {
        Tree { leader: self.leader }
    }

    /// There is no guard here.
    pub(crate) fn wake_guard(&self) {}

    /// Nothing is counted here.
    pub(crate) fn begin_game(&mut self) {}

    /// The limit that the player ran into, if any: none is in force.
    pub(crate) fn overrun(&self) -> Option<Overrun> {
        None
    }

    /// Stops all its processes until [`thaw`](Self::thaw).
    pub(crate) fn freeze(&mut self) {
        let _ = killpg(self.leader, Signal::SIGSTOP);
    }

    /// Lets all its processes go on.
    pub(crate) async fn thaw(&mut self) {
        let _ = killpg(self.leader, Signal::SIGCONT);
    }

    /// Waits until the player's first process has ended. May be given up and called again.
    pub(crate) async fn wait(&mut self) -> Result<ExitStatus, Lost> {
        self.child.wait().await.map_err(|_| Lost)
    }

    /// Kills the player's process group and reaps its first process.
    pub(crate) async fn kill(&mut self) -> Leavings {
        let _ = killpg(self.leader, Signal::SIGKILL);
        let _ = timeout(DEATH, self.child.wait()).await;
        Leavings::default()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = killpg(self.leader, Signal::SIGKILL);
    }
}

/// The CPU time of a player.
#[derive(Debug)]
pub(crate) struct Clock {
    tree: Tree,
}

impl Clock {
    /// This system does not tell.
    pub(crate) fn exact(&self) -> Option<Duration> {
        None
    }

    /// Its processes.
    pub(crate) fn tree(&self) -> Tree {
        self.tree
    }
}

/// The processes of a player.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    leader: Pid,
}

impl Tree {
    /// The player's first process.
    pub(crate) fn leader(&self) -> Pid {
        self.leader
    }

    /// Asks its first process, which must know what is meant, to say where it is and to end.
    pub(crate) fn ask_where(&self) {
        let _ = kill(self.leader, Signal::SIGUSR1);
    }

    /// This system does not tell.
    pub(crate) fn leader_cpu(&self) -> Option<Duration> {
        None
    }

    /// The memory of its processes: not told here.
    pub(crate) fn memory(&self) -> Option<u64> {
        None
    }

    /// This system does not tell.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        None
    }
}

fn spawn(launch: &Launch) -> io::Result<(Child, Pipes)> {
    let (stdin, to) = io::pipe()?;
    let (from, stdout) = io::pipe()?;
    let (errors, stderr) = io::pipe()?;
    let pipes = Pipes {
        stdin: pipe::Sender::from_owned_fd(to.into())?,
        stdout: pipe::Receiver::from_owned_fd(from.into())?,
        stderr: pipe::Receiver::from_owned_fd(errors.into())?,
    };
    let child = Command::new(&launch.program)
        .args(&launch.args)
        .current_dir(&launch.dir)
        .envs(launch.rules.iter().map(|program| (REFEREE, program)))
        .envs(&launch.env)
        .stdin(Stdio::from(OwnedFd::from(stdin)))
        .stdout(Stdio::from(OwnedFd::from(stdout)))
        .stderr(Stdio::from(OwnedFd::from(stderr)))
        .process_group(0)
        .spawn()?;
    Ok((child, pipes))
}
