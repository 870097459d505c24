//! Writing and reading lines of a player, with a deadline and within bounds.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout_at;

use super::PlayerProcess;
use super::outcome::{NoLine, WriteOutcome};
use crate::player::reply_limit::ReplyLimit;
use crate::player::reply_timer::{ReplyTimer, SOON};
use crate::player::transcript::LineDirection;
use referee_protocol::LINE_LIMIT;
use referee_record::model::fault::Fault;

/// The CPU time is checked this long after it might be used up.
const LOOK: Duration = Duration::from_millis(5);

impl PlayerProcess {
    /// Writes lines, beginning at `now`, and returns when its last byte was sent.
    ///
    /// The time is taken before the last write, not after it: on a shared core the player may have
    /// read, thought and answered before the write returns.
    pub(super) async fn write_lines(
        &mut self,
        lines: &[u8],
        now: Instant,
        deadline: Instant,
    ) -> (Instant, WriteOutcome) {
        let (at, written) = match self.write_lines_now(lines) {
            Some(written) if written == lines.len() => (now, WriteOutcome::All),
            Some(written) => self.write_rest_of_lines(&lines[written..], now, deadline).await,
            None => (now, WriteOutcome::Gone),
        };
        self.transcript.push_all(LineDirection::ToPlayer, at, lines);
        (at, written)
    }

    /// Writes as much as fits into the pipe now, without waiting. Most lines fit completely.
    /// Returns how many bytes those were; `None` if the player has closed its stdin.
    fn write_lines_now(&self, line: &[u8]) -> Option<usize> {
        match nix::unistd::write(self.stdin.as_ref()?, line) {
            Ok(count) => Some(count),
            Err(Errno::EAGAIN | Errno::EINTR) => Some(0),
            Err(_) => None,
        }
    }

    /// Writes the rest of a line as the player reads it.
    async fn write_rest_of_lines(
        &mut self,
        mut rest: &[u8],
        mut at: Instant,
        deadline: Instant,
    ) -> (Instant, WriteOutcome) {
        while let (false, Some(stdin)) = (rest.is_empty(), &mut self.stdin) {
            at = Instant::now();
            match timeout_at(deadline.into(), stdin.write(rest)).await {
                Ok(Ok(count @ 1..)) => rest = &rest[count..],
                Ok(_) => return (at, WriteOutcome::Gone),
                Err(_) => return (at, WriteOutcome::Late),
            }
        }
        (at, WriteOutcome::All)
    }

    /// Waits for a line until the time is up. If CPU time is limited, waits only until that is used
    /// up, and checks it whenever it might be.
    pub(super) async fn read_line_in_time(
        &mut self,
        reply: &mut Vec<u8>,
        limit: ReplyLimit,
        timer: &mut ReplyTimer,
    ) -> Option<Result<(), NoLine>> {
        let now = Instant::now();
        if let Some(line) = self.take_read_line(reply) {
            if now >= timer.deadline() {
                timer.note_look(timer.last_look(), now);
                self.excuse_core_waits(timer, now);
            }
            return Some(line);
        }
        let mut left = self.cpu_left(limit, now);
        loop {
            let look = match left {
                None => timer.next_look(Instant::now()),
                Some(left) => timer.next_look(Instant::now()).min(Instant::now() + left + LOOK),
            };
            let line = timeout_at(look.into(), self.read_line(reply)).await;
            let now = Instant::now();
            timer.note_look(look, now);
            if timer.wants_waits(now) {
                timer.watch_core_waits(self.sandboxed.core_waits());
            }
            if now >= timer.deadline() {
                self.excuse_core_waits(timer, now);
            }
            if let Ok(line) = line {
                return Some(line);
            }
            if now >= timer.give_up() {
                return None;
            }
            left = self.cpu_left(limit, now);
            if left == Some(Duration::ZERO) {
                return None;
            }
        }
    }

    /// Excuses the time that the player and the referee waited for a core, if the system measures
    /// what the player used meanwhile.
    fn excuse_core_waits(&mut self, timer: &mut ReplyTimer, now: Instant) {
        if self.cpu_usage.used_in_game().is_some() {
            let cpu = self.cpu_usage.since_last_interval(now);
            timer.excuse(&self.sandboxed.core_waits(), cpu, now);
        }
    }

    /// The CPU time left for this reply; `None` if unlimited.
    pub(super) fn cpu_left(&mut self, limit: ReplyLimit, now: Instant) -> Option<Duration> {
        if !limit.bounds_cpu(&self.limits) {
            return None;
        }
        let used = self.cpu_usage.since_last_interval(now);
        let before = self.cpu_usage.used_in_game().unwrap_or_default();
        limit.cpu_left(&self.limits, used, before + used)
    }

    /// The fault of a player that used too much CPU time, according to the last reading of its
    /// clock.
    pub(super) fn over_cpu(&self, limit: ReplyLimit, cpu: Duration) -> Option<Fault> {
        limit.over_cpu(&self.limits, cpu, self.cpu_usage.used_in_game().unwrap_or_default())
    }

    /// Waits for output for a moment, but no longer than `bound`, and reads it. Everything else on
    /// this thread waits meanwhile.
    pub(super) fn read_pipe_soon(&mut self, bound: Duration) {
        if bound < SOON {
            return;
        }
        let mut stdout = [PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN)];
        let soon = PollTimeout::try_from(SOON).unwrap_or(PollTimeout::ZERO);
        if let Ok(1..) = poll(&mut stdout, soon) {
            self.read_pipe_now();
        }
    }

    /// Reads until the buffer has a whole line, and moves the line into `reply`.
    pub(super) async fn read_line(&mut self, reply: &mut Vec<u8>) -> Result<(), NoLine> {
        loop {
            if let Some(line) = self.take_read_line(reply) {
                return line;
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
                    self.read_pipe_now();
                }
            }
        }
    }

    /// Moves a whole line that was read already into `reply`. `None` if more must be read.
    pub(super) fn take_read_line(&mut self, reply: &mut Vec<u8>) -> Option<Result<(), NoLine>> {
        if self.written > self.limits.output {
            Some(Err(NoLine::TooMuch))
        } else if self.take_line(reply) {
            Some(Ok(()))
        } else if self.buffer.len() >= LINE_LIMIT {
            Some(Err(NoLine::Oversize))
        } else {
            None
        }
    }

    /// Moves the first line of the buffer into `reply`, if the line is whole.
    fn take_line(&mut self, reply: &mut Vec<u8>) -> bool {
        let Some(end) = self.buffer.iter().position(|&byte| byte == b'\n') else { return false };
        reply.clear();
        reply.extend_from_slice(&self.buffer[..end]);
        self.buffer.drain(..=end);
        true
    }

    /// Reads what is in the pipe now, without waiting, up to the limit of a line. Returns whether
    /// the pipe has ended. A read that fills only part of its space has emptied the pipe.
    pub(super) fn read_pipe_now(&mut self) -> bool {
        let mut chunk = [0; 4096];
        while self.buffer.len() < LINE_LIMIT {
            match nix::unistd::read(self.stdout.as_fd(), &mut chunk) {
                Ok(count @ 1..) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    self.written += count as u64;
                    if count < chunk.len() {
                        return false;
                    }
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => return false,
                Ok(0) | Err(_) => return true,
            }
        }
        false
    }
}
