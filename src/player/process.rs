//! A player in a process of its own, behind pipes.
//!
//! One absolute deadline holds for a whole reply, however it drips; every buffer has a bound;
//! the process is watched besides its pipes, so that nothing else that holds them hides its end.

use std::io;
use std::os::fd::AsFd;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::Signal;
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout_at;

use super::diagnosis::{self, Late};
use super::exchanges::{Direction, Exchange, Exchanges};
use super::launch::Launch;
use super::meter::{Meter, Stretch};
use super::stderr::Stderr;
use super::tree;
use crate::clock::{Measure, wall_bound};
use crate::fault::{Fault, FaultCode};
use crate::protocol::{self, LINE_LIMIT};

/// The most output of one game.
const GAME_LIMIT: u64 = 16 * 1024 * 1024;
/// How long a process may take to leave after `quit`.
const LEAVE: Duration = Duration::from_secs(1);
/// How long the end of a process may lag behind the end of its stdout.
const EXIT_LAG: Duration = Duration::from_secs(1);
/// How long the end of stderr may lag behind the end of the process.
const STDERR_LAG: Duration = Duration::from_millis(200);
/// How long after the CPU time might be used up it is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// The longest wait where no time limit was given.
const UNLIMITED: Duration = Duration::from_secs(365 * 24 * 3600);

/// A line that came in reply, and what it cost.
#[derive(Debug)]
pub(super) struct Answer {
    /// The line without its newline, or the fault.
    pub(super) line: Result<Vec<u8>, Fault>,
    /// The time by which the turn is judged.
    pub(super) used: Duration,
}

/// The time a reply may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// What is left; unlimited when absent.
    pub(super) left: Option<Duration>,
    /// The limit that it is left of, where a sentence is to name that instead.
    pub(super) of: Option<Duration>,
}

/// A running player.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    leader: Pid,
    token: String,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    stderr: Stderr,
    /// What was read beyond the last reply's newline, or of an unfinished line.
    buffer: Vec<u8>,
    written: u64,
    exchanges: Exchanges,
    meter: Meter,
    measure: Measure,
    freeze: bool,
    frozen: bool,
    ended: Option<ExitStatus>,
}

impl Process {
    /// Starts the program. The clock of its start-up begins before this call.
    pub(super) fn spawn(launch: &Launch, measure: Measure) -> Result<Self, Fault> {
        let token = new_token();
        let mut child =
            command(launch, &token).spawn().map_err(|error| cannot_start(launch, &error))?;
        let (Some(stdin), Some(stdout), Some(stderr), Some(id)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take(), child.id())
        else {
            return Err(Fault::new(FaultCode::NoStart, "its pipes could not be made"));
        };
        let leader = Pid::from_raw(id.cast_signed());
        Ok(Self {
            child,
            leader,
            token,
            stdin: Some(stdin),
            stdout,
            stderr: Stderr::capture(stderr),
            buffer: Vec::with_capacity(4096),
            written: 0,
            exchanges: Exchanges::default(),
            meter: Meter::new(leader, measure == Measure::Cpu),
            measure,
            freeze: false,
            frozen: false,
            ended: None,
        })
    }

    /// Sends a line that gets a reply, and waits for it until `allowance` is used up: one
    /// deadline for the writing and the reply together.
    pub(super) async fn ask(&mut self, line: &[u8], allowed: Allowed) -> Answer {
        let limit = Limit::new(allowed, self.measure);
        self.thaw();
        let deadline = Instant::now() + limit.bound;
        let (asked, written) = self.write(line, deadline).await;
        if written == Written::Late {
            return self.late(limit, asked, written).await;
        }
        let Some(line) = self.read_in_time(limit, deadline).await else {
            return self.late(limit, asked, written).await;
        };
        let now = Instant::now();
        let cpu = self.meter.mark(Stretch::OnTurn, now).cpu;
        self.rest();
        let wall = now - asked;
        let line = match line {
            Ok(line) => self.judge(line, limit, wall, cpu),
            Err(end) => Err(self.diagnose(end).await),
        };
        Answer { line, used: self.decisive(wall, cpu) }
    }

    /// The output that stands where none is owed, or the end that came meanwhile.
    /// To be called immediately before each request.
    pub(super) async fn check_silence(&mut self) -> Result<(), Fault> {
        let closed = self.read_now();
        if !self.buffer.is_empty() {
            self.note_partial(Instant::now());
            return Err(diagnosis::unexpected(first_line(&self.buffer)));
        }
        if closed { Err(self.diagnose(End::Closed).await) } else { Ok(()) }
    }

    /// The first line that stands in the pipe though none was owed, escaped and cut.
    pub(super) fn said_unasked(&mut self) -> Option<String> {
        self.read_now();
        (!self.buffer.is_empty()).then(|| protocol::shown(first_line(&self.buffer)))
    }

