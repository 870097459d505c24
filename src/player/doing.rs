//! What a player's first process is doing, seen from outside.

use nix::unistd::Pid;

/// What a process is doing, seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// Sleeping in a read of its standard input, or in a wait for events.
    Reading,
    /// Stopped by a signal.
    Stopped,
    /// On a core, or waiting for one.
    Running,
    /// Anything else.
    Other,
}

/// What the leader is doing now.
pub(super) fn doing(leader: Pid) -> Doing {
    platform::doing(leader)
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;

    use super::{Doing, Pid};
    use crate::containment::tree;

    pub(super) fn doing(leader: Pid) -> Doing {
        match tree::state(leader) {
            Some('T' | 't') => Doing::Stopped,
            Some('R') => Doing::Running,
            Some('S') if waits_for_input(leader) => Doing::Reading,
            _ => Doing::Other,
        }
    }

    fn waits_for_input(leader: Pid) -> bool {
        let call = fs::read_to_string(format!("/proc/{leader}/syscall")).unwrap_or_default();
        let mut words = call.split(' ');
        let (number, descriptor) = (words.next(), words.next());
        number == Some(READ) && descriptor == Some("0x0")
    }

    #[cfg(target_arch = "x86_64")]
    const READ: &str = "0";
    #[cfg(not(target_arch = "x86_64"))]
    const READ: &str = "63";
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{Doing, Pid};

    pub(super) fn doing(_: Pid) -> Doing {
        Doing::Other
    }
}
