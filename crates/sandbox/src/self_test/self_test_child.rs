//! The self-test process: tests from inside whether mechanisms work.

use std::fs::OpenOptions;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

use crate::level::Mechanism;
use crate::resource_limits::{self, Limits};

/// The limits on its resources.
pub(super) const LIMITS: Limits = Limits {
    memory: 32 * resource_limits::MIB,
    processes: 16,
    open_files: 256,
    file_size: resource_limits::MIB,
    scratch: resource_limits::MIB,
    files: super::TESTED_FILES,
};
/// The CPU time that it uses up.
pub(super) const BURNED: std::time::Duration = std::time::Duration::from_millis(30);

/// The mechanisms that can be tested from inside.
pub(super) const TESTED: [Mechanism; 6] = [
    Mechanism::Rlimits,
    Mechanism::Landlock,
    Mechanism::Seccomp,
    Mechanism::User,
    Mechanism::Mounts,
    Mechanism::Namespaces,
];

/// Exceeds the limit of the mechanism called `what`. Without a name, tests the whole sandbox.
pub(crate) fn run_self_test_child(what: Option<&str>) -> ExitCode {
    match what.and_then(Mechanism::named) {
        None => report_self_test(),
        Some(Mechanism::Memory) => exceed_memory_in_test_child(),
        Some(Mechanism::Processes) => exceed_processes_in_test_child(),
        Some(Mechanism::Cpu) => burn_cpu_in_test_child(),
        Some(_) => wait_in_test_child(),
    }
}

/// Uses more memory than allowed.
fn exceed_memory_in_test_child() -> ExitCode {
    let size = usize::try_from(4 * LIMITS.memory).unwrap_or(usize::MAX);
    let eaten = vec![1_u8; size];
    std::hint::black_box(eaten);
    ExitCode::SUCCESS
}

/// Starts more threads than allowed.
fn exceed_processes_in_test_child() -> ExitCode {
    let start = || {
        let wait = || {
            // The test ends when the input does.
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        };
        std::thread::Builder::new().stack_size(64 * 1024).spawn(wait)
    };
    let refused = (0..2 * LIMITS.processes).any(|_| start().is_err());
    if refused { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Uses a measurable amount of CPU time.
fn burn_cpu_in_test_child() -> ExitCode {
    let clock = nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID;
    while clock.now().is_ok_and(|used| std::time::Duration::from(used) < BURNED) {}
    match std::io::Write::write_all(&mut std::io::stdout(), b"burned\n") {
        Ok(()) => wait_in_test_child(),
        Err(_) => ExitCode::FAILURE,
    }
}

/// Waits for the end of the input.
fn wait_in_test_child() -> ExitCode {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    ExitCode::SUCCESS
}

/// Prints the mechanisms that work.
fn report_self_test() -> ExitCode {
    let holds = |one: &Mechanism| match one {
        Mechanism::Rlimits => {
            getrlimit(Resource::RLIMIT_CORE).is_ok_and(|(soft, hard)| soft <= 1 && hard <= 1)
        }
        // Without Landlock, every process may write to this file.
        Mechanism::Landlock => OpenOptions::new().write(true).open("/proc/self/comm").is_err(),
        Mechanism::Seccomp => {
            let inet = socket(AddressFamily::Inet, SockType::Stream, SockFlag::empty(), None);
            inet.is_err_and(|error| error == Errno::EPERM)
        }
        Mechanism::User => !nix::unistd::geteuid().is_root(),
        // Only the new mount has this limit on files.
        Mechanism::Mounts => std::env::var_os("TMPDIR").is_some_and(|scratch| {
            let found = nix::sys::statvfs::statvfs(scratch.as_os_str());
            found.is_ok_and(|found| found.files() == LIMITS.files)
        }),
        // The only other process is the first one of its namespace.
        Mechanism::Namespaces => std::process::id() == 2,
        _ => false,
    };
    let holding: Vec<Mechanism> = TESTED.into_iter().filter(holds).collect();
    match serde_json::to_writer(std::io::stdout(), &holding) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
