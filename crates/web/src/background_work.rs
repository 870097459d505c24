//! Slow work beside the connections.

use referee_tournament::run::cores::yield_cores_to_games;

use crate::WebError;

/// Runs slow work on a background thread, away from the connections. The thread has the lowest
/// priority, so that it takes no time from games that are played on this machine.
pub(crate) async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WebError> + Send + 'static,
) -> Result<T, WebError> {
    let ended = tokio::task::spawn_blocking(|| {
        yield_cores_to_games();
        work()
    });
    let ended = ended.await;
    ended.unwrap_or_else(|error| Err(error.into()))
}
