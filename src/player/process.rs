//! A player in its own process, behind pipes.
//!
//! One absolute deadline applies to a whole reply, even if it arrives in pieces. Every buffer has a
//! bound. The process is watched separately from its pipes, so that its end is noticed even if
//! another process keeps them open.

mod outcome;

use std::os::fd::AsFd;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::libc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::time::timeout_at;

use self::outcome::{NoLine, WriteOutcome};
use super::barred::Barred;
use super::cpu_usage::{CpuUsage, Interval};
use super::diagnosis::{self, Late};
use super::launch::Launch;
use super::limit::{Allowed, ReplyLimit};
use super::overdue::Overdue;
use super::sandbox::{NotStarted, Sandbox};
use super::stderr::Stderr;
use super::transcript::{LineDirection, Transcript, TranscriptLine};
use crate::model::clock::Measure;
use crate::model::containment::PlayerLimits;
use crate::model::fault::Fault;
use crate::model::warning::PlayerWarning;
use referee_protocol::{LINE_LIMIT, shown};
use referee_sandbox::{Leftovers, Overrun, Pipes, SupervisorGone};

/// How long a process may take to exit after `quit`.
const LEAVE: Duration = Duration::from_secs(1);
/// How long the exit of a process may lag behind the end of its stdout.
const EXIT_LAG: Duration = Duration::from_secs(1);
/// How long the end of stderr may lag behind the exit of the process.
const STDERR_LAG: Duration = Duration::from_millis(200);
/// How long to wait for the data already in the stderr pipe.
const STDERR_READ: Duration = Duration::from_millis(20);
/// The CPU time is checked this long after it might be used up.
const LOOK: Duration = Duration::from_millis(5);
/// The reply to a request, and the time it took.
#[derive(Debug)]
pub(super) struct LineAnswer {
    /// The line without its newline, or the fault.
    pub(super) line: Result<Vec<u8>, Fault>,
    /// The time that the turn is charged.
    pub(super) used: Duration,
}

/// A running player.
#[derive(Debug)]
pub(super) struct PlayerProcess {
    sandboxed: referee_sandbox::Process,
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    stderr: Stderr,
    /// Data read after the last reply's newline, or part of an unfinished line.
    buffer: Vec<u8>,
    written: u64,
    transcript: Transcript,
    cpu_usage: CpuUsage,
    measure: Measure,
    limits: PlayerLimits,
    /// See [`Launch::hosted`].
    hosted: bool,
    barred: Barred,
    freeze: bool,
    frozen: bool,
    ended: Option<Result<ExitStatus, SupervisorGone>>,
    /// The limits that it reached before it was killed.
    overrun: Option<Overrun>,
    /// Further warnings.
    warnings: Vec<PlayerWarning>,
    /// The bytes of stderr dropped in earlier games.
    lost_before: u64,
    /// Details of its last reply, if that was overdue.
    overdue: Option<Overdue>,
}

impl PlayerProcess {
    /// Starts the program in its sandbox. The start-up clock begins before this call.
    pub(super) async fn spawn(
        launch: &Launch,
        sandbox: &Sandbox,
        measure: Measure,
    ) -> Result<Self, NotStarted> {
        let (sandboxed, Pipes { stdin, stdout, stderr }) = sandbox.spawn(launch).await?;
        Ok(Self {
            cpu_usage: CpuUsage::new(sandboxed.cpu_clock(), measure == Measure::Cpu),
            sandboxed,
            stdin: Some(stdin),
            stdout,
            stderr: Stderr::capture(stderr, sandbox.limits().stderr),
            buffer: Vec::with_capacity(4096),
            written: 0,
            transcript: Transcript::default(),
            measure,
            limits: *sandbox.limits(),
            hosted: launch.hosted,
            barred: Barred::of(launch, sandbox),
            overrun: None,
            warnings: Vec::new(),
            lost_before: 0,
            overdue: None,
            freeze: false,
            frozen: false,
            ended: None,
        })
    }

    /// Sends a request and waits for its reply until `allowance` is used up. One deadline covers
    /// both the writing and the reply.
    pub(super) async fn ask(&mut self, line: &[u8], allowed: Allowed) -> LineAnswer {
        let limit = ReplyLimit::new(allowed, self.measure);
        self.thaw().await;
        let deadline = Instant::now() + limit.bound;
        let (asked, written) = self.write(line, deadline).await;
        if written == WriteOutcome::Late {
            return self.late(limit, asked, written).await;
        }
        let Some(line) = self.read_in_time(limit, deadline).await else {
            return self.late(limit, asked, written).await;
        };
        let now = Instant::now();
        let cpu = self.cpu_usage.mark(Interval::OnTurn, now).cpu;
        self.rest();
        let wall = now - asked;
        self.note_time(limit, wall, cpu);
        let line = match line {
            Ok(line) => self.judge(line, limit, wall, cpu),
            Err(end) => Err(self.diagnose(end).await),
        };
        LineAnswer { line, used: self.decisive(wall, cpu) }
    }

