//! Trouble with games, servers and networks.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::server::{TestServer, WorkerProcess, arena_with_script};
use crate::support::{Arena, Config, wait_until};

/// A player that kills the worker as soon as a game begins.
pub(super) fn given_up(server: &mut TestServer) {
    // The folder of the player travels, so it finds the worker in a file elsewhere.
    let pid_file = tempfile::NamedTempFile::new().expect("a file");
    let (arena, url) = (
        arena_with_script(&format!(
            "read -r line; echo ok; read -r line\n\
             case $line in quit*) exit 0;; esac\n\
             kill -9 $(cat {})\n",
            pid_file.path().display()
        )),
        server.url(),
    );
    let start = || {
        // One game at once: another one would die with it each time, and be given up as well.
        let mut command = arena.command(&["worker", &url, "--jobs", "1", "--name", "victim"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let worker = WorkerProcess(child.expect("a worker"));
        fs::write(pid_file.path(), worker.0.id().to_string()).expect("written");
        worker
    };
    let args = ["run", "--on", &url, "--lease", "1", "--containment", "off"];
    let mut run = arena.start(&args);
    let (mut worker, mut deaths) = (start(), 0);
    wait_until(|| {
        if worker.0.try_wait().expect("a child").is_some() {
            deaths += 1;
            worker = start();
        }
        run.try_wait().expect("a child").is_some()
    });
    let run = arena.finish(run, "");
    assert_eq!(run.code, 3, "{}", run.err);
    let sentence = "5 workers took it, and none of them finished it: victim, ";
    assert!(run.err.contains(sentence), "{}", run.err);
    assert!(deaths >= 5, "{deaths} deaths");
    // What could be played was played.
    let essence = arena.essence();
    assert_eq!(essence.len(), 2, "{}", run.err);
    assert!(essence.values().all(|game| game["players"] != "ant"));
}

/// A rules program that ends in the middle of a game on a worker. The run says what went wrong, and
/// goes on when the program is mended.
pub(super) fn failing_rules(server: &mut TestServer) {
    let (arena, url) = (Arena::new(), server.url());
    arena.write("liar.py", include_str!("../../rules/liar.py"));
    let write = |variant: &str| {
        arena.write(
            "tournament.toml",
            &format!(
                "name = \"cup\"\nseed = 7\n[game]\n\
                 command = [\"python3\", \"liar.py\", \"{variant}\"]\n\
                 [[players]]\nname = \"ant\"\nbot = \"random\"\n\
                 [[players]]\nname = \"bee\"\nbot = \"random\"\n"
            ),
        );
    };
    let _worker = WorkerProcess::start(&arena, &url, "one");
    write("crashes");
    let run = arena.finish(arena.start(&["run", "-q", "--on", &url]), "");
    assert_eq!(run.code, 3, "{}", run.err);
    for part in ["the rules program failed", "stderr: a mistake in ply 7", "  request: {"] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    assert!(
        run.err.contains("points to a bug in its rules") && !run.err.contains("panic"),
        "{}",
        run.err
    );
    write("honest");
    let run = arena.finish(arena.start(&["run", "-q", "--on", &url]), "");
    assert_eq!(run.code, 0, "{}", run.err);
    let verified = "results/cup: 2 of 2 games played, seeds checked: no problems\n";
    assert_eq!(arena.run(&["verify"]).out, verified);
}

/// A server that is stopped for a while, as if its network stalled. The page of the run shows its
/// workers meanwhile.
pub(super) fn stalled(server: &mut TestServer) {
    let config = Config::empty().bot("ant", "random").bot("bee", "random").change(|config| {
        // One worker may play many games before the other one is known.
        config.pairs = 300;
        config.max_moves = 10;
    });
    let (arena, url) = (Arena::with(&config), server.url());
    let _workers = ["one", "two"].map(|name| WorkerProcess::start(&arena, &url, name));
    let run = Logged::start(&arena, &["run", "--on", &url, "--lease", "3"]);
    run.wait_for("worker one: ");
    run.wait_for("worker two: ");
    arena.wait_for_lines(arena.lines().len() + 10);
    let signal = |signal| kill(server.pid(), signal).expect("it runs");
    signal(Signal::SIGSTOP);
    let stopped = Instant::now();
    assert!(served_page(&arena).contains("2 workers with 4 slots"));
    std::thread::sleep(stall().saturating_sub(stopped.elapsed()));
    signal(Signal::SIGCONT);
    let (code, said) = run.finish();
    assert_eq!(code, 0, "{said}");
    let count = |text| said.matches(text).count();
    let silent = "the NATS server does not respond; trying again, nothing is lost";
    assert_eq!((count(silent), count("the NATS server is back after")), (1, 1), "{said}");
    assert_eq!(arena.lines().len(), 600);
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}

/// The page that `serve` shows now.
fn served_page(arena: &Arena) -> String {
    let mut serve = arena.start(&["serve", "results/cup", "--listen", "127.0.0.1:0"]);
    let mut address = String::new();
    let mut out = BufReader::new(serve.stdout.take().expect("a pipe"));
    out.read_line(&mut address).expect("its address");
    let host = address.trim().trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).expect("a connection");
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("asked");
    let mut page = String::new();
    stream.read_to_string(&mut page).expect("UTF-8");
    serve.kill().expect("it runs");
    serve.wait().expect("it ended");
    page
}

/// How long the server stalls: `$STALL` in seconds, or long enough to be noticed.
fn stall() -> Duration {
    let asked = std::env::var("STALL").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(asked.unwrap_or(12))
}

/// A run that was stopped and goes on with another configuration.
pub(super) fn old_queues(server: &mut TestServer) {
    let config = Config::small();
    let (arena, url) = (Arena::with(&config), server.url());
    let run = arena.start(&["run", "--on", &url]);
    let queues = || {
        let store = fs::read_dir(server.store().join("jetstream/$G/streams"));
        let names = store.into_iter().flatten().flatten();
        names.filter(|entry| entry.file_name().to_string_lossy().contains("referee")).count()
    };
    // Jobs, results, bundles.
    wait_until(|| queues() == 3);
    kill(Pid::from_raw(i32::try_from(run.id()).expect("a pid")), Signal::SIGINT).expect("it runs");
    assert_eq!(arena.finish(run, "").code, 130);
    assert_eq!(queues(), 3, "it can go on");
    let _worker = WorkerProcess::start(&arena, &url, "one");
    // Another lease is another description of the run.
    let run = arena.run(&["run", "--on", &url, "--lease", "20"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("this tournament's queues from another configuration"), "{}", run.err);
    assert_eq!(queues(), 0, "nothing is left");
}

/// A coordinator that writes its stderr to a file.
struct Logged<'a> {
    arena: &'a Arena,
    run: Child,
    file: PathBuf,
}

impl<'a> Logged<'a> {
    fn start(arena: &'a Arena, args: &[&str]) -> Self {
        let file = arena.path().join("run.err");
        let mut run = arena.command(args);
        let run = run.stderr(File::create(&file).expect("a file")).spawn().expect("it starts");
        Self { arena, run, file }
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.file).expect("UTF-8")
    }

    fn wait_for(&self, text: &str) {
        wait_until(|| self.said().contains(text));
    }

    fn signal(&self, signal: Signal) {
        send(&self.run, signal);
    }

    /// Waits for its end. Returns its exit code and what it said.
    fn finish(self) -> (i32, String) {
        let code = self.arena.finish(self.run, "").code;
        (code, fs::read_to_string(&self.file).expect("UTF-8"))
    }
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a pid")), signal).expect("it runs");
}

