//! Limits the number of connections and the duration of each. So a client that opens many and stays
//! silent cannot shut out others.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::io::InspectWriter;

/// The path at which pages listen for changes.
pub const EVENTS: &str = "/events";
/// The path at which pages see the games in play.
pub(crate) const IN_PLAY: &str = "/in-play";
/// The path at which authors of a league watch what becomes of their submission.
pub(crate) const REPORT_EVENTS: &str = "/author/report";
/// The path at which they hand in. Its handler bounds how long that takes.
pub(crate) const HAND_IN: &str = "/author/hand-in";
/// How long a connection may take to send its request.
const ASKING: Duration = Duration::from_secs(10);
/// How long a connection may last besides the size of its answer, unless it waits for events or hands
/// in.
const FETCHING: Duration = Duration::from_secs(120);
/// The slowest rate at which an answer must be taken after that, in bytes per second.
const SLOWEST: u64 = 16 << 10;
/// How long to wait before the next accept when resources run out.
const PAUSE: Duration = Duration::from_secs(1);

/// The most connections, however many files may be open.
const MOST: usize = 2048;
/// The files that are open besides connections, at most.
const FILES: u64 = 64;

/// The maximum number of connections: the limit on open files, minus some for files.
pub(crate) fn max_connections() -> usize {
    let descriptors = getrlimit(Resource::RLIMIT_NOFILE).map_or(256, |(soft, _)| soft);
    usize::try_from(descriptors.saturating_sub(FILES)).unwrap_or(usize::MAX).clamp(16, MOST)
}

/// Lets this process open as many files as it needs, as far as the system permits: each page that is
/// open in a browser waits on two connections.
pub(crate) fn raise_connection_file_limit() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let wanted = (MOST as u64 + FILES).clamp(soft, hard.max(soft));
        // Otherwise there is room for fewer.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard);
    }
}

/// Accepts and serves connections forever, at most `most` at once.
pub(crate) async fn serve_connections(
    listener: &TcpListener,
    router: &Router,
    most: usize,
) -> Infallible {
    let mut open = OpenConnections { most, all: JoinSet::new(), silent: VecDeque::new() };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => open.admit(stream, router),
            Err(error) => open.recover(&error).await,
        }
    }
}

/// The connections that are open.
struct OpenConnections {
    most: usize,
    all: JoinSet<()>,
    /// Connections that have not sent a request yet, oldest first.
    silent: VecDeque<SilentConnection>,
}

struct SilentConnection {
    stage: Arc<ConnectionState>,
    task: AbortHandle,
}

/// The progress of a connection.
#[derive(Debug, Default)]
struct ConnectionState {
    /// Whether it has sent its request.
    asked: AtomicBool,
    /// Whether it may last: it waits for events as long as the page is open, or hands in.
    lasts: AtomicBool,
    /// How many bytes of the answer its client has taken.
    taken: AtomicU64,
}

impl ConnectionState {
    /// How long it may last, by what its client has taken so far.
    fn time_limit(&self) -> Duration {
        FETCHING + Duration::from_secs(self.taken.load(Ordering::Relaxed) / SLOWEST)
    }

    /// Counts what was sent.
    fn count_sent(&self, sent: &[u8]) {
        self.taken.fetch_add(sent.len() as u64, Ordering::Relaxed);
    }
}

impl OpenConnections {
    /// Adds a connection. If there are too many, drops the oldest silent one, or else the new one.
    fn admit(&mut self, stream: TcpStream, router: &Router) {
        while self.all.try_join_next().is_some() {}
        self.forget_answered();
        if self.all.len() >= self.most && !self.drop_oldest_silent() {
            return;
        }
        let stage = Arc::new(ConnectionState::default());
        let task = self.all.spawn(serve_one_connection(stream, router.clone(), Arc::clone(&stage)));
        self.silent.push_back(SilentConnection { stage, task });
    }

    /// Keeps only those connections in the list of silent ones that still are.
    fn forget_answered(&mut self) {
        self.silent.retain(|SilentConnection { stage, task }| {
            !stage.asked.load(Ordering::Relaxed) && !task.is_finished()
        });
    }

    /// Drops the oldest connection without a request. Returns whether there was one.
    fn drop_oldest_silent(&mut self) -> bool {
        self.forget_answered();
        self.silent.pop_front().map(|silent| silent.task.abort()).is_some()
    }

