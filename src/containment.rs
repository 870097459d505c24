//! What a player's process may touch and use, and what this machine can enforce.
//!
//! Every player is started by a *guard*: this same program, started anew as a small process with
//! one thread. The guard is given a specification and the player's pipes over a socket, sets up
//! the box, starts the player in it, and stays beside it: it reaps what the player leaves behind,
//! kills all of it when it is told to, and does the same by itself when the socket closes because
//! the referee is gone. Nothing is allocated between a fork and an exec of a process that
//! has threads, and no death signal is used that fires when a mere thread ends.
//!
//! ```text
//! referee ──socket──► guard ──► player                      off, basic
//!                       └─────► init (PID 1 of the box) ──► player     strict
//! ```

#[cfg(target_os = "linux")]
mod cgroup;
mod descriptors;
#[cfg(target_os = "linux")]
mod enter;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod guard;
#[cfg(target_os = "linux")]
mod held;
#[cfg(not(target_os = "linux"))]
#[path = "containment/plain.rs"]
mod held;
mod ignored;
#[cfg(target_os = "linux")]
mod init;
mod lack;
mod leavings;
mod level;
pub mod limits;
#[cfg(target_os = "linux")]
mod look;
#[cfg(target_os = "linux")]
mod made;
#[cfg(target_os = "linux")]
mod mounts;
mod policy;
mod probe;
#[cfg(target_os = "linux")]
mod rights;
#[cfg(target_os = "linux")]
mod runtime;
#[cfg(target_os = "linux")]
mod scratch;
#[cfg(target_os = "linux")]
mod spec;
#[cfg(target_os = "linux")]
pub(crate) mod tree;
#[cfg(target_os = "linux")]
mod trial;
#[cfg(target_os = "linux")]
mod users;

pub(crate) use held::{Clock, Held, Lost, Pipes};
pub(crate) use ignored::is_ignored;
pub(crate) use leavings::Leavings;
/// The name by which a program is started that is the referee itself, even when its file was
/// replaced since.
pub(crate) const THIS_PROGRAM: &str = "/proc/self/exe";

/// The variable that tells a player where this program lies.
const REFEREE: &str = "REFEREE";

pub use descriptors::{descriptors, take_all_descriptors};
pub use lack::{Lack, NotStarted};
pub use level::{Level, Mechanism};
pub use limits::{Limits, Overrun};
pub use policy::{Policy, Requirement, Wish};
pub use probe::{Finding, probe};

use std::process::ExitCode;

/// The first argument that makes this program a guard.
const GUARD: &str = "__guard";

/// The second argument that makes it a player which only tries its box.
#[cfg(target_os = "linux")]
const NOTHING: &str = "trial";

/// Does the work of a guard if that is what this process was started for; `None` in every other
/// process. Every program that starts players calls this before anything else.
pub fn serve_as_guard() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != GUARD {
        return None;
    }
    #[cfg(target_os = "linux")]
    return Some(match args.next() {
        Some(_) => trial::serve(args.next().as_deref().and_then(std::ffi::OsStr::to_str)),
        None => guard::serve(),
    });
    #[cfg(not(target_os = "linux"))]
    None
}
