//! Measures a run on many machines: how many games per second the coordinator takes in, and how its
//! memory grows.
//!
//! `cargo bench --features nats --bench many_machines` needs `nats-server` on the path. It lets 64
//! simulated workers answer 100,000 games (another number with `-- GAMES`) as fast as they can, and
//! prints how many the log has, the coordinator's memory, and the CPU time that coordinator, server
//! and workers have used. The run is stopped before its tables and page. Then it prints how much
//! longer a real worker takes per game than a run on this machine does.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

#[path = "costs/program.rs"]
mod program;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use program::referee;
use referee_games::{BySeat, SeatMap};
use referee_record::model::record::GameRecord;
use referee_record::seeds::TournamentSecret;
use referee_remote::async_nats::jetstream::AckKind;
use referee_remote::delivery::{pack_for_delivery, publish_result};
use referee_remote::messages::{HEARTBEAT, RunAnnouncement, WorkerHeartbeat};
use referee_remote::nats_server::NatsServer;
use referee_remote::run_description::RunDescription;
use referee_remote::run_streams::{DESCRIPTION, RUNS, RunStreams, StreamNames, job_of};
use referee_remote::worker_identity::WorkerIdentity;
use referee_tournament::run::job::{DueGame, FinishedGame, Job, JobOutcome};
use tokio::io::AsyncReadExt as _;
use tokio_stream::StreamExt as _;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The number of simulated workers.
const WORKERS: usize = 64;
/// The number of connections that they share, so that they leave time to what is measured.
const CONNECTIONS: usize = 8;
/// The players.
const NAMES: [&str; 5] = ["ant", "bee", "cat", "dog", "eel"];
/// The number of games for each pair that two players play.
const GAMES_PER_PAIR: u32 = 20;
/// The number of games in the comparison with a run on this machine.
const COMPARED: u32 = 2000;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let games = args.first().map_or(Ok(100_000), |games| games.parse())?;
    let server = BenchServer::start()?;
    let folder = tempfile::tempdir()?;
    simulate(&server, folder.path(), games)?;
    overhead(&server.url)
}

/// A server that ends with the benchmark.
struct BenchServer {
    child: Child,
    url: String,
    _store: tempfile::TempDir,
}

