//! A sandboxed process, controlled through its supervisor's socket.

use std::fs::File;
use std::io::{self, IoSlice, Read as _};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream as UnixLink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::signal::Signal;
use nix::sys::socket::{ControlMessage, MsgFlags, Shutdown, sendmsg, shutdown};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::cgroup::{Counts, ProcessCgroupFreezer, ProcessCgroups};
use crate::command::Command;
use crate::containment_request::Network;
use crate::core_waits::CoreWaits;
use crate::cpu_clock::CpuClock;
use crate::descriptor_link::receive_descriptor;
use crate::error::{Shortage, SpawnError, SupervisorGone};
use crate::leftovers::Leftovers;
use crate::policy::Policy;
use crate::prepare::prepare_setup;
use crate::process_pipes::Pipes;
use crate::process_state::ProcessState;
use crate::process_tree::{ProcessTree, adopt_orphaned_trees, kill_orphaned_trees};
use crate::procfs::read_procfs_stat;
use crate::proxy::Proxy;
use crate::resource_limits;
use crate::resource_limits::{Limits, Overrun};
use crate::resources::remove_resources_after_supervisor;
use crate::sandbox_users::{SandboxUser, SandboxUsers};
use crate::supervisor_child::SupervisorChild;
use crate::supervisor_protocol::{
    LONGEST, StartStage, SupervisorMessage, SupervisorSetup, SupervisorSetupError,
};

/// How much of a first line is read, in bytes: what the system reads of it.
const FIRST_LINE: u64 = 256;
/// The time that processes get to die.
const DEATH: Duration = Duration::from_secs(10);
/// How long to wait for a supervisor before checking whether it was stopped.
const SOON: Duration = Duration::from_secs(1);
/// The time that a process gets to continue after a freeze.
const THAW: Duration = Duration::from_secs(1);

/// A sandboxed process with its descendants. Dropping it kills them.
#[derive(Debug)]
pub struct SandboxedProcess {
    supervisor: SupervisorChild,
    tree: ProcessTree,
    socket: UnixStream,
    /// Bytes from the supervisor after its last complete message.
    received: Vec<u8>,
    /// The setup that the supervisor received.
    setup: SupervisorSetup,
    ended: Option<ExitStatus>,
    /// The limit that the supervisor reported as exceeded, if any.
    exceeded: Option<Overrun>,
    limits: Limits,
    freezer: Option<ProcessCgroupFreezer>,
    groups: ProcessCgroups,
    /// The counts of the control groups at the last [`SandboxedProcess::reset_overruns`].
    before: Counts,
    user: Option<SandboxUser>,
    /// What serves its network, if it has one.
    proxy: Option<Proxy>,
}

impl SandboxedProcess {
    /// Starts the command in a sandbox. The program is running when this returns.
    ///
    /// The calling program must have called [`serve_as_supervisor`](crate::serve_as_supervisor)
    /// first in `main`. Call this in a Tokio runtime with I/O and time enabled. Dropping the future
    /// kills everything that was started.
    pub async fn spawn(command: &Command, policy: &Policy) -> Result<(Self, Pipes), SpawnError> {
        let user = policy.users.as_ref().and_then(SandboxUsers::take);
        let groups = policy.cgroups.for_new_process(&policy.limits);
        let setup = prepare_setup(command, policy, user.as_ref(), &groups)
            .map_err(sandboxed_start_error)?;
        adopt_orphaned_trees();
        let (root, socket) = start_process_supervisor(policy).map_err(sandboxed_start_error)?;
        let mut process = Self {
            supervisor: SupervisorChild::new(root),
            tree: ProcessTree { root, leader: root, init: None },
            socket,
            received: Vec::new(),
            setup,
            ended: None,
            exceeded: None,
            limits: policy.limits,
            freezer: None,
            groups,
            before: Counts::default(),
            user,
            proxy: None,
        };
        let (pipes, proxy) = process.send_setup().await.map_err(sandboxed_start_error)?;
        match process.next_message().await {
            Ok(SupervisorMessage::Started { leader, init }) => {
                process.tree.leader = Pid::from_raw(leader);
                process.tree.init = init.map(Pid::from_raw);
                process.freezer = process.groups.open_freezer();
                if process.setup.network == Network::Proxy {
                    let listener = receive_descriptor(&proxy);
                    let listener = listener.ok_or(SpawnError::SupervisorEnded)?;
                    let proxy =
                        Proxy::serve(listener, &command.network).map_err(sandboxed_start_error)?;
                    process.proxy = Some(proxy);
                }
                Ok((process, pipes))
            }
            Ok(SupervisorMessage::Failed(failed)) => {
                // The supervisor has removed what it created, and exits on its own.
                let _ = timeout(DEATH, process.supervisor.wait()).await;
                Err(process.why_not_started(command, failed))
            }
            Ok(_) | Err(SupervisorGone) => Err(SpawnError::SupervisorEnded),
        }
    }

