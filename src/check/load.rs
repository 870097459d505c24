//! Keeps a core busy with threads that only compute.

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
    pub(super) fn begin() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let burn = |_| {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..THREADS).map(burn).collect();
        Self { over, threads }
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
