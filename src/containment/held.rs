//! A player's process as the referee holds it: by the socket of its guard.

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{ControlMessage, MsgFlags, Shutdown, sendmsg, shutdown};
use nix::unistd::{Pid, getpgid};
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::cgroup::{Counts, CpuFile, Freezer, Groups};
use super::limits::bytes;
use super::spec::{LONGEST, Message, Spec, Stage};
use super::users::User;
use super::{
    GUARD, Lack, Leavings, Level, Limits, Mechanism, NotStarted, Overrun, Policy, REFEREE,
    THIS_PROGRAM, made, mounts, runtime, tree,
};
use crate::model::fault::{Fault, FaultCode};
use crate::player::Launch;

/// How long a player's processes may take to die.
const DEATH: Duration = Duration::from_secs(10);
/// How long a guard may take until it is looked whether somebody keeps it from its work.
const SOON: Duration = Duration::from_secs(1);
/// How long a player may take to go on after it was frozen.
const THAW: Duration = Duration::from_secs(1);
/// How often processes that were started while the others were stopped are looked for.
const STOP_ROUNDS: usize = 8;
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
    /// What the guard was told.
    spec: Spec,
    ended: Option<ExitStatus>,
    /// The limit that its guard saw it run into, if any.
    over: Option<Overrun>,
    limits: Limits,
    freezer: Option<Freezer>,
    groups: Groups,
    /// What its groups had counted before this game.
    before: Counts,
    user: Option<User>,
}

