//! Syncs a file on a separate thread, so that no game waits for the disk.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// A thread that syncs a file after it was written to.
#[derive(Debug)]
pub(super) struct Background {
    /// Each write, and true for a sync at once. Dropped at the end.
    messages: Option<Sender<bool>>,
    thread: Option<JoinHandle<()>>,
    /// The error of a failed sync.
    failed: Arc<OnceLock<io::Error>>,
}

impl Background {
    /// Starts a thread that calls `sync` at most `every` after a write, and tells `synced` how many
    /// of the writes since then are on disk, added to what it says now.
    pub(super) fn start(
        every: Duration,
        sync: impl FnMut() -> io::Result<()> + Send + 'static,
        synced: watch::Sender<u64>,
    ) -> io::Result<Self> {
        let (messages, inbox) = channel();
        let failed = Arc::new(OnceLock::new());
        let theirs = Arc::clone(&failed);
        let work = move || {
            if let Err(error) = keep_synced(&inbox, every, sync, &synced) {
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
            let _ = self.failed.set(io::Error::other("the thread that syncs ended"));
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.end();
    }
}

/// Syncs after writes, until no more can come.
fn keep_synced(
    messages: &Receiver<bool>,
    every: Duration,
    mut sync: impl FnMut() -> io::Result<()>,
    synced: &watch::Sender<u64>,
) -> io::Result<()> {
    let mut written = *synced.borrow();
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
        synced.send_replace(written);
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
