//! A player in its own process, behind pipes.
//!
//! One absolute deadline applies to a whole reply, even if it arrives in pieces. Every buffer has a
//! bound. The process is watched separately from its pipes, so that its end is noticed even if
//! another process keeps them open.

mod diagnosis;
mod line_io;
mod outcome;

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use tokio::net::unix::pipe;
use tokio::time::{timeout, timeout_at};

use self::outcome::{NoLine, WriteOutcome};
use super::cpu_usage::{CpuUsage, FrozenCpuUsage, Interval};
use super::denied_files::DeniedFiles;
use super::fault_messages::{defied_freezing_fault, unexpected_output_fault};
use super::player_launch::PlayerLaunch;
use super::player_sandbox::{NotStarted, PlayerSandbox};
use super::reply_limit::ReplyLimit;
use super::reply_timer::ReplyTimer;
use super::stderr::Stderr;
use super::transcript::{LineDirection, Transcript, TranscriptLine};
use super::{PlayerStatistics, TurnTime};
use referee_protocol::reply_error_excerpt;
use referee_record::model::clock::{Measure, TimeControl, format_clock_seconds};
use referee_record::model::containment::PlayerLimits;
use referee_record::model::fault::Fault;
use referee_record::model::warning::PlayerWarning;
use referee_sandbox::{CoreWaits, Leftovers, Overrun, Pipes, Shortage, SupervisorGone};

/// How long a process may take to exit after `quit`.
const LEAVE: Duration = Duration::from_secs(1);
/// How long to wait for the data already in the stderr pipe.
const STDERR_READ: Duration = Duration::from_millis(20);

/// The outcome of a request, and the time it took.
#[derive(Debug)]
pub(super) struct LineAnswer {
    /// Whether there is a reply; if not, the fault.
    pub(super) line: Result<(), Fault>,
    /// The time of the turn.
    pub(super) time: TurnTime,
}

/// Whether a line of an engine, without its newline, is what it was asked for.
pub(super) type LineTest<'t> = &'t mut (dyn FnMut(&[u8]) -> bool + Send);

/// A running player.
#[derive(Debug)]
pub(super) struct PlayerProcess {
    sandboxed: referee_sandbox::SandboxedProcess,
    stdin: Option<pipe::Sender>,
    stdout: pipe::Receiver,
    stderr: Stderr,
    /// Data read after the last reply's newline, or part of an unfinished line.
    buffer: Vec<u8>,
    written: u64,
    transcript: Transcript,
    cpu_usage: CpuUsage,
    limits: PlayerLimits,
    /// See [`PlayerLaunch::bridged`].
    bridged: bool,
    /// What an engine is asked for; `None` for the reply of any other player.
    awaits: Option<&'static str>,
    barred: DeniedFiles,
    freeze: bool,
    frozen: bool,
    /// What it used in this game while it was frozen.
    frozen_usage: FrozenCpuUsage,
    ended: Option<Result<ExitStatus, SupervisorGone>>,
    /// The limits that it reached before it was killed.
    overrun: Option<Overrun>,
    /// Further warnings.
    warnings: Vec<PlayerWarning>,
    /// The time of this game that was not charged, because the machine had no core free.
    waited_for_core: Duration,
    /// The waits for a core when the process was started, until its first request.
    waits_at_start: Option<CoreWaits>,
}

impl PlayerProcess {
    /// Starts the program in its sandbox. The start-up clock begins before this call.
    async fn spawn(
        launch: &PlayerLaunch,
        sandbox: &PlayerSandbox,
        measure: Measure,
    ) -> Result<Self, NotStarted> {
        let (sandboxed, Pipes { stdin, stdout, stderr }) = sandbox.spawn(launch).await?;
        let is_exact = measure == Measure::Cpu || sandbox.limits().cpu_move.is_some();
        Ok(Self {
            cpu_usage: CpuUsage::new(sandboxed.cpu_clock(), is_exact),
            waits_at_start: Some(sandboxed.core_waits()),
            sandboxed,
            stdin: Some(stdin),
            stdout,
            stderr: Stderr::capture(stderr, sandbox.limits().stderr),
            buffer: Vec::with_capacity(4096),
            written: 0,
            transcript: Transcript::default(),
            limits: *sandbox.limits(),
            bridged: launch.bridged,
            awaits: None,
            barred: DeniedFiles::for_player(launch, sandbox),
            overrun: None,
            warnings: Vec::new(),
            waited_for_core: Duration::ZERO,
            freeze: false,
            frozen: false,
            frozen_usage: FrozenCpuUsage::default(),
            ended: None,
        })
    }