    /// Measures what the player did since its last reply; true when it burned CPU time.
    pub(super) fn burned_off_turn(&mut self) -> bool {
        self.meter.mark(Stretch::OffTurn, Instant::now()).burned()
    }

    /// Begins to count anew for another game.
    pub(super) fn begin_game(&mut self) {
        self.written = 0;
        self.meter = Meter::new(self.leader, self.measure == Measure::Cpu);
    }

    /// From now on the player is frozen while it owes nothing.
    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
    }

    /// Sends a line that gets no reply.
    pub(super) async fn tell(&mut self, line: &[u8]) {
        self.thaw();
        self.write(line, Instant::now() + LEAVE).await;
    }

    /// Lets the process leave after `quit` (already sent) and kills what is left of its tree.
    /// Returns how many processes had outlived the leader.
    pub(super) async fn leave(&mut self) -> usize {
        self.stdin = None;
        if self.ended.is_none() {
            let deadline = (Instant::now() + LEAVE).into();
            self.ended = timeout_at(deadline, self.child.wait()).await.ok().and_then(Result::ok);
        }
        self.kill().await
    }

    /// Kills the whole tree at once and reaps the leader.
    /// Returns how many processes had outlived the leader; what dies with it is no leftover.
    pub(super) async fn kill(&mut self) -> usize {
        self.stdin = None;
        let outlived = self.ended.is_some();
        let count = tree::kill_all(self.leader, &self.token);
        if self.ended.is_none() {
            self.ended = timeout_at((Instant::now() + LEAVE).into(), self.child.wait())
                .await
                .ok()
                .and_then(Result::ok);
        }
        if outlived { count } else { 0 }
    }

    /// The last lines both ways.
    pub(super) fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter()
    }

    /// What was kept of stderr.
    pub(super) fn stderr(&self) -> Vec<u8> {
        self.stderr.text()
    }

    /// How many bytes of stderr were not kept.
    pub(super) fn stderr_lost(&self) -> u64 {
        self.stderr.lost()
    }

    /// CPU time of the tree in this game so far, where the system tells.
    pub(super) fn cpu(&self) -> Option<Duration> {
        self.meter.used()
    }

    /// CPU time on the opponent's turns so far.
    pub(super) fn cpu_off_turn(&self) -> Duration {
        self.meter.off_turn
    }

    /// Writes a line, and tells when its last byte went.
    ///
    /// That time is taken before the last write and not after it: on a shared core the player
    /// may have read, thought and answered before the write returns.
    async fn write(&mut self, line: &[u8], deadline: Instant) -> (Instant, Written) {
        let mut at = Instant::now();
        let mut rest = line;
        let mut written = Written::All;
        while let (false, Some(stdin)) = (rest.is_empty(), &mut self.stdin) {
            at = Instant::now();
            match timeout_at(deadline.into(), stdin.write(rest)).await {
                Ok(Ok(count @ 1..)) => rest = &rest[count..],
                Ok(_) => {
                    written = Written::Gone;
                    break;
                }
                Err(_) => {
                    written = Written::Late;
                    break;
                }
            }
        }
        self.exchanges.push(Direction::ToPlayer, at, line);
        (at, written)
    }

    /// Waits for a line until the deadline; where CPU time decides, only until that is used up,
    /// which is looked at whenever it might be.
    async fn read_in_time(
        &mut self,
        limit: Limit,
        deadline: Instant,
    ) -> Option<Result<Vec<u8>, End>> {
        let mut left = limit.allowance;
        loop {
            let look = match self.measure {
                Measure::Wall => deadline,
                Measure::Cpu => deadline.min(Instant::now() + left + LOOK),
            };
            if let Ok(line) = timeout_at(look.into(), self.read_line()).await {
                return Some(line);
            }
            let now = Instant::now();
            if now >= deadline {
                return None;
            }
            left = limit.allowance.checked_sub(self.meter.since(now))?;
        }
    }

    /// Reads until there is a whole line in the buffer, and takes it out.
    async fn read_line(&mut self) -> Result<Vec<u8>, End> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.buffer.len() >= LINE_LIMIT {
                return Err(End::Oversize);
            }
            let room = LINE_LIMIT - self.buffer.len();
            self.buffer.reserve(room.min(4096));
            let mut space = (&mut self.stdout).take(room as u64);
            tokio::select! {
                biased;
                read = space.read_buf(&mut self.buffer) => match read {
                    Ok(0) | Err(_) => return Err(End::Closed),
                    Ok(count) => self.written += count as u64,
                },
                status = self.child.wait(), if self.ended.is_none() => {
                    self.ended = status.ok();
                    self.read_now();
                    return self.take_line().ok_or(End::Exited);
                }
            }
            if self.written > GAME_LIMIT {
                return Err(End::TooMuch);
            }
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.exchanges.push(Direction::FromPlayer, Instant::now(), &line);
        line.truncate(end);
        Some(line)
    }

    /// Takes what stands in the pipe now, without waiting, up to the limit of a line.
    /// Says whether the pipe was at its end.
    fn read_now(&mut self) -> bool {
        let mut chunk = [0; 4096];
        while self.buffer.len() < LINE_LIMIT {
            match nix::unistd::read(self.stdout.as_fd(), &mut chunk) {
                Ok(count @ 1..) => self.buffer.extend_from_slice(&chunk[..count]),
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return false,
                Ok(0) | Err(_) => return true,
            }
        }
        false
    }

    fn judge(
        &self,
        line: Vec<u8>,
        limit: Limit,
        wall: Duration,
        cpu: Duration,
    ) -> Result<Vec<u8>, Fault> {
        match self.measure {
            Measure::Cpu if cpu > limit.allowance => Err(diagnosis::over_cpu(cpu, limit.allowance)),
            _ if wall > limit.bound => Err(diagnosis::came_late(wall, limit.bound)),
            _ => Ok(line),
        }
    }

    /// The time by which a turn is judged.
    fn decisive(&self, wall: Duration, cpu: Duration) -> Duration {
        match self.measure {
            Measure::Wall => wall,
            Measure::Cpu => cpu,
        }
    }

    /// The fault of a player whose time is up.
    async fn late(&mut self, limit: Limit, asked: Instant, written: Written) -> Answer {
        let now = Instant::now();
        let cpu = self.meter.mark(Stretch::OnTurn, now).cpu;
        let doing = tree::doing(self.leader);
        let used = self.decisive(now - asked, cpu);
        if self.measure == Measure::Cpu && cpu > limit.allowance {
            return Answer { line: Err(diagnosis::over_cpu(cpu, limit.allowance)), used };
        }
        self.note_partial(now);
        let fault = diagnosis::timeout(Late {
            allowance: limit.said,
            measure: self.measure,
            cpu: self.meter.used().map(|_| cpu),
            wall: now - asked,
            partial: &self.buffer,
            doing,
            unread: written == Written::Late,
        });
        self.stderr.settle(Duration::ZERO).await;
        Answer { line: Err(Fault { stderr: self.stderr.last_lines(), ..fault }), used }
    }

    fn note_partial(&mut self, now: Instant) {
        if !self.buffer.is_empty() {
            self.exchanges.push(Direction::FromPlayer, now, &self.buffer);
        }
    }

    /// Turns the end of the output into a fault, once it is known what became of the process.
    async fn diagnose(&mut self, end: End) -> Fault {
        self.note_partial(Instant::now());
        match end {
            End::Oversize => return diagnosis::oversize_line(&self.buffer),
            End::TooMuch => return diagnosis::oversize_game(GAME_LIMIT),
            End::Closed | End::Exited => {}
        }
        if self.ended.is_none() {
            let deadline = (Instant::now() + EXIT_LAG).into();
            self.ended = timeout_at(deadline, self.child.wait()).await.ok().and_then(Result::ok);
        }
        let Some(status) = self.ended else { return diagnosis::closed_output() };
        self.stderr.settle(STDERR_LAG).await;
        Fault { stderr: self.stderr.last_lines(), ..diagnosis::ended(status, &self.buffer) }
    }

    fn rest(&mut self) {
        if self.freeze && !self.frozen {
            tree::signal(self.leader, Signal::SIGSTOP);
            self.frozen = true;
        }
    }

    fn thaw(&mut self) {
        if self.frozen {
            tree::signal(self.leader, Signal::SIGCONT);
            self.frozen = false;
        }
    }
}

