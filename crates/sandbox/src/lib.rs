#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ```text
//! caller ──socket──► supervisor ──► command                                 off, basic
//!    │         forks ▲   └────────► init (PID 1 of the namespaces) ──► command    strict
//!    └────► launcher ┘
//! ```
//!
//! At the first start under a policy, the caller starts itself once more as the launcher, which
//! forks a supervisor for each command. The supervisor is a small process with one thread. So
//! nothing allocates between fork and exec in a multithreaded process, and no parent-death signal
//! comes early because a thread ended. It receives the setup and the command's pipes over a socket;
//! creates control groups, the scratch folder and mounts; and starts the command. It reaps all
//! descendants. When the caller asks, or when the socket closes because the caller is gone, it
//! kills them all and removes what it created.
//!
//! # Modules
//!
//! A module imports only modules listed above it.
//!
//! - The input: `containment_request`, `paths`, `command`, and the crate `referee_containment`; the
//!   output: `error`.
//! - The files that a process may see: `system_paths`, `installations`, `visible_paths`.
//! - System information: `descriptor_limit`, `ignored_signals`, `procfs`, `process_state`, `process_tree`.
//! - Between caller and supervisor: `supervisor_protocol`, `descriptor_link`, `loopback`, `start_request`,
//!   `fork`, `systemd`, `launcher`.
//! - Containment: `sandbox_users`, `cgroup`, `scratch_folder`, `file_tree`, `mounts`, `landlock`,
//!   `seccomp`.
//! - The supervisor's side: `exec`, `init`, `resources`, `monitor`, `supervisor`.
//! - The caller's side: `policy`, `prepare`, `cpu_clock`, `process_pipes`, `proxy`, `supervisor_child`,
//!   `sandboxed_process` (`uncontained` on macOS).
//! - Tests of this machine: `self_test`, `resolve`, `capabilities`.

#[cfg(not(unix))]
compile_error!("this crate runs on Linux and macOS; this system is not supported");

mod capabilities;
#[cfg(target_os = "linux")]
mod cgroup;
mod command;
mod containment_request;
mod core_waits;
mod cpu_clock;
mod descriptor_limit;
#[cfg(target_os = "linux")]
mod descriptor_link;
mod error;
#[cfg(target_os = "linux")]
mod exec;
#[cfg(target_os = "linux")]
mod file_tree;
#[cfg(target_os = "linux")]
mod fork;
mod ignored_signals;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod installations;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(target_os = "linux")]
mod loopback;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "a sandbox needs all of it"))]
mod machine_settings;
#[cfg(target_os = "linux")]
mod monitor;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "a sandbox needs all of it"))]
mod paths;
mod policy;
#[cfg(target_os = "linux")]
mod prepare;
mod process_pipes;
mod process_state;
#[cfg(target_os = "linux")]
mod process_tree;
#[cfg(target_os = "linux")]
mod procfs;
#[cfg(target_os = "linux")]
mod proxy;
mod resolve;
#[cfg(target_os = "linux")]
mod resources;
#[cfg(target_os = "linux")]
mod sandbox_users;
#[cfg(target_os = "linux")]
mod sandboxed_process;
#[cfg(not(target_os = "linux"))]
#[path = "uncontained.rs"]
mod sandboxed_process;
#[cfg(target_os = "linux")]
mod scratch_folder;
#[cfg(target_os = "linux")]
mod seccomp;
mod self_test;
#[cfg(target_os = "linux")]
mod start_request;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod supervisor_child;
#[cfg(target_os = "linux")]
mod supervisor_protocol;
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "a sandbox needs all of it"))]
mod system_paths;
#[cfg(target_os = "linux")]
mod systemd;
#[cfg(target_os = "linux")]
mod timer_gate;
#[cfg(target_os = "linux")]
mod visible_paths;

use std::process::ExitCode;

pub use capabilities::{Capability, capabilities};
pub use command::{Command, DirView, Helper, IMAGE_PATH, MOST_NETWORK_FILES, THIS_PROGRAM};
pub use containment_request::{Network, Request};
pub use core_waits::CoreWaits;
pub use cpu_clock::{CpuClock, CpuReading};
pub use descriptor_limit::{descriptor_limit, raise_descriptor_limit};
pub use error::{
    ResolveError, Resource, ScopeError, Shortage, SpawnError, SupervisorGone, TooFewDescriptors,
    Unavailable,
};
pub use ignored_signals::is_signal_ignored;
pub use policy::Policy;
pub use process_pipes::Pipes;
pub use process_state::ProcessState;
pub use referee_containment::{
    Endpoint, InvalidEndpoint, Leftovers, Level, Limits, Mechanism, Overrun, PinnedPath,
    Requirement, UnremovedScratch, resource_limits,
};
use referee_containment::{leftovers, level, pinned_path};
pub use resolve::resolve;
pub use sandboxed_process::SandboxedProcess;
pub use system_paths::is_system_path;

/// Runs the supervisor if this process was started as one, and returns its exit code. Returns
/// `None` in every other process.
///
/// Every program that starts sandboxed processes must call this first in `main`.
pub fn serve_as_supervisor() -> Option<ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let mut args = std::env::args_os().skip(1);
        if args.next()? != supervisor_protocol::SUPERVISOR {
            return None;
        }
        Some(match args.next() {
            Some(_) => self_test::self_test_child::run_self_test_child(
                args.next().as_deref().and_then(std::ffi::OsStr::to_str),
            ),
            None => launcher::run_launcher(supervisor::run_supervisor),
        })
    }
    #[cfg(not(target_os = "linux"))]
    None
}