    /// After a failed accept for lack of resources, frees some and waits.
    async fn recover(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        // These errors concern only the one client.
        if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
            return;
        }
        self.drop_oldest_silent();
        tokio::select! {
            Some(_) = self.all.join_next() => {}
            () = sleep(PAUSE) => {}
        }
    }
}

/// Serves one connection with one request. A client with a slow line gets all of a large answer; one
/// that hardly takes anything does not keep others out for long.
async fn serve_one_connection<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    router: Router,
    stage: Arc<ConnectionState>,
) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(|request: Request<Incoming>| {
        let lasts = [EVENTS, IN_PLAY, REPORT_EVENTS, HAND_IN].contains(&request.uri().path());
        stage.lasts.store(lasts, Ordering::Relaxed);
        stage.asked.store(true, Ordering::Relaxed);
        router.call(request)
    });
    let counted = Arc::clone(&stage);
    let stream = InspectWriter::new(stream, move |sent: &[u8]| counted.count_sent(sent));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ASKING)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let (begun, mut bound) = (Instant::now(), FETCHING);
    while timeout_at(begun + bound, connection.as_mut()).await.is_err() {
        if stage.lasts.load(Ordering::Relaxed) {
            // If the client is gone, the next event fails and shows that.
            let _ = connection.as_mut().await;
            return;
        }
        let later = stage.time_limit();
        if later <= bound {
            return;
        }
        bound = later;
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn ask(stream: &mut TcpStream) -> String {
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        answer
    }

    #[tokio::test]
    async fn answered_connections_are_forgotten() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().route("/", get(async || "the page"));
        let mut open = OpenConnections { most: 8, all: JoinSet::new(), silent: VecDeque::new() };
        for _ in 0..20 {
            let mut stream = TcpStream::connect(address).await.expect("connected");
            open.admit(listener.accept().await.expect("a connection").0, &router);
            assert!(ask(&mut stream).await.ends_with("the page"));
        }
        assert!(open.silent.len() < 3, "{}", open.silent.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_gets_all_but_not_one_that_hardly_takes_anything() {
        const FILE: usize = 30_000_000;
        // What each takes in a second, and how many seconds its connection lasts.
        for (rate, seconds) in [(160_000, 180..200), (8_000, 200..300), (0, 120..130)] {
            let router = Router::new().route("/", get(async || vec![0_u8; FILE]));
            let (mut client, stream) = tokio::io::duplex(64 << 10);
            let begun = Instant::now();
            let serves = async {
                serve_one_connection(stream, router, Arc::default()).await;
                begun.elapsed().as_secs()
            };
            let reads = async {
                client.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.expect("sent");
                let (mut piece, mut taken) = (Vec::new(), 0);
                loop {
                    sleep(Duration::from_secs(1)).await;
                    piece.clear();
                    let mut second = (&mut client).take(rate);
                    let came = second.read_to_end(&mut piece).await.expect("a stream");
                    taken += came;
                    if came == 0 {
                        return taken;
                    }
                }
            };
            let (lasted, taken) = tokio::join!(serves, reads);
            assert!(seconds.contains(&lasted), "{rate} bytes a second: {lasted} s");
            assert_eq!(taken > FILE, rate == 160_000, "{rate} bytes a second: {taken} bytes");
        }
    }

    #[tokio::test]
    async fn silent_connections_make_room_for_requests() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().route("/", get(async || "the page"));
        let all = async {
            let mut silent = Vec::new();
            for _ in 0..40 {
                let mut stream = TcpStream::connect(address).await.expect("connected");
                stream.write_all(b"GET / HT").await.expect("sent");
                silent.push(stream);
            }
            let mut stream = TcpStream::connect(address).await.expect("connected");
            assert!(ask(&mut stream).await.ends_with("the page"));
            // The oldest connections were dropped, and the newest can still ask.
            let mut rest = String::new();
            let first = silent[0].read_to_string(&mut rest).await;
            assert!(first.is_err() || rest.is_empty(), "{rest}");
            let last = silent.last_mut().expect("many");
            last.write_all(b"TP/1.1\r\nhost: x\r\n\r\n").await.expect("sent");
            last.read_to_string(&mut rest).await.expect("an answer");
            assert!(rest.ends_with("the page"), "{rest}");
        };
        tokio::select! {
            () = all => {}
            never = serve_connections(&listener, &router, 8) => match never {},
            () = sleep(Duration::from_secs(60)) => panic!("nobody is answered"),
        }
    }
}
