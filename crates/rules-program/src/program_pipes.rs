//! The pipes of a running rules program: one line out, one line in, with a deadline.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use std::{fmt, io};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::contract::LONGEST_ANSWER;
use crate::error::ExchangeError;

/// The number of bytes to read at once.
const CHUNK: usize = 16 << 10;
/// A wait that ends this much later than planned says nothing about the program: this process was
/// stopped meanwhile, or had no core.
const OVERSLEPT: Duration = Duration::from_millis(100);

/// A running rules program. Dropping it ends the program.
pub trait RulesProcess: fmt::Debug + Send {
    /// Ends it, and returns how it ended.
    fn end(&mut self) -> ProgramEnd;
}

/// The end of a rules program.
#[derive(Debug, Default)]
pub struct ProgramEnd {
    /// The way in which it ended, as a sentence without a subject.
    pub how: String,
    /// The last lines that it wrote to stderr.
    pub stderr: Vec<String>,
}

/// Starts rules programs.
pub trait ProgramLauncher: fmt::Debug + Send + Sync {
    /// Starts the program. Returns it with the other ends of its stdin and stdout.
    ///
    /// # Errors
    /// A sentence for the user that says why it could not start.
    fn start(&self) -> Result<(Box<dyn RulesProcess>, ProgramPipes), Box<dyn std::error::Error>>;

    /// The time that the program gets to start, in addition to that for its first answer.
    fn start_limit(&self) -> Duration {
        Duration::from_secs(30)
    }
}

/// The other ends of a program's stdin and stdout.
#[derive(Debug)]
pub struct ProgramPipes {
    stdin: OwnedFd,
    stdout: OwnedFd,
    /// The bytes read after the last answer.
    read: Vec<u8>,
}

impl ProgramPipes {
    /// Takes over the pipes, and makes them non-blocking.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(stdin: OwnedFd, stdout: OwnedFd) -> io::Result<Self> {
        for pipe in [&stdin, &stdout] {
            let flags = rustix::fs::fcntl_getfl(pipe)?;
            rustix::fs::fcntl_setfl(pipe, flags | rustix::fs::OFlags::NONBLOCK)?;
        }
        Ok(Self { stdin, stdout, read: Vec::new() })
    }

    /// Sends a line, and reads the next line into `answer`, without its newline.
    pub(crate) fn exchange(
        &mut self,
        line: &[u8],
        answer: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<(), ExchangeError> {
        let mut deadline = ExchangeDeadline { until: Instant::now() + limit, limit };
        self.write_line(line, &mut deadline)?;
        self.read_line(answer, &mut deadline)
    }

    fn write_line(
        &self,
        mut line: &[u8],
        deadline: &mut ExchangeDeadline,
    ) -> Result<(), ExchangeError> {
        while !line.is_empty() {
            match rustix::io::write(&self.stdin, line) {
                Ok(written) => line = &line[written..],
                Err(Errno::AGAIN) => deadline.wait_for_pipe(&self.stdin, PollFlags::OUT)?,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => return Err(ExchangeError::Ended(String::new())),
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(())
    }

    fn read_line(
        &mut self,
        answer: &mut Vec<u8>,
        deadline: &mut ExchangeDeadline,
    ) -> Result<(), ExchangeError> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.read[searched..].iter().position(|&byte| byte == b'\n') {
                let rest = self.read.split_off(searched + end + 1);
                *answer = std::mem::replace(&mut self.read, rest);
                answer.pop();
                return Ok(());
            }
            searched = self.read.len();
            if searched >= LONGEST_ANSWER {
                return Err(ExchangeError::TooLong);
            }
            deadline.wait_for_pipe(&self.stdout, PollFlags::IN)?;
            self.read.resize(searched + CHUNK, 0);
            let got = rustix::io::read(&self.stdout, &mut self.read[searched..]);
            self.read.truncate(searched + got.unwrap_or(0));
            match got {
                Ok(0) => return Err(ExchangeError::Ended(String::new())),
                Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }
}

/// The end of an exchange.
struct ExchangeDeadline {
    until: Instant,
    limit: Duration,
}

impl ExchangeDeadline {
    /// Waits until the pipe is ready, or fails when the time is up. The time begins anew if this
    /// process overslept its end.
    fn wait_for_pipe(&mut self, pipe: &impl AsFd, ready: PollFlags) -> Result<(), ExchangeError> {
        let left = self.until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).ok();
        let mut pipes = [PollFd::new(pipe, ready)];
        match poll(&mut pipes, left.as_ref()) {
            Ok(0) if self.until.elapsed() >= OVERSLEPT => {
                self.until = Instant::now() + self.limit;
                Ok(())
            }
            Ok(0) => Err(ExchangeError::Silent(self.limit)),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(io::Error::from(error).into()),
        }
    }
}
