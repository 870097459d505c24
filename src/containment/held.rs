//! A player's process as the referee holds it: by the socket of its guard.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::socket::{ControlMessage, MsgFlags, Shutdown, sendmsg, shutdown};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::cgroup::{CpuFile, Freezer, Groups};
use super::spec::{Message, Spec, Stage};
use super::users::User;
use super::{
    GUARD, Level, Limits, Mechanism, Overrun, Policy, THIS_PROGRAM, mounts, runtime, tree,
};
use crate::fault::{Fault, FaultCode};
use crate::player::Launch;

/// How long a player's processes may take to die.
const DEATH: Duration = Duration::from_secs(10);
/// How long a player may take to go on after it was frozen.
const THAW: Duration = Duration::from_secs(1);
/// How long a player that does nothing may take to start and end.
const TRIAL: Duration = Duration::from_secs(10);

/// The referee's ends of a player's stdin, stdout and stderr.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: pipe::Sender,
    pub(crate) stdout: pipe::Receiver,
    pub(crate) stderr: pipe::Receiver,
}

/// The guard of a player is gone, and nobody knows what became of the player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lost;

/// A running player. When this is dropped its guard kills the player.
#[derive(Debug)]
pub(crate) struct Held {
    guard: Child,
    root: Pid,
    socket: UnixStream,
    /// What the guard said that was not understood yet.
    said: Vec<u8>,
    leader: Pid,
    init: Option<Pid>,
    ended: Option<ExitStatus>,
    /// How its scratch folder was full in the end, if it was.
    full: Option<Overrun>,
    limits: Limits,
    freezer: Option<Freezer>,
    groups: Groups,
    user: Option<User>,
}

impl Held {
    /// Starts a player in its box.
    pub(crate) async fn start(launch: &Launch, policy: &Policy) -> Result<(Self, Pipes), Fault> {
        let broken = |error: io::Error| {
            Fault::new(FaultCode::Containment, format!("its guard cannot be started: {error}"))
        };
        let user = policy.users.as_ref().and_then(super::users::Users::take);
        let groups = policy.places.of_player(&policy.limits);
        let spec = spec(launch, policy, user.as_ref(), &groups);
        let (guard, socket, pipes) = start_guard(&spec).map_err(broken)?;
        let root = Pid::from_raw(guard.id().unwrap_or_default().cast_signed());
        let mut held = Self {
            guard,
            root,
            socket,
            said: Vec::new(),
            leader: root,
            init: None,
            ended: None,
            full: None,
            limits: policy.limits,
            freezer: None,
            groups,
            user,
        };
        match held.next_message().await {
            Ok(Message::Started { leader, init }) => {
                held.leader = Pid::from_raw(leader);
                held.init = init.map(Pid::from_raw);
                held.freezer = held.groups.freezer();
                Ok((held, pipes))
            }
            Ok(Message::Failed(failed)) => {
                // The guard has tidied up and goes by itself.
                let _ = timeout(DEATH, held.guard.wait()).await;
                let program = launch.program.display();
                let as_whom = match &held.user {
                    Some(user) if failed.message.contains("Permission denied") => format!(
                        "; it is run as a user of its own ({}), who must be allowed to read it: \
                         `chmod -R go+rX` its folder, or run the referee as an ordinary user",
                        user.id
                    ),
                    _ => String::new(),
                };
                Err(match failed.stage {
                    Stage::Program => Fault::new(
                        FaultCode::NoStart,
                        format!("{program} cannot be run: {}{as_whom}", failed.message),
                    ),
                    Stage::Box => Fault::new(
                        FaultCode::Containment,
                        format!("its box cannot be set up: {}", failed.message),
                    ),
                })
            }
            Ok(_) | Err(Lost) => Err(Fault::new(
                FaultCode::Containment,
                "its guard ended before the player was started",
            )),
        }
    }