/// A server that loses its store, while no worker is there.
pub(super) fn lost_store(server: &mut TestServer) {
    let (arena, url) = (Arena::with(&Config::small()), server.url());
    let run = Logged::start(&arena, &["run", "--on", &url]);
    run.wait_for("no worker has joined");
    server.lose_store();
    run.wait_for("the server lost this run's queues");
    let _worker = WorkerProcess::start(&arena, &url, "one");
    let (code, said) = run.finish();
    assert_eq!(code, 0, "{said}");
    assert_eq!(arena.lines().len(), 12, "{said}");
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}

/// The results folder is copied, and the copy is run on the same server.
pub(super) fn taken_over(server: &mut TestServer) {
    let (arena, url) = (Arena::with(&Config::small()), server.url());
    let first = Logged::start(&arena, &["run", "--on", &url]);
    first.wait_for("no worker has joined");
    let copy = Arena::with(&Config::small());
    copy.sh(&format!("cp -r {}/results .", arena.path().display()));
    let second = Logged::start(&copy, &["run", "--on", &url]);
    let (code, said) = first.finish();
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("error: another coordinator took over"), "{said}");
    let _worker = WorkerProcess::start(&copy, &url, "one");
    let (code, said) = second.finish();
    assert_eq!(code, 0, "{said}");
    assert_eq!(copy.lines().len(), 12, "{said}");
}

/// Signals arrive while the server is silent. Before that, two workers have the same name.
pub(super) fn stopped_while_silent(server: &mut TestServer) {
    let config = Config::empty().bot("ant", "random").bot("bee", "random").change(|config| {
        config.pairs = 4000;
        config.max_moves = 40;
    });
    let (arena, url) = (Arena::with(&config), server.url());
    let mut twins = ["twin", "twin"].map(|name| WorkerProcess::start(&arena, &url, name));
    let run = Logged::start(&arena, &["run", "--on", &url]);
    run.wait_for("several workers are called twin");
    kill(server.pid(), Signal::SIGSTOP).expect("it runs");
    run.signal(Signal::SIGINT);
    send(&twins[0].0, Signal::SIGTERM);
    let stopped = Instant::now();
    let (code, said) = run.finish();
    assert_eq!(code, 130, "{said}");
    let status = twins[0].0.wait().expect("a child");
    assert_eq!(status.code(), Some(130));
    // It took minutes.
    assert!(stopped.elapsed() < Duration::from_secs(60), "{:?}", stopped.elapsed());
    assert!(arena.results().join("standings.csv").exists(), "{said}");
    kill(server.pid(), Signal::SIGCONT).expect("it runs");
}
