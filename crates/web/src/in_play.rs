//! The games in play, as the run that plays them shows them.

use std::convert::Infallible;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::{fs, io};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use crate::live_tournament::LiveTournament;
use referee_tournament::folder::LiveSocketPath;

/// An empty list of games in play.
const NONE: &str = "[]";

/// Sends the games in play as JSON whenever they change: all of those that the run shows.
pub(crate) async fn serve_games_in_play(State(served): State<Arc<LiveTournament>>) -> Response {
    let Ok(permit) = Arc::clone(&served.followers).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are watching games\n")
            .into_response();
    };
    let received = subscribe_to_in_play(&served);
    let events = WatchStream::new(received).map(move |line: String| {
        let _held_as_long_as_the_stream = &permit;
        Ok::<_, Infallible>(Event::default().data(line))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// The games in play, one list after the other. All who look share one connection to the run, which
/// lasts as long as a visitor looks.
fn subscribe_to_in_play(served: &LiveTournament) -> watch::Receiver<String> {
    let mut lines = served.in_play.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(lines) = &*lines {
        return lines.subscribe();
    }
    let (sender, received) = watch::channel(NONE.to_owned());
    *lines = Some(sender.clone());
    let (dir, runs, shared) =
        (served.dir.clone(), served.runs.clone(), Arc::clone(&served.in_play));
    tokio::spawn(async move {
        let nobody_looks = async || {
            loop {
                sender.closed().await;
                let mut lines = shared.lock().unwrap_or_else(PoisonError::into_inner);
                // Somebody may have come just now.
                if sender.receiver_count() == 0 {
                    *lines = None;
                    return;
                }
            }
        };
        tokio::select! {
            () = nobody_looks() => {}
            () = follow_games_in_play(dir, runs, &sender) => {}
        }
    });
    received
}

/// Connects to the run in the folder `dir`, if there is one.
async fn connect_to_in_play(dir: &Path) -> io::Result<UnixStream> {
    let path = LiveSocketPath::in_folder(dir)?;
    // A link could lead to the socket of another program.
    if !fs::symlink_metadata(&path)?.file_type().is_socket() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    UnixStream::connect(path).await
}

/// Passes on what each run in `dir` shows, one run after the other.
async fn follow_games_in_play(
    dir: PathBuf,
    mut runs: watch::Receiver<u64>,
    to: &watch::Sender<String>,
) {
    loop {
        runs.mark_unchanged();
        if let Ok(stream) = connect_to_in_play(&dir).await {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                to.send_replace(line);
            }
        }
        // Nothing is in play until another run opens the socket.
        to.send_replace(NONE.to_owned());
        if runs.changed().await.is_err() {
            return;
        }
    }
}