    /// The limit that the player ran into, if any.
    pub(crate) fn overrun(&self) -> Option<Overrun> {
        let limits = &self.limits;
        if self.groups.killed_for_memory() > 0 {
            let peak = self.groups.memory_peak().unwrap_or(limits.memory);
            return Some(Overrun::Memory { peak, limit: limits.memory });
        }
        if self.full.is_some() {
            return self.full;
        }
        if self.ended.and_then(|status| status.signal()) == Some(nix::libc::SIGXFSZ) {
            return Some(Overrun::FileSize { limit: limits.file_size });
        }
        (self.groups.refused_processes() > 0)
            .then_some(Overrun::Processes { limit: limits.processes })
    }

    /// Stops all its processes until [`thaw`](Self::thaw).
    pub(crate) fn freeze(&mut self) {
        match &self.freezer {
            Some(freezer) if freezer.freeze() => {}
            _ => self.tree().stop(),
        }
    }

    /// Lets all its processes go on, and waits until they do.
    pub(crate) async fn thaw(&mut self) {
        if let Some(freezer) = &self.freezer
            && timeout(THAW, freezer.thaw()).await == Ok(true)
        {
            return;
        }
        self.tree().resume();
    }

    /// Its CPU time.
    pub(crate) fn clock(&self) -> Clock {
        Clock { group: self.groups.cpu(), tree: self.tree() }
    }

    /// Its processes.
    pub(crate) fn tree(&self) -> Tree {
        Tree { root: self.root, leader: self.leader, init: self.init }
    }

    /// Waits until the player's first process has ended. May be given up and called again.
    pub(crate) async fn wait(&mut self) -> Result<ExitStatus, Lost> {
        loop {
            if let Some(status) = self.ended {
                return Ok(status);
            }
            let message = self.next_message().await?;
            self.note_end(&message);
        }
    }

    /// Kills every process of the player and waits until nothing is left of it. Says how many
    /// lived besides the first; `None` when that could not be known.
    pub(crate) async fn kill(&mut self) -> Option<usize> {
        // A guard that is gone has killed everything already.
        let _ = self.socket.write_all(b"k").await;
        let gone = async {
            loop {
                match self.next_message().await {
                    Ok(Message::Gone(left)) => break Some(left),
                    Ok(message) => self.note_end(&message),
                    Err(Lost) => break None,
                }
            }
        };
        let left = timeout(DEATH, gone).await.ok().flatten();
        let _ = timeout(DEATH, self.guard.wait()).await;
        left
    }

    fn note_end(&mut self, message: &Message) {
        if let Message::Exited { status, full } = *message {
            self.ended = Some(ExitStatus::from_raw(status));
            self.full = full;
        }
    }

    /// The next message of the guard. May be given up and called again.
    async fn next_message(&mut self) -> Result<Message, Lost> {
        loop {
            if let Some(end) = self.said.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.said.drain(..=end).collect();
                return serde_json::from_slice(&line).map_err(|_| Lost);
            }
            match self.socket.read_buf(&mut self.said).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(Lost),
            }
        }
    }
}

impl Drop for Held {
    /// A player that is given up, perhaps while it was starting, is gone when this returns: its
    /// guard kills it at the end of the socket, and is waited for.
    fn drop(&mut self) {
        let Some(id) = self.guard.id() else { return };
        // A socket that is closed already has told the guard.
        let _ = shutdown(self.socket.as_raw_fd(), Shutdown::Both);
        tree::wait_for_end(Pid::from_raw(id.cast_signed()), DEATH);
    }
}

/// The CPU time of a player.
#[derive(Debug)]
pub(crate) struct Clock {
    group: Option<CpuFile>,
    tree: Tree,
}

impl Clock {
    /// All of it, where the system counts it; nothing can be hidden from that.
    pub(crate) fn exact(&self) -> Option<Duration> {
        self.group.as_ref()?.read()
    }

    /// Its processes, where it has to be summed.
    pub(crate) fn tree(&self) -> Tree {
        self.tree
    }
}

/// The processes of a player, to be looked at and stopped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    root: Pid,
    leader: Pid,
    init: Option<Pid>,
}

impl Tree {
    /// The player's first process.
    pub(crate) fn leader(&self) -> Pid {
        self.leader
    }

