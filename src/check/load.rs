//! Keeps a core busy with threads that only compute.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The number of threads that compete with the player.
const THREADS: usize = 2;

/// Keeps the current thread's cores busy until it is dropped.
#[derive(Debug)]
pub(super) struct Load {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts the load; its threads share the cores of the calling thread.
    ///
    /// # Errors
    /// Fails if the system has no thread left.
    pub(super) fn begin() -> io::Result<Self> {
        let mut load = Self { over: Arc::new(AtomicBool::new(false)), threads: Vec::new() };
        for _ in 0..THREADS {
            let over = Arc::clone(&load.over);
            let burn = move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            };
            load.threads.push(thread::Builder::new().name("load".to_owned()).spawn(burn)?);
        }
        Ok(load)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that only computes cannot fail.
            let _ = thread.join();
        }
    }
}
