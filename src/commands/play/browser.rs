//! A game that a person plays in a browser: the referee sends the board and the legal actions, and
//! the page sends back what the person chooses.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::response::sse::{Event as SentEvent, KeepAlive, Sse};
use axum::routing::{get, post};
use serde::Serialize;
use tokio::sync::{Mutex, mpsc, watch};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt as _};

use crate::command_failure::Failure;
use crate::commands::runtime::new_runtime;
use referee_games::{AnyPosition, BoardLook, BySeat, Drawing, DrawnBoard, Event, Legal, Text};
use referee_match::player::user_interface::{PendingLine, Question, UserInterface};
use referee_match::replay::event_descriptions::{describe_events, events_are_ply};
use referee_match::replay::frames::Frame;
use referee_protocol::escape::escape_line;
use referee_record::seeds::draw_random_identity;
use referee_report::page::game_page::game_page;
use referee_web::{EVENTS, WebServer};

/// The most bytes that a person may type at once.
const LONGEST: usize = 1000;

/// The game as the page shows it.
#[derive(Debug, Clone, Default, Serialize)]
struct BrowserView {
    players: Vec<String>,
    seats: Vec<Text>,
    look: Option<BoardLook>,
    frame: Frame,
    /// The board on which actions name squares.
    #[serde(skip)]
    board: DrawnBoard,
    /// What happened so far, each with the number of its ply.
    story: Vec<(u32, String)>,
    /// The reply to the last answer of the person.
    told: String,
    /// What the person sees of a game with hidden information.
    sees: String,
    asked: Option<OpenQuestion>,
    /// How many questions were asked so far.
    questions: u64,
    /// How the game ended.
    end: Option<String>,
}

/// A question that waits for an answer.
#[derive(Debug, Clone, Serialize)]
struct OpenQuestion {
    number: u64,
    seat: u8,
    text: String,
    legal: Legal,
    /// The squares to click for each legal action of a list: any one of each group.
    squares: Vec<Vec<Vec<usize>>>,
}

impl BrowserView {
    /// Shows a position after these events.
    fn draw(&mut self, position: &dyn AnyPosition, events: &[Event]) {
        self.frame = Frame::whole(position, events);
        if let Drawing::Board(board, look) = position.draw() {
            self.board = board;
            self.look = Some(look.clone());
        }
    }