    /// CPU time used by the player's first process alone, cheaply.
    pub(crate) fn leader_cpu(&self) -> Option<Duration> {
        tree::cpu_of(self.leader)
    }

    /// CPU time of its living processes, and of the dead ones that somebody waited for. A lower
    /// bound.
    #[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
    pub(crate) fn cpu(&self) -> Option<Duration> {
        let keepers = [Some(self.root), self.init].into_iter().flatten();
        let waited: Duration = keepers.map(tree::waited_for).sum();
        let members = self.members().into_iter().map(|member| {
            tree::cpu_of(member.pid).unwrap_or_default() + tree::waited_for(member.pid)
        });
        Some(members.sum::<Duration>() + waited)
    }

    /// The most resident memory that each of its living processes has held, added up, in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        let peaks = self.members().into_iter().filter_map(|member| tree::peak_memory(member.pid));
        Some(peaks.sum::<u64>()).filter(|&bytes| bytes > 0)
    }

    /// Stops each of its processes.
    pub(crate) fn stop(&self) {
        self.signal(tree::Signal::STOP);
    }

    /// Lets each of its processes go on.
    pub(crate) fn resume(&self) {
        self.signal(tree::Signal::CONT);
    }

    fn signal(&self, signal: tree::Signal) {
        for member in self.members() {
            member.signal(signal);
        }
    }

    fn members(&self) -> Vec<tree::Member> {
        let mut members = tree::members(self.root);
        members.retain(|member| Some(member.pid) != self.init);
        members
    }
}

/// Starts the guard and gives it the specification and the player's pipes.
fn start_guard(spec: &Spec) -> io::Result<(Child, UnixStream, Pipes)> {
    let (stdin, to) = io::pipe()?;
    let (from, stdout) = io::pipe()?;
    let (errors, stderr) = io::pipe()?;
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let mut text = serde_json::to_vec(spec)?;
    text.push(b'\n');
    let fds = [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()];
    let sent = sendmsg::<()>(
        ours.as_raw_fd(),
        &[IoSlice::new(&text)],
        &[ControlMessage::ScmRights(&fds)],
        MsgFlags::empty(),
        None,
    )?;
    let guard = Command::new(THIS_PROGRAM)
        .arg(GUARD)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    io::Write::write_all(&mut &ours, &text[sent..])?;
    ours.set_nonblocking(true)?;
    let pipes = Pipes {
        stdin: pipe::Sender::from_owned_fd(to.into())?,
        stdout: pipe::Receiver::from_owned_fd(from.into())?,
        stderr: pipe::Receiver::from_owned_fd(errors.into())?,
    };
    Ok((guard, UnixStream::from_std(ours)?, pipes))
}

fn spec(launch: &Launch, policy: &Policy, user: Option<&User>, groups: &Groups) -> Spec {
    let contained = policy.level > Level::Off;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let dir = real(&launch.dir);
    let mut program = launch.program.clone();
    let mut readable = Vec::new();
    let mut env = launch.env.clone();
    let boxed = policy.level == Level::Strict && !policy.without.contains(&Mechanism::Namespaces);
    let scratch = (contained && !boxed).then(scratch_folder);
    if contained {
        program = runtime::settled(&program);
        let search = env.get("PATH").map(Into::into).or_else(|| std::env::var_os("PATH"));
        let mut shown = runtime::of_program(&program, search.as_deref());
        shown.extend(launch.readable.iter().map(|path| real(path)));
        if launch.program != Path::new(THIS_PROGRAM) {
            shown.insert(dir.clone());
        }
        shown.retain(|path| !runtime::is_of_system(path));
        readable.extend(shown);
        env = environment(launch, scratch.as_deref().unwrap_or(Path::new(mounts::SCRATCH)));
    }
    if launch.program == Path::new(THIS_PROGRAM) {
        program.clone_from(&launch.program);
        readable.clear();
    }
    let home = launch.program == Path::new(THIS_PROGRAM) && contained;
    Spec {
        program,
        args: launch.args.clone(),
        dir: if home { PathBuf::from("/") } else { dir },
        env,
        level: policy.level,
        without: policy.without.clone(),
        user: user.map(|user| user.id),
        limits: policy.limits,
        readable,
        hidden: policy.hidden.iter().chain(&launch.hidden).map(|path| real(path)).collect(),
        scratch,
        groups: groups.made.clone(),
    }
}

