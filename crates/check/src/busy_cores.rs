//! Keeps a core busy with threads that only compute.

use std::sync::Arc;
use std::{io, thread};

/// The number of threads that compete with the player.
const THREADS: usize = 2;

/// Keeps the current thread's cores busy until the result is dropped. The threads that do so share
/// the cores of the calling thread.
///
/// # Errors
/// Fails if the system has no thread left.
pub(super) fn keep_cores_busy() -> io::Result<Arc<()>> {
    let load = Arc::new(());
    for _ in 0..THREADS {
        let is_wanted = Arc::downgrade(&load);
        let burn = move || {
            while is_wanted.strong_count() > 0 {
                std::hint::spin_loop();
            }
        };
        thread::Builder::new().name("load".to_owned()).spawn(burn)?;
    }
    Ok(load)
}