impl BenchServer {
    fn start() -> Outcome<Self> {
        let store = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new("nats-server");
        command.args(["-a", "127.0.0.1", "-js", "-p", &port.to_string(), "-sd"]).arg(store.path());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if began.elapsed() > Duration::from_secs(10) {
                return Err("the server does not start".into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(Self { child, url: format!("nats://127.0.0.1:{port}"), _store: store })
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A tournament in games of two plies, in which all players meet in both seats.
fn configure(dir: &Path, games: u32) -> Outcome<()> {
    let pairs = (games / GAMES_PER_PAIR).max(1);
    let players = NAMES.map(|name| format!("[[players]]\nname = \"{name}\"\nbot = \"random\"\n"));
    let text = format!(
        "name = \"cup\"\ngame = \"watch-your-back\"\nseed = 7\njobs = 2\npairs = {pairs}\n\
         [options]\nmax-moves = 2\n{}",
        players.concat()
    );
    Ok(fs::write(dir.join("tournament.toml"), text)?)
}

/// A game that was played on this machine.
fn example() -> Outcome<GameRecord> {
    let folder = tempfile::tempdir()?;
    configure(folder.path(), GAMES_PER_PAIR)?;
    referee(folder.path(), &["run", "-q"]).map_err(|error| error.to_string())?;
    let log = BufReader::new(File::open(folder.path().join("results/cup/games.jsonl"))?);
    let line = log.lines().nth(1).ok_or("no game")??;
    Ok(serde_json::from_str(&line)?)
}

fn simulate(server: &BenchServer, dir: &Path, games: u32) -> Outcome<()> {
    configure(dir, games)?;
    let example = example()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_referee"));
    command.args(["run", "-q", "--on", &server.url]).current_dir(dir);
    let mut run = command.stdout(Stdio::null()).spawn()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let workers = runtime.block_on(SimulatedWorkers::join(&server.url, example))?;
    std::thread::spawn(move || runtime.block_on(workers.work()));
    println!("{games} games through {WORKERS} simulated workers");
    println!("    games     time    coordinator: memory, CPU   server: CPU   workers: CPU");
    let mut log = GrowingLog::open(dir)?;
    let (began, games, mut shown) = (Instant::now(), u64::from(games), 0);
    while shown < 10 {
        std::thread::sleep(Duration::from_millis(100));
        if run.try_wait()?.is_some() {
            return Err("the run ended early".into());
        }
        let now = log.games()?;
        if now < (shown + 1) * games / 10 {
            continue;
        }
        shown = now * 10 / games;
        println!(
            "{now:9} {:6.1} s {:16.1} MB {:6.1} s {:11.1} s {:12.1} s",
            began.elapsed().as_secs_f64(),
            memory(run.id())?,
            cpu_time(run.id())?,
            cpu_time(server.child.id())?,
            cpu_time(std::process::id())?
        );
    }
    #[expect(clippy::cast_precision_loss, reason = "a number of games")]
    let rate = games as f64 / began.elapsed().as_secs_f64();
    println!("{rate:.0} games per second");
    run.kill()?;
    run.wait()?;
    Ok(())
}

/// Counts the games of a log that is being written.
struct GrowingLog {
    file: File,
    lines: u64,
}

impl GrowingLog {
    fn open(dir: &Path) -> Outcome<Self> {
        Ok(Self { file: File::open(dir.join("results/cup/games.jsonl"))?, lines: 0 })
    }

    /// The number of games so far.
    fn games(&mut self) -> Outcome<u64> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let read = self.file.read(&mut buffer)?;
            if read == 0 {
                // The first line is the header.
                return Ok(self.lines.saturating_sub(1));
            }
            let pieces = buffer[..read].split(|&byte| byte == b'\n').count();
            self.lines += pieces as u64 - 1;
        }
    }
}

/// The memory of a process that is its own, in megabytes.
fn memory(process: u32) -> Outcome<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).ok_or("no memory")?;
    Ok(kilobytes.parse::<f64>()? / 1000.0)
}

/// The CPU time of a process, in seconds.
fn cpu_time(process: u32) -> Outcome<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    let fields = stat.rsplit_once(") ").ok_or("no statistics")?.1.split(' ');
    let ticks: Result<Vec<f64>, _> = fields.skip(11).take(2).map(str::parse).collect();
    let per_second = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK)?.unwrap_or(100);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    Ok(ticks?.iter().sum::<f64>() / per_second as f64)
}

/// Workers that answer at once, with games that follow the rules.
struct SimulatedWorkers {
    url: String,
    names: StreamNames,
    secret: TournamentSecret,
    example: GameRecord,
}

impl SimulatedWorkers {
    async fn join(url: &str, example: GameRecord) -> Outcome<Self> {
        let server = NatsServer::connect(url, "benchmark", "worker").await?;
        let mut runs = server.client.subscribe(RUNS).await?;
        let announced = runs.next().await.ok_or("no run")?;
        let announced: RunAnnouncement = serde_json::from_slice(&announced.payload)?;
        let names = StreamNames::new(&announced.run);
        let store = RunStreams::new(&server, names.clone()).existing_store().await?;
        let mut text = Vec::new();
        store.get(DESCRIPTION).await?.read_to_end(&mut text).await?;
        let description: RunDescription = serde_json::from_slice(&text)?;
        let secret = TournamentSecret::from_hex(&description.secret).ok_or("no secret")?;
        Ok(Self { url: url.to_owned(), names, secret, example })
    }

