//! Starts a command with limits, and says how it ended.

#[cfg(not(unix))]
compile_error!(
    "processes are sandboxed on Linux, and started on macOS; other systems are not supported"
);

mod capabilities;
#[cfg(target_os = "linux")]
mod cgroup;
mod command;
mod cpu_clock;
mod descriptors;
mod error;
#[cfg(target_os = "linux")]
mod exec;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod landlock;
mod leftovers;
mod level;
pub mod limits;
#[cfg(target_os = "linux")]
mod monitor;
#[cfg(target_os = "linux")]
mod mounts;
mod pipes;
mod policy;
#[cfg(target_os = "linux")]
mod prepare;
#[cfg(target_os = "linux")]
mod process;
#[cfg(not(target_os = "linux"))]
#[path = "uncontained.rs"]
mod process;
mod process_state;
#[cfg(target_os = "linux")]
mod process_tree;
#[cfg(target_os = "linux")]
mod procfs;
#[cfg(target_os = "linux")]
mod protocol;
mod request;
mod resolve;
#[cfg(target_os = "linux")]
mod resources;
#[cfg(target_os = "linux")]
mod runtimes;
#[cfg(target_os = "linux")]
mod scratch;
#[cfg(target_os = "linux")]
mod seccomp;
mod self_test;
mod signals;
#[cfg(target_os = "linux")]
mod start_request;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod users;

use std::process::ExitCode;

pub use capabilities::{Capability, capabilities};
pub use command::{Command, Helper, THIS_PROGRAM};
pub use cpu_clock::{CpuClock, CpuReading};
pub use descriptors::{descriptor_limit, raise_descriptor_limit};
pub use error::{
    ResolveError, Resource, Shortage, SpawnError, SupervisorGone, TooFewDescriptors, Unavailable,
};
pub use leftovers::{Leftovers, UnremovedScratch};
pub use level::{Level, Mechanism};
pub use limits::{Limits, Overrun};
pub use pipes::Pipes;
pub use policy::{Missing, Policy};
pub use process::Process;
pub use process_state::ProcessState;
pub use request::{Request, Requirement};
pub use resolve::resolve;
pub use signals::is_ignored;

/// Does the work of a supervisor if that is what this process was started for; `None` in every
/// other process. Every program that starts sandboxed processes calls this before anything else.
pub fn serve_as_supervisor() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let mut args = std::env::args_os().skip(1);
        if args.next()? != protocol::SUPERVISOR {
            return None;
        }
        Some(match args.next() {
            Some(_) => {
                self_test::child::serve(args.next().as_deref().and_then(std::ffi::OsStr::to_str))
            }
            None => supervisor::serve(),
        })
    }
    #[cfg(not(target_os = "linux"))]
    None
}
