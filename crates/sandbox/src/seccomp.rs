//! Seccomp: refuses system calls.
//!
//! It is a list of refused calls and not of allowed ones: language runtimes use many calls, and a
//! program must not crash because it uses a new one. Each module has those that are refused for one
//! reason. Only the requests of `ioctl` are a list of allowed ones, see [`files`].

mod files;
mod filter;
mod kernel;
mod memory;
mod processes;
mod sockets;

use nix::libc;
use seccompiler::{BpfProgram, apply_filter};

use self::filter::{Built, Rules};
use crate::containment_request::Network;
use crate::supervisor_protocol::SetupError;
use crate::timer_gate::FileTimers;

/// Whether the process can address processes outside its sandbox by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeesOthers {
    /// It has no PID namespace of its own, so it can.
    Yes,
    /// It has its own PID namespace, so it cannot.
    No,
}

/// Whether files outside the scratch folder can be changed as far as the mounts are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// They are mounted read-only.
    ReadOnly,
    /// Only permissions protect them.
    Writable,
}

/// Whether the process uses devices with requests of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Devices {
    Given,
    None,
}

/// What limits the memory of all processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A control group, which counts everything.
    Counted,
    /// Polling, which only sees what processes have mapped and opened.
    Polled,
}

/// How the processes are frozen while the opponent is on turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freezing {
    /// By a control group: no signal wakes them.
    ByControlGroup,
    /// By a signal that stops them, so nothing may send them the one that wakes them.
    BySignal,
}

/// What the filters depend on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    pub(crate) sees_others: SeesOthers,
    pub(crate) files: Files,
    pub(crate) devices: Devices,
    pub(crate) network: Network,
    pub(crate) memory: Memory,
    pub(crate) freezing: Freezing,
    pub(crate) file_timers: FileTimers,
}

/// Installs the filters permanently for this process and everything that it executes or starts.
pub(crate) fn install(surroundings: Surroundings) -> Result<(), SetupError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SetupError::setting_up("its system call filter", error)
    };
    let programs = surroundings.programs().map_err(|error| failed(&error))?;
    for program in filter::x32().into_iter().chain(programs) {
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

impl Surroundings {
    /// The filters. If several answer a call, the last one counts.
    fn programs(self) -> Built<[BpfProgram; 4]> {
        let mut refused = Rules::default();
        kernel::refuse(&mut refused)?;
        processes::refuse(&mut refused, self)?;
        files::refuse(&mut refused, self)?;
        memory::refuse(&mut refused, self)?;
        sockets::refuse(&mut refused, self.network)?;
        // As if the kernel did not have them, so that libraries use other calls.
        let mut absent = Rules::default();
        kernel::leave_out(&mut absent);
        processes::leave_out(&mut absent, self);
        files::leave_out(&mut absent, self);
        memory::leave_out(&mut absent, self.memory);
        let mut unknown = Rules::default();
        files::unknown_requests(&mut unknown, self.devices)?;
        let mut ignored = Rules::default();
        processes::ignore(&mut ignored)?;
        Ok([
            refused.program(libc::EPERM)?,
            absent.program(libc::ENOSYS)?,
            unknown.program(libc::ENOTTY)?,
            ignored.program(0)?,
        ])
    }
}