/// The limits of one reply.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// Of the time that decides.
    allowance: Duration,
    /// Of wall time.
    bound: Duration,
    /// Of wall time, as a sentence says it.
    said: Duration,
}

impl Limit {
    fn new(allowed: Allowed, measure: Measure) -> Self {
        let allowance = allowed.left.unwrap_or(UNLIMITED);
        Self {
            allowance,
            bound: wall_bound(measure, allowance),
            said: wall_bound(measure, allowed.of.unwrap_or(allowance)),
        }
    }
}

/// How far a request was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// To its last byte.
    All,
    /// The player does not read any more.
    Gone,
    /// Not to its end before the deadline.
    Late,
}

/// Why no line came.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The end of the output.
    Closed,
    /// The process ended.
    Exited,
    /// A line over the limit.
    Oversize,
    /// Output over the limit of a game.
    TooMuch,
}

/// A name for a player's processes that no other player has: a count, and this process's own id.
fn new_token() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn command(launch: &Launch, token: &str) -> Command {
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.args)
        .current_dir(&launch.dir)
        .envs(&launch.env)
        .env(tree::TOKEN, token)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

fn cannot_start(launch: &Launch, error: &io::Error) -> Fault {
    let message = format!("{} cannot be run: {error}", launch.program.display());
    Fault::new(FaultCode::NoStart, message)
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes)
}
