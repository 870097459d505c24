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
use crate::compression::CompressedText;
use crate::connections::{EVENTS, IN_PLAY};
use crate::in_play::serve_games_in_play;
use crate::live_tournament::{LiveTournament, Naming, keep_live_page_current, latest_live_page};
use crate::shared_copy::Freshness;

/// The shortest time between two events.
const PAUSE: Duration = Duration::from_secs(1);
/// The content type of scripts.
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The page and its parts. Under pseudonyms, games in play are not shown: the run names their players.
/// They are kept up to date as long as a visitor follows them, which needs a runtime.
pub fn tournament_routes(served: Arc<LiveTournament>) -> Router {
    tokio::spawn(keep_live_page_current(Arc::downgrade(&served)));
    let routes = Router::new()
        .route("/", get(serve_tournament_page))
        .route("/changes", get(serve_tournament_changes))
        .route("/health", get(async || "ok\n"))
        .route("/games/{file}", get(serve_tournament_game))
        .route(EVENTS, get(serve_tournament_events));
    let routes = match served.naming {
        Naming::Names => routes.route(IN_PLAY, get(serve_games_in_play)),
        Naming::Pseudonyms => routes,
    };
    routes.with_state(served)
}

async fn serve_tournament_page(
    State(served): State<Arc<LiveTournament>>,
    headers: HeaderMap,
) -> Response {
    match latest_live_page(&served, Freshness::Recent).await {
        Ok(page) => page.html.to_response(&headers),
        Err(failure) => respond_with_failure(&failure),
    }
}

/// Answers with the parts of the page that a visitor does not have yet, as JSON. The query lists
/// the hashes of those that it has, with commas between them.
async fn serve_tournament_changes(
    State(served): State<Arc<LiveTournament>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = query.unwrap_or_default();
    let have: HashSet<&str> = query.split(',').collect();
    let answer = match latest_live_page(&served, Freshness::Recent).await {
        Ok(page) => page.missing_parts(&have).await,
        Err(failure) => Err(failure),
    };
    match answer {
        Ok(answer) => answer.to_response(&headers),
        Err(failure) => respond_with_failure(&failure),
    }
}

/// Answers with a game, or the list of all games, as a script.
async fn serve_tournament_game(
    State(served): State<Arc<LiveTournament>>,
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
            "index" => Some(source.game_index_script()?),
            id => source.replay_script(id)?,
        };
        Ok(script.map(|script| CompressedText::new(SCRIPT, script)))
    });
    match made.await {
        Ok(Some(script)) => {
            ([(header::CACHE_CONTROL, "no-cache")], script.to_response(&headers)).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(failure) => respond_with_failure(&failure),
    }
}

/// Sends an event whenever there is another page, at most one each [`PAUSE`].
async fn serve_tournament_events(State(served): State<Arc<LiveTournament>>) -> Response {
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

pub(crate) fn respond_with_failure(failure: &WebError) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{failure}\n")).into_response()
}