    /// Works until the run is over.
    async fn work(self) -> Outcome<()> {
        let all = Arc::new(self);
        let mut workers = tokio::task::JoinSet::new();
        for connection in 0..CONNECTIONS {
            let server = NatsServer::connect(&all.url, "benchmark", "worker").await?;
            for number in (connection..WORKERS).step_by(CONNECTIONS) {
                workers.spawn(Arc::clone(&all).work_as(number, server.clone()));
            }
        }
        while workers.join_next().await.is_some() {}
        Ok(())
    }

    async fn work_as(self: Arc<Self>, number: usize, server: NatsServer) -> Outcome<()> {
        let identity = WorkerIdentity::new(&format!("w{number}"))?;
        let heartbeat = WorkerHeartbeat { slots: 1, cores: 1, ..WorkerHeartbeat::default() };
        let heartbeat: Vec<u8> = serde_json::to_vec(&heartbeat)?;
        let (client, subject) = (server.client.clone(), self.names.workers());
        let headers = identity.headers();
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(HEARTBEAT);
            loop {
                tick.tick().await;
                let (subject, headers) = (subject.clone(), headers.clone());
                let _ =
                    client.publish_with_headers(subject, headers, heartbeat.clone().into()).await;
            }
        });
        let queue = RunStreams::new(&server, self.names.clone()).jobs().await?;
        loop {
            let mut jobs =
                queue.batch().max_messages(1).expires(Duration::from_secs(5)).messages().await?;
            let Some(message) = jobs.next().await else { continue };
            let message = message?;
            let outcome = match serde_json::from_slice(&message.payload)? {
                Job::Probe(_) => JobOutcome::Probed(None),
                Job::Play(games) => {
                    JobOutcome::Played(games.iter().map(|game| self.played(game)).collect())
                }
            };
            let packed = pack_for_delivery(outcome, usize::MAX)?;
            let job = job_of(&message.subject).unwrap_or_default();
            publish_result(&server, &self.names, job, &identity, packed).await?;
            message.ack_with(AckKind::Ack).await?;
        }
    }

    /// The record of a game, with the actions of the example.
    fn played(&self, game: &DueGame) -> FinishedGame {
        let fixture = game.fixture;
        let [first, second] = fixture.players.two().map(|player| NAMES[player]);
        let seed = |own, other| self.secret.player_seed(own, &[other], fixture.pair, 1);
        let seats = || BySeat::from(["white", "black"]);
        let mut record = self.example.clone();
        (record.id, record.pair, record.game) = (game.id.clone(), fixture.pair, fixture.game);
        record.players = SeatMap::new(seats(), BySeat::from([first.to_owned(), second.to_owned()]));
        let seeds = BySeat::from([seed(first, second), seed(second, first)]);
        record.seed = SeatMap::new(seats(), seeds);
        FinishedGame { record, warnings: Vec::new(), transcript: None, memory: None }
    }
}

/// Compares a worker with a run on this machine, both with two games at once.
fn overhead(url: &str) -> Outcome<()> {
    let here = tempfile::tempdir()?;
    configure(here.path(), COMPARED)?;
    let local = timed(|| referee(here.path(), &["run", "-q"]))?;
    let there = tempfile::tempdir()?;
    configure(there.path(), COMPARED)?;
    let mut worker = Command::new(env!("CARGO_BIN_EXE_referee"));
    worker.args(["worker", url, "--jobs", "2"]).stderr(Stdio::null());
    let mut worker = worker.spawn()?;
    let remote = timed(|| referee(there.path(), &["run", "-q", "--on", url]));
    worker.kill()?;
    worker.wait()?;
    let (local, remote) = (local * 1e6 / f64::from(COMPARED), remote? * 1e6 / f64::from(COMPARED));
    println!(
        "{COMPARED} games, two at once: {local:.0} µs per game here, {remote:.0} µs on a worker: {:.0} µs more",
        remote - local
    );
    Ok(())
}

fn timed(work: impl FnOnce() -> Result<(), Box<dyn Error + Send + Sync>>) -> Outcome<f64> {
    let began = Instant::now();
    work().map_err(|error| error.to_string())?;
    Ok(began.elapsed().as_secs_f64())
}
