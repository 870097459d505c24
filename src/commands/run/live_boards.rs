//! Shows the games in play to those who connect to a socket in the results folder: `serve`, for its
//! live page. A thread of the lowest priority writes, and nothing is kept on disk.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{fs, io};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use crate::commands::runtime::new_runtime;
use referee_tournament::folder::{LIVE_SOCKET, LiveSocketPath};
use referee_tournament::run::cores::yield_cores_to_games;
use referee_tournament::run::spectators::Spectators;

/// The shortest time between two lines.
const PAUSE: Duration = Duration::from_millis(250);
/// The most spectators at once.
const MOST: usize = 64;

/// A socket at which the games in play can be watched, until this is dropped.
#[derive(Debug)]
pub(super) struct LiveBoards {
    path: PathBuf,
    /// Dropping it ends the thread.
    open: Option<watch::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LiveBoards {
    /// Opens the socket in the results folder `dir`, which this process has locked.
    pub(super) fn open(dir: &Path, spectators: Arc<Spectators>) -> io::Result<Self> {
        let path = dir.join(LIVE_SOCKET);
        // A run that was killed leaves its socket behind.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = std::os::unix::net::UnixListener::bind(LiveSocketPath::in_folder(dir)?)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        let (open, closed) = watch::channel(());
        let serve = move || {
            yield_cores_to_games();
            if let Err(error) = serve_live_boards(listener, &spectators, closed) {
                tracing::warn!(%error, "games in progress cannot be watched");
            }
        };
        let thread = thread::Builder::new().name("live boards".to_owned()).spawn(serve)?;
        Ok(Self { path, open: Some(open), thread: Some(thread) })
    }
}

impl Drop for LiveBoards {
    fn drop(&mut self) {
        drop(self.open.take());
        // It ends at once, and a panic in it changes nothing.
        let _ = self.thread.take().map(JoinHandle::join);
        let _ = fs::remove_file(&self.path);
    }
}

/// Shows games to all who connect, until `closed` has no sender.
fn serve_live_boards(
    listener: std::os::unix::net::UnixListener,
    spectators: &Arc<Spectators>,
    mut closed: watch::Receiver<()>,
) -> io::Result<()> {
    let runtime = new_runtime().map_err(io::Error::other)?;
    runtime.block_on(async {
        let listener = UnixListener::from_std(listener)?;
        let places = Arc::new(Semaphore::new(MOST));
        loop {
            let next = async {
                let permit = Arc::clone(&places).acquire_owned().await.map_err(io::Error::other)?;
                Ok::<_, io::Error>((permit, listener.accept().await?.0))
            };
            let (permit, stream) = tokio::select! {
                _ = closed.changed() => return Ok(()),
                next = next => next?,
            };
            let spectators = Arc::clone(spectators);
            tokio::spawn(async move {
                // Spectators may leave at any time.
                let _ = send_live_boards(stream, &spectators).await;
                drop(permit);
            });
        }
    })
}

/// Sends the games in play, a line each time they change, until the other side closes.
async fn send_live_boards(mut stream: UnixStream, spectators: &Spectators) -> io::Result<()> {
    let (mut from, mut to) = stream.split();
    let changes = WatchStream::new(spectators.subscribe()).throttle(PAUSE);
    tokio::pin!(changes);
    let mut byte = [0];
    loop {
        tokio::select! {
            _ = from.read(&mut byte) => return Ok(()),
            Some(()) = changes.next() => to.write_all(spectators.games_as_json_line().as_bytes()).await?,
            else => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn it_ends_although_as_many_watch_as_may() {
        let dir = tempfile::tempdir().expect("a folder");
        let boards = LiveBoards::open(dir.path(), Arc::default()).expect("a socket");
        let connect = |_| UnixStream::connect(dir.path().join(LIVE_SOCKET)).expect("a listener");
        let watching: Vec<UnixStream> = (0..=MOST).map(connect).collect();
        drop(boards);
        assert_eq!(watching.len(), MOST + 1);
        assert!(!dir.path().join(LIVE_SOCKET).exists());
    }
}