    fn why_not_started(&self, command: &Command, failed: SupervisorSetupError) -> SpawnError {
        if let Some(shortage) = failed.shortage() {
            return shortage.into();
        }
        let reason = failed.message;
        match failed.stage {
            StartStage::Program => SpawnError::Program {
                program: command.program.clone(),
                reason,
                denied_to: self
                    .user
                    .as_ref()
                    .filter(|_| failed.error == Some(Errno::EACCES as i32))
                    .map(|user| user.id),
                interpreter: (failed.error == Some(Errno::ENOENT as i32))
                    .then(|| find_missing_interpreter(&command.program))
                    .flatten(),
            },
            StartStage::Folder => SpawnError::Replaced { folder: reason.into() },
            StartStage::Sandbox => SpawnError::Sandbox { reason },
        }
    }

    /// Sends the supervisor its setup and the process's ends of the pipes. Returns this process's
    /// ends, and the link on which the listener of a proxy comes.
    async fn send_setup(&mut self) -> io::Result<(Pipes, UnixLink)> {
        let (pipes, theirs) = Pipes::new()?;
        let (proxy, proxy_of_child) = UnixLink::pair()?;
        let mut text = serde_json::to_vec(&self.setup)?;
        text.push(b'\n');
        if text.len() > LONGEST {
            return Err(io::Error::other(format!(
                "its setup takes {}, more than {}: too many files are hidden from it or \
                 shown to it",
                resource_limits::format_bytes(text.len() as u64),
                resource_limits::format_bytes(LONGEST as u64)
            )));
        }
        let [stdin, stdout, stderr] = theirs.each_ref().map(AsRawFd::as_raw_fd);
        let fds = [stdin, stdout, stderr, proxy_of_child.as_raw_fd()];
        let with_pipes = || {
            let fds = [ControlMessage::ScmRights(&fds)];
            let text = [IoSlice::new(&text)];
            let flags = MsgFlags::empty();
            Ok(sendmsg::<()>(self.socket.as_raw_fd(), &text, &fds, flags, None)?)
        };
        let sent = self.socket.async_io(Interest::WRITABLE, with_pipes).await?;
        self.socket.write_all(&text[sent..]).await?;
        Ok((pipes, proxy))
    }

    /// Forgets which limits were exceeded: [`overrun`](Self::overrun) reports only later ones.
    pub fn reset_overruns(&mut self) {
        self.before = self.groups.counts();
    }

    /// The limit that was exceeded since the start or the last
    /// [`reset_overruns`](Self::reset_overruns), if any.
    pub fn overrun(&self) -> Option<Overrun> {
        let limits = &self.limits;
        let counts = self.groups.counts();
        if counts.killed_for_memory > self.before.killed_for_memory {
            let peak = self.groups.memory_peak().unwrap_or(limits.memory);
            return Some(Overrun::Memory { peak, limit: limits.memory });
        }
        if self.exceeded.is_some() {
            return self.exceeded;
        }
        if self.ended.and_then(|status| status.signal()) == Some(nix::libc::SIGXFSZ) {
            return Some(Overrun::FileSize { limit: limits.file_size });
        }
        (counts.refused_processes > self.before.refused_processes)
            .then_some(Overrun::Processes { limit: limits.processes })
    }

    /// Whether a control group killed one of the processes because memory ran out.
    pub(crate) fn was_killed_for_memory(&self) -> bool {
        self.groups.counts().killed_for_memory > 0
    }

    /// Stops the process and its descendants until [`thaw`](Self::thaw). Returns whether it had to
    /// search for descendants, one by one, and found some.
    pub fn freeze(&mut self) -> bool {
        self.pause_proxy(true);
        match &self.freezer {
            Some(freezer) if freezer.freeze() => false,
            _ => self.tree.stop(),
        }
    }

    /// Lets the process and its descendants continue, and waits until they do.
    pub async fn thaw(&mut self) {
        self.pause_proxy(false);
        if let Some(freezer) = &self.freezer
            && timeout(THAW, freezer.thaw()).await == Ok(true)
        {
            return;
        }
        self.tree.resume();
    }

    fn pause_proxy(&self, is_paused: bool) {
        if let Some(proxy) = &self.proxy {
            proxy.pause(is_paused);
        }
    }

    /// Tests whether its control group can freeze and thaw it.
    pub(crate) async fn can_freeze(&mut self) -> bool {
        self.freeze();
        match &self.freezer {
            Some(freezer) => freezer.wait_until_frozen().await && freezer.thaw().await,
            None => false,
        }
    }

    /// A clock of the CPU time of the process and its descendants.
    pub fn cpu_clock(&self) -> CpuClock {
        CpuClock::new(self.groups.open_cpu_file(), self.tree)
    }

    /// How long each thread of the process and its descendants has waited for a core so far.
    pub fn core_waits(&self) -> CoreWaits {
        self.tree.core_waits()
    }