impl Held {
    /// Starts a player in its box.
    pub(crate) async fn start(
        launch: &Launch,
        policy: &Policy,
    ) -> Result<(Self, Pipes), NotStarted> {
        let broken = |error: io::Error| {
            let fault = || {
                let message = format!("its guard cannot be started: {error}");
                NotStarted::Fault(Fault::new(FaultCode::Containment, message))
            };
            Lack::of("start a guard", &error).map_or_else(fault, NotStarted::Lack)
        };
        let user = policy.users.as_ref().and_then(super::users::Users::take);
        let groups = policy.places.of_player(&policy.limits);
        let spec = spec(launch, policy, user.as_ref(), &groups).map_err(broken)?;
        tree::adopt_strays();
        let (guard, socket) = start_guard().map_err(broken)?;
        let root = Pid::from_raw(guard.id().unwrap_or_default().cast_signed());
        let mut held = Self {
            guard,
            root,
            socket,
            said: Vec::new(),
            leader: root,
            init: None,
            spec,
            ended: None,
            over: None,
            limits: policy.limits,
            freezer: None,
            groups,
            before: Counts::default(),
            user,
        };
        let pipes = held.tell().await.map_err(broken)?;
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
                if let Some(lack) = failed.lack() {
                    return Err(lack.into());
                }
                let program = launch.program.display();
                let as_whom = match &held.user {
                    Some(user) if failed.message.contains("Permission denied") => format!(
                        "; it is run as a user of its own ({}), who must be allowed to read it: \
                         `chmod -R go+rX` its folder, or run the referee as an ordinary user",
                        user.id
                    ),
                    _ => String::new(),
                };
                let fault = match failed.stage {
                    Stage::Program => Fault::new(
                        FaultCode::NoStart,
                        format!("{program} cannot be run: {}{as_whom}", failed.message),
                    ),
                    Stage::Box => Fault::new(
                        FaultCode::Containment,
                        format!("its box cannot be set up: {}", failed.message),
                    ),
                };
                Err(fault.into())
            }
            Ok(_) | Err(Lost) => Err(NotStarted::Fault(Fault::new(
                FaultCode::Containment,
                "its guard ended before the player was started",
            ))),
        }
    }

    /// Gives the guard its specification, and with it the player's ends of the pipes.
    async fn tell(&mut self) -> io::Result<Pipes> {
        let (stdin, to) = io::pipe()?;
        let (from, stdout) = io::pipe()?;
        let (errors, stderr) = io::pipe()?;
        let mut text = serde_json::to_vec(&self.spec)?;
        text.push(b'\n');
        if text.len() > LONGEST {
            return Err(io::Error::other(format!(
                "what it has to know takes {}, more than {}: too many files are hidden from it or \
                 shown to it",
                bytes(text.len() as u64),
                bytes(LONGEST as u64)
            )));
        }
        let fds = [stdin.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()];
        let with_pipes = || {
            let fds = [ControlMessage::ScmRights(&fds)];
            let text = [IoSlice::new(&text)];
            let flags = MsgFlags::empty();
            Ok(sendmsg::<()>(self.socket.as_raw_fd(), &text, &fds, flags, None)?)
        };
        let sent = self.socket.async_io(Interest::WRITABLE, with_pipes).await?;
        self.socket.write_all(&text[sent..]).await?;
        Ok(Pipes {
            stdin: pipe::Sender::from_owned_fd(to.into())?,
            stdout: pipe::Receiver::from_owned_fd(from.into())?,
            stderr: pipe::Receiver::from_owned_fd(errors.into())?,
        })
    }

    /// From now on only what happens in another game counts.
    pub(crate) fn begin_game(&mut self) {
        self.before = self.groups.counts();
    }

    /// The limit that the player ran into in this game, if any.
    pub(crate) fn overrun(&self) -> Option<Overrun> {
        let limits = &self.limits;
        let counts = self.groups.counts();
        if counts.killed_for_memory > self.before.killed_for_memory {
            let peak = self.groups.memory_peak().unwrap_or(limits.memory);
            return Some(Overrun::Memory { peak, limit: limits.memory });
        }
        if self.over.is_some() {
            return self.over;
        }
        if self.ended.and_then(|status| status.signal()) == Some(nix::libc::SIGXFSZ) {
            return Some(Overrun::FileSize { limit: limits.file_size });
        }
        (counts.refused_processes > self.before.refused_processes)
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
            self.note(&message);
        }
    }

    /// Kills every process of the player and waits until nothing is left of it; what it left. Of a
    /// player whose guard was killed, that is what could be found.
    pub(crate) async fn kill(&mut self) -> Leavings {
        self.wake_guard();
        // A guard that is gone has killed everything already.
        let _ = self.socket.write_all(b"k").await;
        let mut gone = timeout(SOON, self.gone()).await;
        if gone.is_err() && tree::state(self.root) != Some('T') {
            gone = timeout(DEATH, self.gone()).await;
        }
        let done = gone.ok().flatten();
        if done.is_none() {
            // Whoever stopped it cannot keep it from that.
            let _ = self.guard.start_kill();
        }
        let _ = timeout(DEATH, self.guard.wait()).await;
        done.unwrap_or_else(|| self.clear())
    }

    /// Waits until the guard has killed everything; nothing when it is gone.
    async fn gone(&mut self) -> Option<Leavings> {
        loop {
            match self.next_message().await {
                Ok(Message::Gone(leavings)) => return Some(leavings),
                Ok(message) => self.note(&message),
                Err(Lost) => return None,
            }
        }
    }

    /// Lets the guard go on: a player that is contained by nothing can stop it.
    pub(crate) fn wake_guard(&self) {
        if self.guard.id().is_some() {
            // It was not reaped yet, so the number is its own.
            let _ = kill(self.root, Signal::SIGCONT);
        }
    }

    /// Does what a guard would have done that was killed.
    fn clear(&self) -> Leavings {
        self.groups.kill();
        let processes = tree::kill_strays(DEATH);
        Leavings { processes, stays: made::remove_after_guard(&self.spec) }
    }

    fn note(&mut self, message: &Message) {
        match *message {
            Message::Exited { status } => self.ended = Some(ExitStatus::from_raw(status)),
            Message::Overran(over) => self.over = Some(over),
            _ => {}
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
        self.wake_guard();
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

    /// Stops each of its processes: those that stayed in its group at once, so that they keep
    /// nobody from looking for the others.
    ///
    /// A process may start another one until it is stopped, so those that were not seen before
    /// are looked for again.
    pub(crate) fn stop(&self) {
        self.signal_group(tree::Signal::STOP);
        let mut stopped: Vec<Pid> = Vec::new();
        for _ in 0..STOP_ROUNDS {
            let members = self.members();
            let fresh = members.iter().filter(|member| !stopped.contains(&member.pid));
            let fresh: Vec<Pid> = fresh
                .inspect(|member| member.signal(tree::Signal::STOP))
                .map(|member| member.pid)
                .collect();
            if fresh.is_empty() {
                return;
            }
            stopped.extend(fresh);
        }
    }

    /// Asks its first process, which must know what is meant, to say where it is and to end.
    pub(crate) fn ask_where(&self) {
        for member in self.members().iter().filter(|member| member.pid == self.leader) {
            member.signal(tree::Signal::USR1);
        }
    }

    /// Lets each of its processes go on.
    pub(crate) fn resume(&self) {
        let (in_group, others): (Vec<_>, Vec<_>) = self
            .members()
            .into_iter()
            .partition(|member| getpgid(Some(member.pid)) == Ok(self.leader));
        let each = |members: &[tree::Member]| {
            for member in members {
                member.signal(tree::Signal::CONT);
            }
        };
        each(&others);
        if !self.signal_group(tree::Signal::CONT) {
            each(&in_group);
        }
    }

    /// Signals the group of its first process, where there is one and the system can do that.
    fn signal_group(&self, signal: tree::Signal) -> bool {
        let leader = tree::Member::enter(self.leader, self.init.unwrap_or(self.root));
        leader.is_some_and(|leader| leader.signal_group(signal))
    }

    fn members(&self) -> Vec<tree::Member> {
        let mut members = tree::members(self.root);
        members.retain(|member| Some(member.pid) != self.init);
        members
    }
}

/// Starts the guard, which waits for its specification.
fn start_guard() -> io::Result<(Child, UnixStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    let guard = Command::new(THIS_PROGRAM)
        .arg(GUARD)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    ours.set_nonblocking(true)?;
    Ok((guard, UnixStream::from_std(ours)?))
}

fn spec(
    launch: &Launch,
    policy: &Policy,
    user: Option<&User>,
    groups: &Groups,
) -> io::Result<Spec> {
    let contained = policy.level > Level::Off;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let dir = real(&launch.dir);
    let mut program = launch.program.clone();
    let mut readable = Vec::new();
    let mut env = launch.env.clone();
    let boxed = policy.level == Level::Strict && !policy.without.contains(&Mechanism::Namespaces);
    let scratch = (contained && !boxed).then(scratch_folder).transpose()?;
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
    let rules = launch.rules.as_deref().map(real);
    if let Some(rules) = &rules {
        let place = if boxed { Path::new(mounts::RULES) } else { rules };
        env.entry(REFEREE.to_owned()).or_insert_with(|| place.display().to_string());
        readable.extend(Some(rules.clone()).filter(|_| contained && !boxed));
    }
    let home = launch.program == Path::new(THIS_PROGRAM) && contained;
    Ok(Spec {
        program,
        args: launch.args.clone(),
        dir: if home { PathBuf::from("/") } else { dir },
        env,
        level: policy.level,
        without: policy.without.clone(),
        user: user.map(|user| user.id),
        limits: policy.limits,
        readable,
        rules: rules.filter(|_| boxed),
        hidden: policy.hidden.iter().chain(&launch.hidden).map(|path| real(path)).collect(),
        scratch,
        groups: groups.made.clone(),
        open_files: super::descriptors::given(),
    })
}

/// A new name for a scratch folder, which nobody can guess.
fn scratch_folder() -> io::Result<PathBuf> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let name = format!("referee-scratch-{}-{random:016x}", std::process::id());
    let folder = std::env::temp_dir();
    Ok(std::fs::canonicalize(&folder).unwrap_or(folder).join(name))
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
        rules: None,
        hosted: false,
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
            .map_err(|why| why.to_string())?;
        let seen = timeout(TRIAL, showed(&mut held, &mut pipes, what)).await.unwrap_or(false);
        drop(pipes);
        held.kill().await;
        seen.then_some(()).ok_or_else(|| "it was put in force and does not hold".to_owned())
    })
}