/// A new name for a scratch folder.
fn scratch_folder() -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("referee-scratch-{}-{number}", std::process::id());
    let folder = std::env::temp_dir();
    std::fs::canonicalize(&folder).unwrap_or(folder).join(name)
}

/// The whole environment of a contained player: how programs are found, the language, its scratch
/// folder, and what its configuration says.
fn environment(launch: &Launch, scratch: &Path) -> BTreeMap<String, String> {
    let mut env = BTreeMap::new();
    for name in ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"] {
        if let Ok(value) = std::env::var(name) {
            env.insert(name.to_owned(), value);
        }
    }
    for name in ["HOME", "TMPDIR"] {
        env.insert(name.to_owned(), scratch.display().to_string());
    }
    env.extend(launch.env.clone());
    env
}

/// How this program is started as a player that tries its box, or runs into the limit of `what`.
fn trial(what: Option<Mechanism>) -> Launch {
    let words = [GUARD, super::NOTHING].into_iter().chain(what.map(Mechanism::name));
    Launch {
        program: PathBuf::from(THIS_PROGRAM),
        args: words.map(str::to_owned).collect(),
        dir: PathBuf::from("/"),
        env: BTreeMap::new(),
        readable: Vec::new(),
        hidden: Vec::new(),
    }
}

/// Starts a player that runs into what a group of processes is for, and says whether that showed.
pub(super) fn try_group(policy: &Policy, what: Mechanism) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let started = timeout(TRIAL, Held::start(&trial(Some(what)), policy)).await;
        let (mut held, mut pipes) = started
            .map_err(|_| "a player did not start in time".to_owned())?
            .map_err(|fault| fault.message)?;
        let seen = timeout(TRIAL, showed(&mut held, &mut pipes, what)).await.unwrap_or(false);
        drop(pipes);
        let left = held.kill().await;
        let holds = seen && left.is_some();
        holds.then_some(()).ok_or_else(|| "it was put in force and does not hold".to_owned())
    })
}

/// Whether a player ran into what `what` is for.
async fn showed(held: &mut Held, pipes: &mut Pipes, what: Mechanism) -> bool {
    match what {
        Mechanism::Memory => held.wait().await.is_ok() && held.groups.killed_for_memory() > 0,
        Mechanism::Processes => held.wait().await.is_ok_and(|status| status.code() == Some(1)),
        Mechanism::Cpu => {
            let burned = pipes.stdout.read_u8().await.is_ok();
            // What runs right now is counted at the next tick.
            let shown = held.clock().exact().is_some_and(|used| used >= super::trial::BURNED / 2);
            burned && shown
        }
        Mechanism::Freeze => {
            held.freeze();
            match &held.freezer {
                Some(freezer) => freezer.frozen().await && freezer.thaw().await,
                None => false,
            }
        }
        // What is killed is gone: that is seen by who kills it.
        _ => true,
    }
}

/// Starts a player that does nothing, and says what kept it from its box.
pub(super) fn try_out(policy: &Policy) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let launch = trial(None);
    runtime.block_on(async {
        let started = timeout(TRIAL, Held::start(&launch, policy)).await;
        let (mut held, mut pipes) = started
            .map_err(|_| "a player did not start in time".to_owned())?
            .map_err(|fault| fault.message)?;
        let mut text = String::new();
        let read = async {
            let _ = pipes.stdout.read_to_string(&mut text).await;
            held.wait().await
        };
        let status = timeout(TRIAL, read).await;
        held.kill().await;
        match status {
            Ok(Ok(status)) if status.success() => super::trial::judge(policy, &text),
            Ok(Ok(status)) => Err(format!("a player that does nothing ended with {status}")),
            Ok(Err(Lost)) => Err("the guard of a player ended".to_owned()),
            Err(_) => Err("a player that does nothing did not end".to_owned()),
        }
    })
}
