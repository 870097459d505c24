//! The standard streams of a process.

use std::io;
use std::os::fd::OwnedFd;

use tokio::net::unix::pipe;

/// The caller's ends of a process's standard streams. They are non-blocking.
#[derive(Debug)]
pub struct Pipes {
    /// The standard input of the process.
    pub stdin: pipe::Sender,
    /// The standard output of the process.
    pub stdout: pipe::Receiver,
    /// The standard error of the process.
    pub stderr: pipe::Receiver,
}

impl Pipes {
    /// Creates the pipes. Also returns the process's ends: stdin, stdout and stderr.
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
