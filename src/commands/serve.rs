//! `serve`: the page about a tournament while it runs, updating by itself.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path as Named, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use clap::Args;
use notify::{RecursiveMode, Watcher};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, watch};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::WatchStream;

use super::report::beside::{INDEX_END, game_script, index_begin, index_line};
use super::report::{Studio, each, render};
use super::results::{Tables, find};
use super::run::interrupted;
use super::{Failure, Status};
use crate::printer::Printer;
use crate::rating::Tally;
use crate::rating::tally::Faulted;
use crate::record::log::{LOG, LogReader};
use crate::report::page::shell::Kind;
use crate::tournament::folder::log_failure;

/// Show the page about a tournament in a browser, live while it runs
///
/// The page updates itself when a game ends. It can be reached from this machine alone, unless
/// --listen says otherwise; there is no password. Ctrl-C ends it; it changes no file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  referee serve                          the newest tournament under results/
  referee serve results/autumn-cup --listen 127.0.0.1:0     any free port
  referee serve --listen 0.0.0.0:8018    for everyone who can reach this machine")]
pub struct ServeArgs {
    /// The tournament's folder (default: the newest under results/)
    pub dir: Option<PathBuf>,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8018")]
    pub listen: SocketAddr,
}

/// Serves until Ctrl-C.
pub fn run(args: &ServeArgs, printer: Printer) -> Result<Status, Failure> {
    let dir = find(args.dir.as_deref())?;
    let system = |error: std::io::Error| Failure::system(format!("cannot serve: {error}"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(system)?;
    runtime.block_on(async {
        let mut stop = interrupted()?;
        let listener = TcpListener::bind(args.listen).await.map_err(|error| {
            Failure::system(format!("cannot listen on {}: {error}", args.listen))
        })?;
        let address = listener.local_addr().map_err(system)?;
        let (changed, watched) = watch::channel(0_u64);
        let _watcher = watch_log(&dir, changed)?;
        let served = Arc::new(Served { dir, changed: watched, page: Mutex::new(None) });
        printer.line(&format!("http://{address}/"))?;
        tokio::select! {
            ended = axum::serve(listener, routes(served, address)).into_future() => ended.map_err(system)?,
            _ = stop.wait_for(|stop| *stop) => {}
        }
        Ok(Status::Done)
    })
}

/// What is served.
struct Served {
    dir: PathBuf,
    /// Counts the changes of the log.
    changed: watch::Receiver<u64>,
    /// The last page, and the count of changes when it was begun.
    page: Mutex<Option<(u64, String)>>,
}

/// Counts the changes of the log in `dir` as long as the result lives.
fn watch_log(dir: &Path, changed: watch::Sender<u64>) -> Result<impl Watcher + use<>, Failure> {
    let failure = |error| Failure::system(format!("cannot watch {}: {error}", dir.display()));
    let is_log = |path: &PathBuf| path.file_name().is_some_and(|name| name == LOG);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(is_log)) {
            changed.send_modify(|count| *count += 1);
        }
    })
    .map_err(failure)?;
    watcher.watch(dir, RecursiveMode::NonRecursive).map_err(failure)?;
    Ok(watcher)
}

fn routes(served: Arc<Served>, address: SocketAddr) -> Router {
    let router = Router::new()
        .route("/", get(page))
        .route("/games/{file}", get(game))
        .route("/events", get(events))
        .with_state(served);
    if address.ip().is_loopback() { router.layer(middleware::from_fn(only_local)) } else { router }
}

/// Refuses requests that a page from elsewhere sends here under its own name.
async fn only_local(request: axum::extract::Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let name = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    match name {
        Some("localhost" | "127.0.0.1" | "[::1]") => next.run(request).await,
        _ => (StatusCode::FORBIDDEN, "this page is for this machine alone\n").into_response(),
    }
}

async fn page(State(served): State<Arc<Served>>) -> Response {
    let mut page = served.page.lock().await;
    let count = *served.changed.borrow();
    if let Some((of, html)) = &*page
        && *of == count
    {
        return Html(html.clone()).into_response();
    }
    let dir = served.dir.clone();
    let made =
        in_background(move || render(&dir, &Tables::read(&dir, Faulted::Count)?, Kind::Live, None));
    match made.await {
        Ok(html) => {
            *page = Some((count, html.clone()));
            Html(html).into_response()
        }
        Err(failure) => sorry(&failure),
    }
}

/// A game, or the list of all games, as a script.
async fn game(State(served): State<Arc<Served>>, Named(file): Named<String>) -> Response {
    let Some(id) = file.strip_suffix(".js").map(str::to_owned) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let dir = served.dir.clone();
    let made = in_background(move || match id.as_str() {
        "index" => index(&dir).map(Some),
        id => film(&dir, id),
    });
    match made.await {
        Ok(Some(script)) => script_response(script),
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(failure) => sorry(&failure),
    }
}

fn script_response(script: String) -> Response {
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, header::HeaderValue::from_static("text/javascript; charset=utf-8")),
        (header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache")),
    ]);
    (headers, script).into_response()
}

/// An event whenever the log has changed.
async fn events(State(served): State<Arc<Served>>) -> impl IntoResponse {
    let changes = WatchStream::from_changes(served.changed.clone());
    let events = changes.map(|count| Ok::<_, Infallible>(Event::default().data(count.to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// Work that takes a while, away from the connections.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.unwrap_or_else(|error| Err(Failure::system(error.to_string())))
}

fn sorry(failure: &Failure) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, format!("{failure}\n")).into_response()
}

fn film(dir: &Path, id: &str) -> Result<Option<String>, Failure> {
    let failure = |error| log_failure(dir, &error);
    let mut reader = LogReader::open(dir).map_err(failure)?;
    let studio = Studio::new(reader.header())?;
    while let Some(entry) = reader.next_entry().map_err(failure)? {
        if entry.record.id == id {
            return studio.film(&entry.record).map(|film| Some(game_script(&film)));
        }
    }
    Ok(None)
}

fn index(dir: &Path) -> Result<String, Failure> {
    let reader = LogReader::open(dir).map_err(|error| log_failure(dir, &error))?;
    let names: Vec<String> =
        reader.header().players.iter().map(|player| player.name.clone()).collect();
    let tally = Tally::new(&names);
    let mut list = index_begin();
    each(dir, |entry| {
        list.extend(index_line(&tally, &entry.record));
        Ok(())
    })?;
    Ok(list + INDEX_END)
}
