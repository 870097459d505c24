//! Connections: so many at once, and each for a limited time. Whoever opens many and says nothing
//! shuts nobody out.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use nix::sys::resource::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::EVENTS;

/// A connection may take so long to say what it asks for.
const ASKING: Duration = Duration::from_secs(10);
/// It may take so long for everything, unless it waits for events.
const FETCHING: Duration = Duration::from_secs(120);
/// When there is nothing left to accept a connection with, the next is tried after so long.
const PAUSE: Duration = Duration::from_secs(1);

/// How many connections there may be at once: as many as there are descriptors for, some being
/// left for files.
pub(super) fn most() -> usize {
    let descriptors = getrlimit(Resource::RLIMIT_NOFILE).map_or(256, |(soft, _)| soft);
    usize::try_from(descriptors.saturating_sub(64)).unwrap_or(usize::MAX).clamp(16, 512)
}

/// Answers whoever connects, `most` at once, for ever.
pub(super) async fn serve(listener: &TcpListener, router: &Router, most: usize) -> Infallible {
    let mut open = Open { most, all: JoinSet::new(), silent: VecDeque::new() };
    loop {
        match listener.accept().await {
            Ok((stream, _)) => open.admit(stream, router),
            Err(error) => open.recover(&error).await,
        }
    }
}

/// The connections that are open.
struct Open {
    most: usize,
    all: JoinSet<()>,
    /// Those that have not asked for anything yet, the oldest first.
    silent: VecDeque<Silent>,
}

struct Silent {
    stage: Arc<Stage>,
    task: AbortHandle,
}

/// How far a connection is.
#[derive(Debug, Default)]
struct Stage {
    /// It has said what it asks for.
    asked: AtomicBool,
    /// It waits for events, as long as the page is looked at.
    follows: AtomicBool,
}

impl Open {
    /// Takes in a connection. Where there are too many the oldest silent one goes, or else this.
    fn admit(&mut self, stream: TcpStream, router: &Router) {
        while self.all.try_join_next().is_some() {}
        if self.all.len() >= self.most && !self.dismiss() {
            return;
        }
        let stage = Arc::new(Stage::default());
        let task = self.all.spawn(converse(stream, router.clone(), Arc::clone(&stage)));
        self.silent.push_back(Silent { stage, task });
    }

    /// Ends the oldest connection that has not asked for anything; says whether there was one.
    fn dismiss(&mut self) -> bool {
        self.silent.retain(|Silent { stage, task }| {
            !stage.asked.load(Ordering::Relaxed) && !task.is_finished()
        });
        self.silent.pop_front().map(|silent| silent.task.abort()).is_some()
    }

    /// Makes room where a connection could not be accepted for want of something, and waits for it.
    async fn recover(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        // The visitor's own affair.
        if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
            return;
        }
        self.dismiss();
        tokio::select! {
            Some(_) = self.all.join_next() => {}
            () = sleep(PAUSE) => {}
        }
    }
}

/// Answers one request.
async fn converse(stream: TcpStream, router: Router, stage: Arc<Stage>) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(|request: Request<Incoming>| {
        stage.follows.store(request.uri().path() == EVENTS, Ordering::Relaxed);
        stage.asked.store(true, Ordering::Relaxed);
        router.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ASKING)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = timeout(FETCHING, connection.as_mut()).await.is_ok();
    if !ended && stage.follows.load(Ordering::Relaxed) {
        // A visitor that is gone shows itself at the next event.
        let _ = connection.await;
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
    async fn the_silent_make_room_for_who_asks() {
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
            // The oldest were sent away, the youngest may still ask.
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
            never = serve(&listener, &router, 8) => match never {},
            () = sleep(Duration::from_secs(60)) => panic!("nobody is answered"),
        }
    }
}
