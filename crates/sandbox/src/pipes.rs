//! The standard streams of a process.

use std::io;
use std::os::fd::OwnedFd;

use tokio::net::unix::pipe;

/// The caller's ends of a process's standard streams. They do not block.
#[derive(Debug)]
pub struct Pipes {
    /// What the process reads.
    pub stdin: pipe::Sender,
    /// What the process writes.
    pub stdout: pipe::Receiver,
    /// What the process writes to standard error.
    pub stderr: pipe::Receiver,
}

impl Pipes {
    /// Makes the pipes; with them the process's own ends: stdin, stdout and stderr.
    pub(crate) fn new() -> io::Result<(Self, [OwnedFd; 3])> {
        let (stdin, to) = io::pipe()?;
        let (from, stdout) = io::pipe()?;
        let (errors, stderr) = io::pipe()?;
        let pipes = Self {
            stdin: pipe::Sender::from_owned_fd(to.into())?,
            stdout: pipe::Receiver::from_owned_fd(from.into())?,
            stderr: pipe::Receiver::from_owned_fd(errors.into())?,
        };
        Ok((pipes, [stdin.into(), stdout.into(), stderr.into()]))
    }
}