    /// Returns the fault of a player that wrote without a request, or that has ended meanwhile.
    /// Call this immediately before each request.
    pub(super) async fn check_silence(&mut self) -> Result<(), Fault> {
        let closed = self.read_now();
        if !self.buffer.is_empty() {
            self.note_partial(Instant::now());
            return Err(diagnosis::unexpected(first_line(&self.buffer)));
        }
        if closed { Err(self.diagnose(NoLine::Closed).await) } else { Ok(()) }
    }

    /// The first line in the pipe that was not requested, escaped and shortened.
    pub(super) fn said_unasked(&mut self) -> Option<String> {
        self.read_now();
        (!self.buffer.is_empty()).then(|| shown(first_line(&self.buffer)))
    }

    /// Ends a turn of the opponent and returns the CPU time that this player used in it. Turns
    /// shorter than 0.2 ms are not measured individually.
    pub(super) fn end_off_turn(&mut self) -> Duration {
        self.cpu_usage.mark(Interval::OffTurn, Instant::now()).cpu
    }

    /// Whether it computed on the opponent's turns in this game.
    pub(super) fn ponders(&self) -> bool {
        self.cpu_usage.ponders()
    }

    /// Details of its last reply, if that was overdue.
    pub(super) fn overdue(&self) -> Option<Overdue> {
        self.overdue
    }

    /// Resets the counters for another game.
    pub(super) fn begin_game(&mut self) {
        self.written = 0;
        self.lost_before = self.stderr.lost();
        self.cpu_usage.restart();
        self.sandboxed.reset_overruns();
    }

