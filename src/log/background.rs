//! Syncs a file on a separate thread, so that no game waits for the disk.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::watch;

/// A thread that syncs a file after it was written to.
#[derive(Debug)]
pub(super) struct Background {
    shared: Arc<SyncShared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct SyncShared {
    state: Mutex<SyncState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct SyncState {
    /// The number of writes.
    written: u64,
    /// How many of them a sync was tried for.
    handled: u64,
    /// Whether to sync at once.
    hurry: bool,
    /// Whether writing has ended.
    over: bool,
    /// The error of a failed sync.
    failed: Option<io::Error>,
}

impl Background {
    /// Starts a thread that calls `sync` at most `every` after a write, and tells `synced` how many
    /// of the writes since then are on disk, added to what it says now.
    pub(super) fn start(
        every: Duration,
        sync: impl FnMut() -> io::Result<()> + Send + 'static,
        synced: watch::Sender<u64>,
    ) -> io::Result<Self> {
        let shared = Arc::new(SyncShared::default());
        let theirs = Arc::clone(&shared);
        let work = move || theirs.keep_synced(every, sync, &synced);
        let thread = thread::Builder::new().name("sync".to_owned()).spawn(work)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Reports that data was written.
    pub(super) fn written(&self) {
        let mut state = self.shared.state();
        // Otherwise the thread knows that there is something to sync, and waits until it is time.
        let is_first = state.written == state.handled;
        state.written += 1;
        drop(state);
        if is_first {
            self.shared.changed.notify_one();
        }
    }

    /// Requests a sync at once.
    pub(super) fn hurry(&self) {
        self.tell(|state| state.hurry = true);
    }

    /// The error of a failed sync. It stays: what was not synced then may never be.
    pub(super) fn failure(&self) -> Option<io::Error> {
        let state = self.shared.state();
        state.failed.as_ref().map(|error| io::Error::new(error.kind(), error.to_string()))
    }

    /// Syncs the remaining data, and ends the thread.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end();
        self.failure().map_or(Ok(()), Err)
    }

    fn end(&mut self) {
        self.tell(|state| state.over = true);
        if let Some(thread) = self.thread.take() {
            // The panic was printed when it happened. It is unknown what was synced.
            if thread.join().is_err() {
                let ended = io::Error::other("the thread that syncs ended");
                self.tell(|state| state.failed = Some(ended));
            }
        }
    }

    fn tell(&self, change: impl FnOnce(&mut SyncState)) {
        change(&mut self.shared.state());
        self.shared.changed.notify_one();
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.end();
    }
}

impl SyncShared {
    fn state(&self) -> MutexGuard<'_, SyncState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_synced(
        &self,
        every: Duration,
        mut sync: impl FnMut() -> io::Result<()>,
        synced: &watch::Sender<u64>,
    ) {
        let before = *synced.borrow();
        while let Some(written) = self.wait(every) {
            match sync() {
                Ok(()) => drop(synced.send_replace(before + written)),
                Err(error) => {
                    // Nobody knows what a later sync would find.
                    self.state().failed = Some(error);
                    return;
                }
            }
        }
    }

    /// Waits until it is time to sync. Returns the number of writes by then, or none at the end,
    /// when nothing is left to sync.
    fn wait(&self, every: Duration) -> Option<u64> {
        let idle = |state: &mut SyncState| state.written == state.handled && !state.over;
        let state = self.changed.wait_while(self.state(), idle);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        if state.written == state.handled {
            return None;
        }
        let unhurried = |state: &mut SyncState| !state.hurry && !state.over;
        let waited = self.changed.wait_timeout_while(state, every, unhurried);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.handled, state.hurry) = (state.written, false);
        Some(state.written)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn written_data_is_synced() {
        let (tell, told) = mpsc::channel();
        let sync = move || tell.send(()).map_err(io::Error::other);
        let synced = watch::Sender::new(5);
        let soon = Background::start(Duration::from_millis(1), sync.clone(), synced.clone());
        let soon = soon.expect("a thread");
        soon.written();
        told.recv_timeout(LONG).expect("a sync by itself");
        soon.finish().expect("nothing is left");
        let late = Background::start(HOUR, sync, synced.clone()).expect("a thread");
        late.written();
        late.hurry();
        told.recv_timeout(LONG).expect("a sync at once");
        late.written();
        late.finish().expect("a sync at the end");
        assert_eq!(told.try_iter().count(), 1);
        assert_eq!(*synced.borrow(), 5 + 1 + 2);
    }

    #[test]
    fn failed_syncs_are_reported() {
        let synced = watch::Sender::new(0);
        let failing = || Err(io::Error::other("no disk"));
        let mut background = Background::start(HOUR, failing, synced.clone()).expect("a thread");
        background.written();
        background.end();
        for _ in 0..2 {
            assert_eq!(background.failure().expect("it stays").to_string(), "no disk");
        }
        assert_eq!(background.finish().expect_err("it failed").to_string(), "no disk");
        assert_eq!(*synced.borrow(), 0);
    }
}
