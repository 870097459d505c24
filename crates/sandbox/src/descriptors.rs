//! How many files this process may have open at once.
//!
//! The caller takes all that it may. What its commands get is not changed by that.

use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::error::TooFewDescriptors;

/// Without so many open files no process can be started.
const LEAST: u64 = 64;

/// The limit that this process was started with.
static GIVEN: OnceLock<u64> = OnceLock::new();

/// Lets this process open as many files as its hard limit allows; fails when that is too few to
/// start a process.
///
/// Call it once, before anything is opened. Commands get the limit that this process began with.
pub fn raise_descriptor_limit() -> Result<(), TooFewDescriptors> {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if hard < LEAST {
        return Err(TooFewDescriptors { most: hard, needed: LEAST });
    }
    let wanted = if cfg!(target_os = "macos") { hard.min(MOST_ON_MACOS) } else { hard };
    if wanted > soft && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() {
        // It was not set before.
        let _ = GIVEN.set(soft);
    }
    Ok(())
}

/// The highest limit that macOS accepts, however high the hard limit is (`OPEN_MAX`).
const MOST_ON_MACOS: u64 = 10_240;

/// How many files this process may have open at once.
pub fn descriptor_limit() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft)
}

/// The limit that this process was started with, where it has another one now.
#[cfg(target_os = "linux")]
pub(crate) fn given() -> Option<u64> {
    GIVEN.get().copied()
}
