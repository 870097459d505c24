//! The supervisor as a child of this process.

#![expect(unsafe_code, reason = "a descriptor that the runtime waits for")]

use std::io;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use rustix::process::{PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::process_tree::wait_for_process_end;

/// A supervisor that this process has to reap. Until then, its number is its own.
#[derive(Debug)]
pub(crate) struct SupervisorChild {
    pid: Pid,
    reaped: bool,
}

impl SupervisorChild {
    pub(crate) fn new(pid: Pid) -> Self {
        Self { pid, reaped: false }
    }

    /// Sends it a signal, unless it has been reaped.
    pub(crate) fn signal(&self, signal: Signal) {
        if !self.reaped {
            // It may be dead already.
            let _ = kill(self.pid, signal);
        }
    }

    /// Waits until it has ended, and reaps it. It is cancel-safe, and can be called again.
    pub(crate) async fn wait(&mut self) -> io::Result<()> {
        if self.reaped {
            return Ok(());
        }
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid.as_raw()) {
            let end = pidfd_open(pid, PidfdFlags::empty())?;
            // SAFETY: an owned descriptor is open until it is dropped, and never changes.
            let end = unsafe { AsyncFd::register_with_interest(end, Interest::READABLE) }?;
            let _ = end.readable().await?;
        }
        self.reap();
        Ok(())
    }

    /// Waits at most `patience` until it has ended, and reaps it. Blocks this thread.
    pub(crate) fn wait_blocking(&mut self, patience: Duration) {
        if !self.reaped {
            wait_for_process_end(self.pid, patience);
            self.reap();
        }
    }

    /// Reaps it if it is dead.
    fn reap(&mut self) {
        let status = waitpid(self.pid, Some(WaitPidFlag::WNOHANG));
        self.reaped = status != Ok(WaitStatus::StillAlive);
    }
}
