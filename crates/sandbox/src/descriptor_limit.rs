//! The limit on open files of this process.
//!
//! The caller raises its own limit as far as it may. Its commands keep the original limit.

use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::error::TooFewDescriptors;

/// The smallest limit on open files with which a process can be started.
const LEAST: u64 = 64;

/// The limit that this process started with.
static GIVEN: OnceLock<u64> = OnceLock::new();

/// Raises the limit on open files of this process to its hard limit. Fails if that is too low to
/// start a process.
///
/// Call it once, before opening anything. Commands get the limit that this process started with.
pub fn raise_descriptor_limit() -> Result<(), TooFewDescriptors> {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if hard < LEAST {
        return Err(TooFewDescriptors { most: hard, needed: LEAST });
    }
    let wanted = if cfg!(target_os = "macos") { hard.min(MOST_ON_MACOS) } else { hard };
    if wanted > soft && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() {
        // It has not been set before.
        let _ = GIVEN.set(soft);
    }
    Ok(())
}

/// The highest limit that macOS accepts, even if the hard limit is higher (`OPEN_MAX`).
const MOST_ON_MACOS: u64 = 10_240;

/// The number of files that this process may have open at once.
pub fn descriptor_limit() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(soft, _)| soft)
}

/// The limit that this process started with, if it has changed since.
#[cfg(target_os = "linux")]
pub(crate) fn given_descriptor_limit() -> Option<u64> {
    GIVEN.get().copied()
}
