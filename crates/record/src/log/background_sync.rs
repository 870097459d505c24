//! Syncs a file on a separate thread, so that no game waits for the disk.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

/// How many writes are on disk.
#[derive(Default)]
pub(super) struct SyncedWrites(Mutex<(u64, Option<SyncListener>)>);

/// Is told how many writes are on disk.
type SyncListener = Box<dyn Fn(u64) + Send>;

impl SyncedWrites {
    /// Tells `listener` how many there are, now and after each sync.
    pub(super) fn listen(&self, listener: SyncListener) {
        let mut state = self.lock();
        listener(state.0);
        state.1 = Some(listener);
    }

    /// So many are on disk now.
    pub(super) fn set(&self, writes: u64) {
        let mut state = self.lock();
        state.0 = writes;
        if let Some(listener) = &state.1 {
            listener(writes);
        }
    }

    fn count(&self) -> u64 {
        self.lock().0
    }

    fn lock(&self) -> MutexGuard<'_, (u64, Option<SyncListener>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SyncedWrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyncedWrites").finish_non_exhaustive()
    }
}

/// A thread that syncs a file after it was written to.
#[derive(Debug)]
pub(super) struct BackgroundSync {
    /// Each write, and true for a sync at once. Dropped at the end.
    messages: Option<Sender<bool>>,
    thread: Option<JoinHandle<()>>,
    /// The error of a failed sync.
    failed: Arc<OnceLock<io::Error>>,
}

impl BackgroundSync {
    /// Starts a thread that calls `sync` at most `every` after a write, and adds the writes that are
    /// on disk to `synced`.
    pub(super) fn start(
        every: Duration,
        sync: impl FnMut() -> io::Result<()> + Send + 'static,
        synced: Arc<SyncedWrites>,
    ) -> io::Result<Self> {
        let (messages, inbox) = channel();
        let failed = Arc::new(OnceLock::new());
        let theirs = Arc::clone(&failed);
        let work = move || {
            if let Err(error) = sync_after_writes(&inbox, every, sync, &synced) {
                // Nobody knows what a later sync would find.
                let _ = theirs.set(error);
            }
        };
        let thread = thread::Builder::new().name("sync".to_owned()).spawn(work)?;
        Ok(Self { messages: Some(messages), thread: Some(thread), failed })
    }

    /// Reports that data was written.
    pub(super) fn written(&self) {
        self.send(false);
    }

    /// Requests a sync at once.
    pub(super) fn hurry(&self) {
        self.send(true);
    }

    fn send(&self, hurry: bool) {
        if let Some(messages) = &self.messages {
            // The thread ends when a sync fails.
            let _ = messages.send(hurry);
        }
    }

    /// The error of a failed sync. It stays: what was not synced then may never be.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.failed.get().map(|error| io::Error::new(error.kind(), error.to_string()))
    }

    /// Syncs the remaining data, and ends the thread.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end();
        self.failure().map_or(Ok(()), Err)
    }

    fn end(&mut self) {
        drop(self.messages.take());
        // The panic was printed when it happened. It is unknown what was synced.
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            let _ = self.failed.set(io::Error::other("the sync thread ended"));
        }
    }
}

impl Drop for BackgroundSync {
    fn drop(&mut self) {
        self.end();
    }
}

/// Syncs after writes, until no more can come.
fn sync_after_writes(
    messages: &Receiver<bool>,
    every: Duration,
    mut sync: impl FnMut() -> io::Result<()>,
    synced: &SyncedWrites,
) -> io::Result<()> {
    let mut written = synced.count();
    while let Ok(mut hurry) = messages.recv() {
        written += u64::from(!hurry);
        let due = Instant::now() + every;
        while !hurry {
            let left = due.saturating_duration_since(Instant::now());
            // It is time, or the end.
            let Ok(next) = messages.recv_timeout(left) else { break };
            written += u64::from(!next);
            hurry = next;
        }
        sync()?;
        synced.set(written);
    }
    Ok(())
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
        let synced = Arc::<SyncedWrites>::default();
        let (count, counts) = mpsc::channel();
        synced.set(5);
        synced.listen(Box::new(move |writes| count.send(writes).expect("heard")));
        let soon =
            BackgroundSync::start(Duration::from_millis(1), sync.clone(), Arc::clone(&synced));
        let soon = soon.expect("a thread");
        soon.written();
        told.recv_timeout(LONG).expect("a sync by itself");
        soon.finish().expect("nothing is left");
        let late = BackgroundSync::start(HOUR, sync, synced).expect("a thread");
        late.written();
        late.hurry();
        told.recv_timeout(LONG).expect("a sync at once");
        late.written();
        late.finish().expect("a sync at the end");
        assert_eq!(told.try_iter().count(), 1);
        assert_eq!(counts.try_iter().collect::<Vec<_>>(), [5, 6, 7, 8]);
    }

    #[test]
    fn failed_syncs_are_reported() {
        let synced = Arc::<SyncedWrites>::default();
        let (count, counts) = mpsc::channel();
        synced.listen(Box::new(move |writes| count.send(writes).expect("heard")));
        let failing = || Err(io::Error::other("no disk"));
        let mut background = BackgroundSync::start(HOUR, failing, synced).expect("a thread");
        background.written();
        background.end();
        for _ in 0..2 {
            assert_eq!(background.failure().expect("it stays").to_string(), "no disk");
        }
        assert_eq!(background.finish().expect_err("it failed").to_string(), "no disk");
        assert_eq!(counts.try_iter().collect::<Vec<_>>(), [0]);
    }
}