    /// The squares that each legal action of a list names.
    fn squares_of(&self, legal: &Legal) -> Vec<Vec<Vec<usize>>> {
        match (legal, &self.look) {
            (Legal::List(actions), Some(look)) => {
                actions.iter().map(|action| self.board.squares_named_in(action, look)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The state of the server, which runs on a thread of its own.
#[derive(Debug, Clone)]
struct BrowserServer {
    page: Arc<str>,
    view: Arc<watch::Sender<BrowserView>>,
    typed: mpsc::UnboundedSender<String>,
}

/// A game in a browser.
#[derive(Debug)]
pub(super) struct BrowserPage {
    view: Arc<watch::Sender<BrowserView>>,
    lines: Lines,
}

/// Input from people at the page. Only one of them acts at a time.
type Lines = Arc<Mutex<mpsc::UnboundedReceiver<String>>>;

impl BrowserPage {
    /// Serves the page of a game on `address` from now on. Returns the page's address, too.
    pub(super) fn open(
        address: SocketAddr,
        players: &BySeat<String>,
        seats: &BySeat<Text>,
    ) -> Result<(Self, String), Failure> {
        let runtime = new_runtime()?;
        let server = runtime.block_on(WebServer::listen(address))?;
        let url = server.url();
        let title = players.values().join(" – ");
        let view = BrowserView {
            players: players.values().iter().map(|name| escape_line(name)).collect(),
            seats: seats.values().to_vec(),
            ..BrowserView::default()
        };
        let view = Arc::new(watch::Sender::new(view));
        let (typed, lines) = mpsc::unbounded_channel();
        let page = game_page(&title, &draw_random_identity()?).into();
        let routes = browser_game_routes(BrowserServer { page, view: Arc::clone(&view), typed });
        let serve = move || match runtime.block_on(server.serve(routes)) {};
        thread::Builder::new()
            .name("browser".to_owned())
            .spawn(serve)
            .map_err(|error| Failure::system(format!("cannot start a thread: {error}")))?;
        Ok((Self { view, lines: Arc::new(Mutex::new(lines)) }, url))
    }

    /// How the person in front of the page plays.
    pub(super) fn user_interface(&self) -> Box<dyn UserInterface> {
        let (view, lines) = (Arc::clone(&self.view), Arc::clone(&self.lines));
        Box::new(BrowserInterface { view, lines })
    }

    /// Shows the position in which a game begins, or to which it goes back.
    pub(super) fn start(&self, position: &dyn AnyPosition, steps: &[Vec<Event>]) {
        self.view.send_modify(|view| {
            let events = steps.last().map_or(&[][..], Vec::as_slice);
            view.draw(position, events);
            view.story = browser_events_so_far(steps);
        });
    }

    /// Shows the position after a step.
    pub(super) fn step(&self, position: &dyn AnyPosition, events: &[Event]) {
        self.view.send_modify(|view| {
            view.story.push((position.ply(), describe_events(events)));
            view.told.clear();
            if events_are_ply(events) {
                view.draw(position, events);
            } else {
                // A roll leaves the board as it was, and the last action stays marked.
                view.frame.show_luck(position);
            }
        });
    }

    /// Shows how the game ended.
    pub(super) fn end(&self, end: &str) {
        self.view.send_modify(|view| {
            view.end = Some(end.to_owned());
            view.asked = None;
        });
    }

    /// Waits until no page is open any more.
    pub(super) async fn closed(&self) {
        self.view.closed().await;
    }
}

/// What happened in these steps, each with the number of its ply.
fn browser_events_so_far(steps: &[Vec<Event>]) -> Vec<(u32, String)> {
    let mut ply = 0;
    let told = steps.iter().map(|events| {
        ply += u32::from(events_are_ply(events));
        (ply, describe_events(events))
    });
    told.collect()
}

fn browser_game_routes(server: BrowserServer) -> Router {
    Router::new()
        .route("/", get(async |State(server): State<BrowserServer>| Html(server.page.to_string())))
        .route(EVENTS, get(stream_browser_game))
        .route("/say/{number}", post(accept_browser_answer))
        .layer(DefaultBodyLimit::max(LONGEST))
        .with_state(server)
}

/// Sends the game whenever it changes.
async fn stream_browser_game(
    State(server): State<BrowserServer>,
) -> Sse<impl Stream<Item = Result<SentEvent, Infallible>>> {
    let views = WatchStream::new(server.view.subscribe());
    let json = |view| serde_json::to_string(&view).unwrap_or_default();
    Sse::new(views.map(move |view| Ok(SentEvent::default().data(json(view)))))
        .keep_alive(KeepAlive::default())
}

/// Takes the answer to the question with this number. An answer to another one came too late.
async fn accept_browser_answer(
    State(server): State<BrowserServer>,
    Path(number): Path<u64>,
    text: String,
) -> StatusCode {
    let is_answer = server
        .view
        .send_if_modified(|view| view.asked.take_if(|asked| asked.number == number).is_some());
    // The receiver is there as long as the game.
    if is_answer && server.typed.send(text).is_ok() {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::CONFLICT
    }
}

/// The person in front of the page.
#[derive(Debug)]
struct BrowserInterface {
    view: Arc<watch::Sender<BrowserView>>,
    lines: Lines,
}

impl UserInterface for BrowserInterface {
    fn tell(&mut self, text: &str) {
        self.view.send_modify(|view| view.told.push_str(text));
    }

    fn show_view(&mut self, text: &str) {
        self.view.send_modify(|view| text.clone_into(&mut view.sees));
    }

    fn ask(&mut self, question: Question) -> PendingLine<'_> {
        let Question { seat, text, legal } = question;
        self.view.send_modify(|view| {
            view.questions += 1;
            let (number, squares) = (view.questions, view.squares_of(&legal));
            view.asked = Some(OpenQuestion { number, seat: seat.number(), text, legal, squares });
        });
        Box::pin(async {
            let line = self.lines.lock().await.recv().await?;
            self.view.send_modify(|view| view.told.clear());
            // A separate line for any input.
            Some(line.replace(['\n', '\r'], " "))
        })
    }
}