    /// Freezes the player after each of its replies from now on.
    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
    }

    /// Freezes the player until the next line is sent to it.
    pub(super) fn freeze(&mut self) {
        if !self.frozen {
            self.sandboxed.freeze();
            self.frozen = true;
        }
    }

    /// Sends a line that gets no reply.
    pub(super) async fn tell(&mut self, line: &[u8]) {
        self.thaw().await;
        self.write(line, Instant::now() + LEAVE).await;
    }

    /// Lets the process exit after `quit` (already sent), and kills the rest of its process tree.
    /// Returns how many descendants were still alive after the leader exited.
    pub(super) async fn leave(&mut self) -> usize {
        self.stdin = None;
        self.wait_for_end(LEAVE).await;
        if self.ended.is_none() {
            self.warnings.push(PlayerWarning::DidNotLeave(LEAVE));
        }
        self.kill().await
    }

    /// Kills the whole process tree at once. Returns how many descendants were still alive after
    /// the leader exited; those killed together with it do not count.
    pub(super) async fn kill(&mut self) -> usize {
        self.stdin = None;
        let outlived = self.ended.is_some();
        // The control groups disappear with their readings.
        self.overrun = self.overrun.or_else(|| self.sandboxed.overrun());
        let Leftovers { processes, scratch } = self.sandboxed.kill().await;
        self.warnings.extend(scratch.map(PlayerWarning::Unremoved));
        if outlived { processes } else { 0 }
    }

    /// Waits until the leader has exited, but no longer than `patience`.
    async fn wait_for_end(&mut self, patience: Duration) {
        if self.ended.is_none() {
            self.sandboxed.wake_supervisor();
            let deadline = (Instant::now() + patience).into();
            self.ended = timeout_at(deadline, self.sandboxed.wait()).await.ok();
        }
    }

    /// The transcript: the last lines in both directions.
    pub(super) fn transcript(&self) -> impl Iterator<Item = &TranscriptLine> {
        self.transcript.iter()
    }

    /// The saved part of stderr.
    pub(super) fn stderr(&self) -> Vec<u8> {
        self.stderr.text()
    }

    /// Waits briefly until everything written to stderr so far is read.
    pub(super) async fn settle_stderr(&mut self) {
        self.stderr.settle(STDERR_READ).await;
    }

    /// How many bytes of stderr were dropped in this game.
    pub(super) fn stderr_lost(&self) -> u64 {
        self.stderr.lost() - self.lost_before
    }

    /// CPU time of the process tree in this game so far, if the system reports it.
    pub(super) fn cpu(&self) -> Option<Duration> {
        self.cpu_usage.used()
    }

    /// The peak memory of its living processes, in bytes, if the system reports it.
    pub(super) fn memory(&self) -> Option<u64> {
        if self.ended.is_some() { None } else { self.sandboxed.peak_memory() }
    }

    /// CPU time on the opponent's turns so far.
    pub(super) fn cpu_off_turn(&self) -> Duration {
        self.cpu_usage.off_turn()
    }

    /// Writes a line, and returns when its last byte was sent.
    ///
    /// The time is taken before the last write, not after it: on a shared core the player may have
    /// read, thought and answered before the write returns.
    async fn write(&mut self, line: &[u8], deadline: Instant) -> (Instant, WriteOutcome) {
        let mut at = Instant::now();
        let mut rest = line;
        let mut written = WriteOutcome::All;
        while let (false, Some(stdin)) = (rest.is_empty(), &mut self.stdin) {
            at = Instant::now();
            match timeout_at(deadline.into(), stdin.write(rest)).await {
                Ok(Ok(count @ 1..)) => rest = &rest[count..],
                Ok(_) => {
                    written = WriteOutcome::Gone;
                    break;
                }
                Err(_) => {
                    written = WriteOutcome::Late;
                    break;
                }
            }
        }
        self.transcript.push(LineDirection::ToPlayer, at, line);
        (at, written)
    }

    /// Waits for a line until the deadline. If CPU time is limited, waits only until that is used
    /// up, and checks it whenever it might be.
    async fn read_in_time(
        &mut self,
        limit: ReplyLimit,
        deadline: Instant,
    ) -> Option<Result<Vec<u8>, NoLine>> {
        let mut left = self.cpu_left(limit, Instant::now());
        loop {
            let look = match left {
                None => deadline,
                Some(left) => deadline.min(Instant::now() + left + LOOK),
            };
            if let Ok(line) = timeout_at(look.into(), self.read_line()).await {
                return Some(line);
            }
            let now = Instant::now();
            if now >= deadline {
                return None;
            }
            left = self.cpu_left(limit, now);
            if left == Some(Duration::ZERO) {
                return None;
            }
        }
    }

    /// The CPU time left for this reply; `None` if unlimited.
    fn cpu_left(&mut self, limit: ReplyLimit, now: Instant) -> Option<Duration> {
        if !limit.bounds_cpu(&self.limits) {
            return None;
        }
        let used = self.cpu_usage.since(now);
        let before = self.cpu_usage.used().unwrap_or_default();
        limit.cpu_left(&self.limits, used, before + used)
    }

    /// The fault of a player that used too much CPU time, according to the last reading of its
    /// clock.
    fn over_cpu(&self, limit: ReplyLimit, cpu: Duration) -> Option<Fault> {
        limit.over_cpu(&self.limits, cpu, self.cpu_usage.used().unwrap_or_default())
    }

    /// Reads until the buffer has a whole line, and removes the line from it.
    async fn read_line(&mut self) -> Result<Vec<u8>, NoLine> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.buffer.len() >= LINE_LIMIT {
                return Err(NoLine::Oversize);
            }
            // Everything it wrote before its exit was read. Output of other processes is not a
            // reply.
            if self.ended.is_some() {
                return Err(NoLine::Exited);
            }
            let room = LINE_LIMIT - self.buffer.len();
            self.buffer.reserve(room.min(4096));
            let mut space = (&mut self.stdout).take(room as u64);
            tokio::select! {
                biased;
                read = space.read_buf(&mut self.buffer) => match read {
                    Ok(0) | Err(_) => return Err(NoLine::Closed),
                    Ok(count) => self.written += count as u64,
                },
                status = self.sandboxed.wait() => {
                    self.ended = Some(status);
                    self.read_now();
                }
            }
            if self.written > self.limits.output {
                return Err(NoLine::TooMuch);
            }
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.transcript.push(LineDirection::FromPlayer, Instant::now(), &line);
        line.truncate(end);
        Some(line)
    }

    /// Reads what is in the pipe now, without waiting, up to the limit of a line. Returns whether
    /// the pipe has ended.
    fn read_now(&mut self) -> bool {
        let mut chunk = [0; 4096];
        while self.buffer.len() < LINE_LIMIT {
            match nix::unistd::read(self.stdout.as_fd(), &mut chunk) {
                Ok(count @ 1..) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    self.written += count as u64;
                }
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
        limit: ReplyLimit,
        wall: Duration,
        cpu: Duration,
    ) -> Result<Vec<u8>, Fault> {
        match self.over_cpu(limit, cpu) {
            Some(fault) => Err(fault),
            None if wall > limit.bound => Err(diagnosis::came_late(wall, limit.bound)),
            None => Ok(line),
        }
    }

    /// The time that a turn is charged.
    fn decisive(&self, wall: Duration, cpu: Duration) -> Duration {
        match self.measure {
            Measure::Wall => wall,
            Measure::Cpu => cpu,
        }
    }

    /// The fault of a player whose time is up.
    async fn late(
        &mut self,
        limit: ReplyLimit,
        asked: Instant,
        written: WriteOutcome,
    ) -> LineAnswer {
        let now = Instant::now();
        let cpu = self.cpu_usage.mark(Interval::OnTurn, now).cpu;
        self.note_time(limit, now - asked, cpu);
        let state = self.sandboxed.state();
        let used = self.decisive(now - asked, cpu);
        self.note_partial(now);
        let fault = match self.over_cpu(limit, cpu) {
            Some(fault) => diagnosis::no_reply(fault),
            None => self.by_overrun(diagnosis::timeout(Late {
                allowance: limit.shown,
                budget: limit.budget,
                measure: self.measure,
                cpu: self.cpu_usage.used().map(|_| cpu),
                wall: now - asked,
                partial: &self.buffer,
                state,
                unread: written == WriteOutcome::Late,
            })),
        };
        let patience = if self.hosted { EXIT_LAG } else { Duration::ZERO };
        if self.hosted {
            self.sandboxed.signal(libc::SIGUSR1);
        }
        LineAnswer { line: Err(self.with_stderr(fault, patience).await), used }
    }

    fn note_time(&mut self, limit: ReplyLimit, wall: Duration, cpu: Duration) {
        let cpu = self.cpu_usage.used().map(|_| cpu);
        let overdue = Overdue { wall, bound: limit.bound, cpu };
        self.overdue = (wall > limit.bound).then_some(overdue);
    }

    fn note_partial(&mut self, now: Instant) {
        if !self.buffer.is_empty() {
            self.transcript.push(LineDirection::FromPlayer, now, &self.buffer);
        }
    }

    /// Turns the end of the output into a fault, once the fate of the process is known.
    async fn diagnose(&mut self, end: NoLine) -> Fault {
        self.note_partial(Instant::now());
        match end {
            NoLine::Oversize => return diagnosis::oversize_line(&self.buffer),
            NoLine::TooMuch => return diagnosis::oversize_game(self.limits.output),
            NoLine::Closed | NoLine::Exited => {}
        }
        self.wait_for_end(EXIT_LAG).await;
        let status = match self.ended {
            None => return diagnosis::closed_output(),
            Some(Err(SupervisorGone)) => return diagnosis::supervisor_gone(),
            Some(Ok(status)) => status,
        };
        let fault = self.by_overrun(diagnosis::ended(status, &self.buffer));
        self.with_stderr(fault, STDERR_LAG).await
    }

    /// The fault of a player that is about to exit because of it, with its last lines of stderr.
    pub(super) async fn explain(&mut self, fault: Fault) -> Fault {
        self.wait_for_end(EXIT_LAG).await;
        let fault = self.by_overrun(fault);
        self.with_stderr(fault, STDERR_LAG).await
    }

    /// Adds the last lines of stderr to the fault, after waiting this long for its end.
    async fn with_stderr(&mut self, mut fault: Fault, patience: Duration) -> Fault {
        self.stderr.settle(patience).await;
        if let Some(hint) = self.barred.hint(&self.stderr.text()) {
            fault.message = format!("{}; {hint}", fault.message);
        }
        Fault { stderr: self.stderr.last_lines(), ..fault }
    }

    /// The fault of a failed player, based on the limit that it reached, if any.
    fn by_overrun(&self, fault: Fault) -> Fault {
        self.sandboxed.overrun().map_or(fault.clone(), |overrun| diagnosis::overrun(overrun, fault))
    }

    /// The limits that it reached in this game, and what went wrong at its end.
    pub(super) fn warnings(&self) -> Vec<PlayerWarning> {
        let overrun = self.overrun.or_else(|| self.sandboxed.overrun());
        let reached = overrun.map(PlayerWarning::RanInto);
        reached.into_iter().chain(self.warnings.iter().cloned()).collect()
    }

    fn rest(&mut self) {
        if self.freeze {
            self.freeze();
        }
    }

    async fn thaw(&mut self) {
        if self.frozen {
            self.sandboxed.thaw().await;
            self.frozen = false;
        }
    }
}

fn first_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes)
}
