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

use self::files::{leave_out_file_calls, refuse_file_calls, restrict_file_ioctls};
use self::filter::{Built, FilterRules};
use self::kernel::{leave_out_kernel_calls, refuse_kernel_calls};
use self::memory::{leave_out_memory_calls, refuse_memory_calls};
use self::sockets::refuse_socket_calls;
use crate::containment_request::Network;
use crate::supervisor_protocol::SupervisorSetupError;
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
pub(crate) struct SeccompSurroundings {
    pub(crate) sees_others: SeesOthers,
    pub(crate) files: Files,
    pub(crate) devices: Devices,
    pub(crate) network: Network,
    pub(crate) memory: Memory,
    pub(crate) freezing: Freezing,
    pub(crate) file_timers: FileTimers,
}

/// Installs the filters permanently for this process and everything that it executes or starts.
pub(crate) fn install_seccomp(
    surroundings: SeccompSurroundings,
) -> Result<(), SupervisorSetupError> {
    let failed = |error: &(dyn std::error::Error + 'static)| {
        SupervisorSetupError::setting_up("its system call filter", error)
    };
    let programs = surroundings.build_programs().map_err(|error| failed(&error))?;
    for program in filter::x32_filter().into_iter().chain(programs) {
        apply_filter(&program).map_err(|error| failed(&error))?;
    }
    Ok(())
}

impl SeccompSurroundings {
    /// The filters. If several answer a call, the last one counts.
    fn build_programs(self) -> Built<[BpfProgram; 4]> {
        let mut refused = FilterRules::default();
        refuse_kernel_calls(&mut refused)?;
        processes::refuse_process_calls(&mut refused, self)?;
        refuse_file_calls(&mut refused, self)?;
        refuse_memory_calls(&mut refused, self)?;
        refuse_socket_calls(&mut refused, self.network)?;
        // As if the kernel did not have them, so that libraries use other calls.
        let mut absent = FilterRules::default();
        leave_out_kernel_calls(&mut absent);
        processes::leave_out_process_calls(&mut absent, self);
        leave_out_file_calls(&mut absent, self);
        leave_out_memory_calls(&mut absent, self.memory);
        let mut unknown = FilterRules::default();
        restrict_file_ioctls(&mut unknown, self.devices)?;
        let mut ignored = FilterRules::default();
        processes::ignore_scheduler_calls(&mut ignored)?;
        Ok([
            refused.build_program(libc::EPERM)?,
            absent.build_program(libc::ENOSYS)?,
            unknown.build_program(libc::ENOTTY)?,
            ignored.build_program(0)?,
        ])
    }
}
