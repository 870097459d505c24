//! What a visitor of a tournament's page may ask for.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path as Named, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use crate::WebError;
use crate::background_work::in_background;
use crate::compression::SentText;
use crate::connections::{EVENTS, IN_PLAY};
use crate::in_play;
use crate::live_tournament::{self, Naming, Served};
use crate::shared_copy::Freshness;

/// The shortest time between two events.
const PAUSE: Duration = Duration::from_secs(1);
/// The content type of scripts.
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page and its parts. Under pseudonyms, games in play are not shown: the run names their players.
/// They are kept up to date as long as a visitor follows them, which needs a runtime.
pub fn routes(served: Arc<Served>) -> Router {
    tokio::spawn(live_tournament::keep_current(Arc::downgrade(&served)));
    let routes = Router::new()
        .route("/", get(page))
        .route("/changes", get(changes))
        .route("/health", get(async || "ok\n"))
        .route("/games/{file}", get(game))
        .route(EVENTS, get(events));
    let routes = match served.naming {
        Naming::Names => routes.route(IN_PLAY, get(in_play::in_play)),
        Naming::Pseudonyms => routes,
    };
    routes.with_state(served)
}

async fn page(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    match live_tournament::page(&served, Freshness::Recent).await {
        Ok(page) => page.html.answer(&headers),
        Err(failure) => sorry(&failure),
    }
}

/// Answers with the parts of the page that a visitor does not have yet, as JSON. The query lists
/// the hashes of those that it has, with commas between them.
async fn changes(
    State(served): State<Arc<Served>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    let have: HashSet<&str> = query.split(',').collect();
    let answer = match live_tournament::page(&served, Freshness::Recent).await {
        Ok(page) => page.changes(&have).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(answer) => answer.answer(&headers),
        Err(failure) => sorry(&failure),
    }
}

/// Answers with a game, or the list of all games, as a script.
async fn game(
    State(served): State<Arc<Served>>,
    Named(file): Named<String>,
    headers: HeaderMap,
) -> Response {
    let Some(id) = file.strip_suffix(".js").map(str::to_owned) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Ok(permit) = Arc::clone(&served.at_work).acquire_owned().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let source = Arc::clone(&served);
    let made = in_background(move || {
        // The work goes on when the visitor has left.
        let _held_until_it_ends = permit;
        let script = match id.as_str() {
            "index" => Some(source.index()?),
            id => source.replay_script(id)?,
        };
        Ok(script.map(|script| SentText::new(SCRIPT, script)))
    });
    match made.await {
        Ok(Some(script)) => {
            ([(header::CACHE_CONTROL, "no-cache")], script.answer(&headers)).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(failure) => sorry(&failure),
    }
}

/// Sends an event whenever there is another page, at most one each [`PAUSE`].
async fn events(State(served): State<Arc<Served>>) -> Response {
    let Ok(permit) = Arc::clone(&served.followers).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many pages are waiting for changes\n")
            .into_response();
    };
    let changes = WatchStream::from_changes(served.pages.made());
    served.followed.notify_one();
    let events = changes.throttle(PAUSE).map(move |count| {
        let _held_as_long_as_the_stream = &permit;
        Ok::<_, Infallible>(Event::default().data(count.to_string()))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

pub(crate) fn sorry(failure: &WebError) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{failure}\n")).into_response()
}
