//! How many files this process may have open at once.
//!
//! The referee takes all that it may. What players get is not changed by that.

use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::error::Failure;

/// Without so many open files there is nothing that the referee could do.
const LEAST: u64 = 64;

/// The limit that this process was started with.
static GIVEN: OnceLock<u64> = OnceLock::new();

/// Lets this process open as many files as it may; an error says that it may open too few to work.
///
/// To be called once, before anything is opened.
pub fn take_all_descriptors() -> Result<(), Failure> {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if hard < LEAST {
        return Err(Failure::system(format!(
            "this process may have {hard} files open at once, and the referee needs {LEAST} at \
             least: raise the limit (`ulimit -n`)"
        )));
    }
    let wanted = if cfg!(target_os = "macos") { hard.min(MOST_ON_MACOS) } else { hard };
    if wanted > soft && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() {
        // It was not set before.
        let _ = GIVEN.set(soft);
    }
    Ok(())
}

/// What the system takes for a limit, however high the hard one is (`OPEN_MAX`).
const MOST_ON_MACOS: u64 = 10_240;

/// How many files this process may have open at once.
pub fn descriptors() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft)
}

/// The limit that this process was started with, where it has another one now.
#[cfg(target_os = "linux")]
pub(super) fn given() -> Option<u64> {
    GIVEN.get().copied()
}