    /// What the process and its descendants are doing now.
    pub fn state(&self) -> ProcessState {
        ProcessState::observe(self.tree.leader, &self.tree.members())
    }

    /// The peak resident memory of the process and of each living descendant, added up, in bytes.
    /// `None` if the system does not provide it.
    pub fn peak_memory(&self) -> Option<u64> {
        self.tree.peak_memory()
    }

    /// Sends the signal with this number to the process itself, not to its descendants.
    pub fn signal(&self, signal: i32) {
        self.tree.signal_leader(signal);
    }

    /// Waits until the process itself has ended; its descendants may live on. It is cancel-safe,
    /// and can be called again.
    pub async fn wait(&mut self) -> Result<ExitStatus, SupervisorGone> {
        loop {
            if let Some(status) = self.ended {
                return Ok(status);
            }
            let message = self.next_message().await?;
            self.record_message(&message);
        }
    }

    /// Kills the process and all its descendants, waits until they are gone, and removes what was
    /// created for them. Returns what they left behind. If the supervisor was killed, the result
    /// contains only what can still be found.
    pub async fn kill(&mut self) -> Leftovers {
        self.proxy = None;
        self.wake_supervisor();
        // A supervisor that is gone has killed everything already.
        let _ = self.socket.write_all(b"k").await;
        let mut gone = timeout(SOON, self.wait_until_gone()).await;
        let is_stopped = || read_procfs_stat(self.tree.root).is_some_and(|stat| stat.state == 'T');
        if gone.is_err() && !is_stopped() {
            gone = timeout(DEATH, self.wait_until_gone()).await;
        }
        let done = gone.ok().flatten();
        if done.is_none() {
            // Even a stopped supervisor cannot resist this signal.
            self.supervisor.signal(Signal::SIGKILL);
        }
        let _ = timeout(DEATH, self.supervisor.wait()).await;
        done.unwrap_or_else(|| self.clean_up())
    }

    /// Waits until the supervisor has killed everything; `None` if the supervisor is gone.
    async fn wait_until_gone(&mut self) -> Option<Leftovers> {
        loop {
            match self.next_message().await {
                Ok(SupervisorMessage::Gone(leftovers)) => return Some(leftovers),
                Ok(message) => self.record_message(&message),
                Err(SupervisorGone) => return None,
            }
        }
    }

    /// Wakes the supervisor: a process without containment can stop it. Call this before waiting
    /// for the supervisor, for example for the end of the process.
    pub fn wake_supervisor(&self) {
        self.supervisor.signal(Signal::SIGCONT);
    }

    /// Cleans up after a supervisor that was killed.
    fn clean_up(&self) -> Leftovers {
        self.groups.kill();
        let processes = kill_orphaned_trees(DEATH);
        Leftovers { processes, scratch: remove_resources_after_supervisor(&self.setup) }
    }

    fn record_message(&mut self, message: &SupervisorMessage) {
        match *message {
            SupervisorMessage::Exited { status } => self.ended = Some(ExitStatus::from_raw(status)),
            SupervisorMessage::Exceeded(overrun) => self.exceeded = Some(overrun),
            _ => {}
        }
    }

    /// The supervisor's next message. It is cancel-safe, and can be called again.
    async fn next_message(&mut self) -> Result<SupervisorMessage, SupervisorGone> {
        loop {
            if let Some(end) = self.received.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                return serde_json::from_slice(&line).map_err(|_| SupervisorGone);
            }
            match self.socket.read_buf(&mut self.received).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(SupervisorGone),
            }
        }
    }
}

impl Drop for SandboxedProcess {
    /// An abandoned process is gone when this returns, even if it was still starting. Its
    /// supervisor kills it when the socket closes, and this waits for the supervisor.
    fn drop(&mut self) {
        // If the socket is closed already, the supervisor knows.
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Both);
        self.wake_supervisor();
        self.supervisor.wait_blocking(DEATH);
    }
}

/// The error of a start that failed before the supervisor got its setup.
fn sandboxed_start_error(error: io::Error) -> SpawnError {
    match Shortage::from_error("start a supervisor", &error) {
        Some(shortage) => shortage.into(),
        None => SpawnError::Supervisor(error),
    }
}

/// The interpreter that the first line of a script names, as the system reads it: up to a blank or
/// the end of the line, with the carriage return of Windows.
fn find_missing_interpreter(script: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    // What its author puts in its place meanwhile is not waited for.
    let file = File::options().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(script);
    file.ok()?.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t'));
    words.find(|word| !word.is_empty()).map(<[u8]>::to_vec)
}

/// Starts the supervisor, which waits for its setup.
fn start_process_supervisor(policy: &Policy) -> io::Result<(Pid, UnixStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let ours = UnixStream::from_std(ours)?;
    Ok((policy.launcher.start_supervisor(&theirs)?, ours))
}