/// Whether a player ran into what `what` is for.
async fn showed(held: &mut Held, pipes: &mut Pipes, what: Mechanism) -> bool {
    match what {
        Mechanism::Memory => {
            held.wait().await.is_ok() && held.groups.counts().killed_for_memory > 0
        }
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
pub(super) fn try_out(policy: &Policy) -> Result<Result<(), String>, Lack> {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let lack = Lack::of("start a player", &error);
            return lack.map_or_else(|| Ok(Err(error.to_string())), Err);
        }
    };
    let launch = trial(None);
    runtime.block_on(async {
        let (mut held, mut pipes) = match timeout(TRIAL, Held::start(&launch, policy)).await {
            Ok(Ok(started)) => started,
            Ok(Err(NotStarted::Lack(lack))) => return Err(lack),
            Ok(Err(NotStarted::Fault(fault))) => return Ok(Err(fault.message)),
            Err(_) => return Ok(Err("a player did not start in time".to_owned())),
        };
        let mut text = String::new();
        let read = async {
            let _ = pipes.stdout.read_to_string(&mut text).await;
            held.wait().await
        };
        let status = timeout(TRIAL, read).await;
        held.kill().await;
        Ok(match status {
            Ok(Ok(status)) if status.success() => super::trial::judge(policy, &text),
            Ok(Ok(status)) => Err(format!("a player that does nothing ended with {status}")),
            Ok(Err(Lost)) => Err("the guard of a player ended".to_owned()),
            Err(_) => Err("a player that does nothing did not end".to_owned()),
        })
    })
}
