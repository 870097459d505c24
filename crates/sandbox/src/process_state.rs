//! The state of a process, seen from outside.

use nix::unistd::Pid;

#[cfg(target_os = "linux")]
use crate::procfs::ProcessFolder;

/// The state of a process, seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessState {
    /// Sleeping in a read of its standard input.
    ReadingInput,
    /// Stopped by a signal.
    Stopped,
    /// Running on a core, or waiting for one.
    Running,
    /// Any other state, or the system does not provide it.
    Other,
}

impl ProcessState {
    /// The current state of the process `pid`.
    #[cfg(target_os = "linux")]
    pub(crate) fn of(pid: Pid) -> Self {
        let Some(process) = ProcessFolder::open(pid) else { return Self::Other };
        match process.stat().map(|stat| stat.state) {
            Some('T' | 't') => Self::Stopped,
            Some('R') => Self::Running,
            Some('S') if reads_input(&process) => Self::ReadingInput,
            _ => Self::Other,
        }
    }

    /// Always [`Other`](Self::Other): this system does not provide the state.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of(_: Pid) -> Self {
        Self::Other
    }
}

/// Whether it is in a system call that reads its standard input.
#[cfg(target_os = "linux")]
fn reads_input(process: &ProcessFolder) -> bool {
    let call = process.system_call().unwrap_or_default();
    let mut words = call.split(' ');
    let number = words.next().and_then(|number| number.parse().ok());
    number == Some(nix::libc::SYS_read) && words.next() == Some("0x0")
}