    /// Starts the program for its first game. Until it runs, everything is the referee's own work.
    pub(super) async fn start(
        launch: &PlayerLaunch,
        sandbox: &PlayerSandbox,
        control: &TimeControl,
        freeze: bool,
    ) -> Result<Self, NotStarted> {
        let (limit, started) = (control.startup, Self::spawn(launch, sandbox, control.measure));
        let mut process = timeout(limit, started).await.map_err(|_| {
            Shortage::machine_too_busy(format!(
                "start a player within {}",
                format_clock_seconds(limit)
            ))
        })??;
        process.freeze = freeze;
        Ok(process)
    }

    /// Sends a request and waits until its reply, without the newline, is in `reply`, or until the
    /// allowance is used up. One deadline covers both the writing and the reply.
    pub(super) async fn ask(
        &mut self,
        line: &[u8],
        reply: &mut Vec<u8>,
        limit: ReplyLimit,
    ) -> LineAnswer {
        self.ask_until(line, reply, limit, &mut |_| true).await
    }

    /// The same for an engine, which is asked for `awaited`, and may write more before it. The
    /// limit of output holds for each request.
    pub(super) async fn ask_engine(
        &mut self,
        line: &[u8],
        (reply, awaited): (&mut Vec<u8>, &'static str),
        limit: ReplyLimit,
        is_reply: LineTest<'_>,
    ) -> LineAnswer {
        self.awaits = Some(awaited);
        self.written = 0;
        self.ask_until(line, reply, limit, is_reply).await
    }

    async fn ask_until(
        &mut self,
        line: &[u8],
        reply: &mut Vec<u8>,
        limit: ReplyLimit,
        is_reply: LineTest<'_>,
    ) -> LineAnswer {
        self.thaw().await;
        let now = Instant::now();
        let deadline = now + limit.bound;
        let (asked, written) = self.write_lines(line, now, deadline).await;
        let mut timer = ReplyTimer::new(now, asked, &limit);
        if let Some(waits) = self.waits_at_start.take() {
            timer.watch_core_waits(waits);
        }
        if written == WriteOutcome::Late {
            return self.diagnose_late_reply(limit, asked, written, &timer).await;
        }
        if limit.alone {
            self.read_pipe_soon(limit.bound);
        }
        let read = loop {
            let read = self.read_line_in_time(reply, limit, &mut timer).await;
            let now = Instant::now();
            match read {
                Some(Ok(())) if !is_reply(reply) => self.transcript.push_info(now, reply),
                read => break read,
            }
            if now >= timer.give_up() {
                break None;
            }
        };
        let Some(line) = read else {
            return self.diagnose_late_reply(limit, asked, written, &timer).await;
        };
        let now = Instant::now();
        let cpu = self.cpu_usage.end_interval(Interval::OnTurn, now).cpu;
        self.rest();
        let wall = self.charged_wall_time(asked, now, &timer);
        let line = match line {
            Ok(()) => {
                self.transcript.push(LineDirection::FromPlayer, now, reply);
                self.diagnose_reply_time(limit, wall, cpu)
            }
            Err(end) => Err(self.diagnose_end_of_output(end).await),
        };
        LineAnswer { line, time: process_turn_time(limit, wall, cpu, &timer) }
    }

    /// Returns the fault of a player that wrote without a request, that computed although it was
    /// frozen, or that has ended meanwhile. Call this immediately before each request.
    pub(super) async fn check_silence(&mut self) -> Result<(), Fault> {
        self.check_freezing()?;
        let closed = self.read_pipe_now();
        if !self.buffer.is_empty() {
            self.note_partial(Instant::now());
            return Err(unexpected_output_fault(first_output_line(&self.buffer)));
        }
        if closed { Err(self.diagnose_end_of_output(NoLine::Closed).await) } else { Ok(()) }
    }

    /// Returns the fault of a player that computed although it was frozen.
    pub(super) fn check_freezing(&mut self) -> Result<(), Fault> {
        self.frozen_usage.noticeable_cpu().map_or(Ok(()), |used| Err(defied_freezing_fault(used)))
    }

    /// The first line in the pipe that was not requested, escaped and shortened.
    pub(super) fn said_unasked(&mut self) -> Option<String> {
        self.read_pipe_now();
        (!self.buffer.is_empty()).then(|| reply_error_excerpt(first_output_line(&self.buffer)))
    }

    /// Whether it is frozen now.
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Ends a turn of the opponent and returns the CPU time that this player used in it. Turns
    /// shorter than 0.2 ms are not measured individually.
    pub(super) fn end_off_turn(&mut self) -> Duration {
        let usage = self.cpu_usage.end_interval(Interval::OffTurn, Instant::now());
        if self.frozen {
            self.frozen_usage.add(usage);
        }
        usage.cpu
    }

    /// Whether it computed on the opponent's turns in this game.
    pub(super) fn ponders(&self) -> bool {
        self.cpu_usage.ponders()
    }

    /// Resets the counters, the transcript and the saved output for another game.
    pub(super) fn begin_game(&mut self) {
        self.written = 0;
        self.transcript.clear();
        self.stderr.clear();
        self.waited_for_core = Duration::ZERO;
        self.cpu_usage.restart();
        self.frozen_usage = FrozenCpuUsage::default();
        self.warnings.clear();
        self.sandboxed.reset_overruns();
    }

    /// Adds a warning, unless the game has one of this kind.
    pub(super) fn warn(&mut self, warning: PlayerWarning) {
        let kind = std::mem::discriminant(&warning);
        if !self.warnings.iter().any(|known| std::mem::discriminant(known) == kind) {
            self.warnings.push(warning);
        }
    }

    /// Freezes the player after each of its replies from now on.
    pub(super) fn freeze_off_turn(&mut self) {
        self.freeze = true;
    }

    /// Freezes the player until the next line is sent to it.
    ///
    /// While its processes are searched one by one, they and the search take the core from the
    /// opponent. So from then on that happens after each of its replies, on nobody's turn.
    pub(super) fn freeze(&mut self) {
        if !self.frozen {
            self.freeze |= self.sandboxed.freeze();
            self.frozen = true;
        }
    }

    /// Sends a line that gets no reply.
    pub(super) async fn tell(&mut self, line: &[u8]) {
        self.thaw().await;
        let now = Instant::now();
        self.write_lines(line, now, now + LEAVE).await;
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

    /// The peak resident memory of its processes, in bytes, if they live. Reading it takes a walk over
    /// them.
    pub(super) fn peak_memory(&self) -> Option<u64> {
        if self.ended.is_some() { None } else { self.sandboxed.peak_memory() }
    }

    /// Statistics of this game so far.
    pub(super) fn statistics(&self) -> PlayerStatistics {
        let overrun = self.overrun.or_else(|| self.sandboxed.overrun());
        let reached = overrun.map(PlayerWarning::RanInto);
        PlayerStatistics {
            leftover: 0,
            afterwards: None,
            cpu: self.cpu_usage.used_in_game(),
            cpu_off_turn: self.cpu_usage.off_turn(),
            waited_for_core: self.waited_for_core,
            stderr_lost: self.stderr.lost(),
            warnings: reached.into_iter().chain(self.warnings.iter().cloned()).collect(),
        }
    }

    /// The wall time of a request without the time that is excused.
    fn charged_wall_time(&mut self, asked: Instant, now: Instant, timer: &ReplyTimer) -> Duration {
        self.waited_for_core += timer.excused();
        (now - asked).saturating_sub(timer.excused())
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

/// The time of a turn that took `wall` time, without what is excused, and this CPU time.
fn process_turn_time(
    limit: ReplyLimit,
    wall: Duration,
    cpu: Duration,
    timer: &ReplyTimer,
) -> TurnTime {
    TurnTime { charged: limit.decisive(wall, cpu), excused: timer.excused(), cpu }
}

fn first_output_line(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == b'\n').next().unwrap_or(bytes)
}
