//! A thread that packs the games of one script while the next ones are replayed.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use crate::report::replay_frames::ReplayFrames;
use crate::report::replay_pack::ReplayPack;

/// How many games may wait to be packed.
const WAITING: usize = 16;

/// Packs games on a thread of its own.
#[derive(Debug)]
pub(super) struct PackThread {
    games: SyncSender<ReplayFrames>,
    thread: JoinHandle<io::Result<String>>,
}

impl PackThread {
    /// Starts the thread.
    pub(super) fn start() -> io::Result<Self> {
        let (games, inbox) = sync_channel::<ReplayFrames>(WAITING);
        let work = move || {
            let mut pack = ReplayPack::default();
            for game in inbox {
                pack.add(&game);
            }
            pack.finish()
        };
        let thread = thread::Builder::new().name("pack".to_owned()).spawn(work)?;
        Ok(Self { games, thread })
    }

    /// Adds a game.
    pub(super) fn add(&self, game: ReplayFrames) {
        // The thread takes games until it panics, and then `finish` panics too.
        let _ = self.games.send(game);
    }

    /// The pack of all games as text.
    pub(super) fn finish(self) -> io::Result<String> {
        drop(self.games);
        self.thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}
