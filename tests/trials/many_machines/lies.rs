//! Workers that lie about the games they play.

use std::collections::BTreeMap;
use std::fs::{self, File};

use referee_remote::async_nats::jetstream::AckKind;
use referee_remote::delivery::{pack_for_delivery, publish_result};
use referee_remote::messages::{RunAnnouncement, WorkerHeartbeat};
use referee_remote::nats_server::NatsServer;
use referee_remote::run_streams::{RUNS, RunStreams, StreamNames, job_of};
use referee_remote::worker_identity::WorkerIdentity;
use referee_tournament::run::job::{FinishedGame, Job, JobOutcome};
use serde_json::{Value, json};
use tokio_stream::StreamExt as _;

use super::server::{TestServer, WorkerProcess};
use crate::support::{Arena, Config, wait_until};

/// Records by the identity of their game.
pub(super) type Records = BTreeMap<String, Value>;

/// A worker that plays nothing: its results are made up from the records of other runs.
pub(super) struct Liar {
    pub(super) identity: WorkerIdentity,
    pub(super) server: NatsServer,
    pub(super) names: StreamNames,
}

/// A job that a liar has taken.
pub(super) struct TakenJob {
    pub(super) message: referee_remote::async_nats::jetstream::Message,
    pub(super) ids: Vec<String>,
}

impl Liar {
    /// Joins the run that is announced on a server.
    pub(super) async fn join(url: &str, name: &str) -> Self {
        let server = NatsServer::connect(url, name, "worker").await.expect("a connection");
        let mut runs = server.client.subscribe(RUNS).await.expect("a subscription");
        let announced = runs.next().await.expect("a run");
        let announced: RunAnnouncement = serde_json::from_slice(&announced.payload).expect("JSON");
        Self { identity: identity(name), server, names: StreamNames::new(&announced.run) }
    }

    /// Another liar in the same run.
    pub(super) fn another(&self, name: &str) -> Self {
        Self { identity: identity(name), server: self.server.clone(), names: self.names.clone() }
    }

    /// Sends a heartbeat that lists these jobs.
    pub(super) async fn beat(&self, slots: usize, leaves: bool, jobs: Vec<String>) {
        let heartbeat = WorkerHeartbeat { slots, leaves, jobs, ..WorkerHeartbeat::default() };
        let payload = serde_json::to_vec(&heartbeat).expect("JSON").into();
        let (subject, headers) = (self.names.workers(), self.identity.headers());
        let sent = self.server.client.publish_with_headers(subject, headers, payload).await;
        sent.expect("sent");
    }

    /// Takes a pair of games. Answers honestly when a player is to be started.
    pub(super) async fn take(&self) -> TakenJob {
        let queue =
            RunStreams::new(&self.server, self.names.clone()).jobs().await.expect("a queue");
        loop {
            // One by one: what is fetched ahead would be lost for a while.
            let mut jobs = queue.batch().max_messages(1).messages().await.expect("a queue");
            let message = jobs.next().await.expect("a job").expect("a job");
            match serde_json::from_slice(&message.payload).expect("JSON") {
                Job::Probe(_) => self.send(&message, JobOutcome::Probed(None)).await,
                Job::Play(games) => {
                    let ids = games.into_iter().map(|game| game.id).collect();
                    return TakenJob { message, ids };
                }
            }
        }
    }

    /// Takes whatever comes first.
    pub(super) async fn take_any(&self) -> referee_remote::async_nats::jetstream::Message {
        let queue =
            RunStreams::new(&self.server, self.names.clone()).jobs().await.expect("a queue");
        let mut jobs = queue.batch().max_messages(1).messages().await.expect("a queue");
        jobs.next().await.expect("a job").expect("a job")
    }

    /// Answers a job with these records.
    pub(super) async fn answer(&self, job: &TakenJob, records: Vec<Value>) {
        let game = |record| serde_json::from_value::<FinishedGame>(json!({ "record": record }));
        let games = records.into_iter().map(|record| game(record).expect("a game")).collect();
        self.send(&job.message, JobOutcome::Played(games)).await;
    }

    async fn send(
        &self,
        message: &referee_remote::async_nats::jetstream::Message,
        outcome: JobOutcome,
    ) {
        let packed = pack_for_delivery(outcome, usize::MAX).expect("JSON");
        self.send_packed(message, packed).await;
    }

    /// Answers a job with these bytes, and acknowledges it.
    pub(super) async fn send_packed(
        &self,
        message: &referee_remote::async_nats::jetstream::Message,
        packed: Vec<u8>,
    ) {
        let name = job_of(&message.subject).expect("a name");
        publish_result(&self.server, &self.names, name, &self.identity, packed)
            .await
            .expect("sent");
        message.ack_with(AckKind::Ack).await.expect("acknowledged");
        self.server.client.flush().await.expect("sent");
    }
}

fn identity(name: &str) -> WorkerIdentity {
    WorkerIdentity::new(name).expect("random bytes")
}

/// The records of a tournament that was played on this machine.
pub(super) fn records(config: &Config) -> Records {
    let arena = Arena::played(config);
    let record = |line: &String| serde_json::from_str(line).expect("JSON");
    arena.lines().iter().map(|(id, line)| (id.clone(), record(line))).collect()
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Makes results up for the games with these identities.
type Lie = fn(&[String], truth: &Records, other: &Records) -> Vec<Value>;

pub(super) fn truly(ids: &[String], records: &Records) -> Vec<Value> {
    ids.iter().map(|id| records[id].clone()).collect()
}

/// Each lie, with the words by which it is told.
const LIES: [(&str, Lie, &str); 5] = [
    ("result", wrong_result, "the replay says"),
    ("action", illegal_action, "was not legal"),
    ("foreign", foreign_game, "it contains a different game's record"),
    ("other-run", |ids, _, other| truly(ids, other), "does not match the secret"),
    ("half", |ids, truth, _| truly(&ids[..1], truth), "it has 1 games instead of 2"),
];

pub(super) fn wrong_result(ids: &[String], truth: &Records, _: &Records) -> Vec<Value> {
    let mut records = truly(ids, truth);
    let (result, scores) = if records[0]["result"] == "white" {
        ("black", json!({"white": 0, "black": 1}))
    } else {
        ("white", json!({"white": 1, "black": 0}))
    };
    records[0]["result"] = json!(result);
    records[0]["scores"] = scores;
    records
}

fn illegal_action(ids: &[String], truth: &Records, _: &Records) -> Vec<Value> {
    let mut records = truly(ids, truth);
    records[1]["actions"][0] = json!("(9, 9)");
    records
}

fn foreign_game(ids: &[String], truth: &Records, _: &Records) -> Vec<Value> {
    let mut records = truly(ids, truth);
    let other = truth.iter().find(|(id, _)| !ids.contains(id)).expect("more games");
    records[0] = other.1.clone();
    records
}

pub(super) fn caught(server: &mut TestServer) {
    let config = Config::small();
    let truth = records(&config);
    let other = records(&config.change(|config| config.seed = Some(8)));
    let (arena, url) = (Arena::with(&config), server.url());
    let run = arena.start(&["run", "--on", &url]);
    runtime().block_on(async {
        let first = Liar::join(&url, "first").await;
        let mut liars = LIES.map(|(name, ..)| first.another(name)).into_iter();
        let liar = liars.next().expect("a liar");
        for (liar, (_, lie, _)) in std::iter::once(&liar).chain(liars.as_slice()).zip(LIES) {
            let job = liar.take().await;
            liar.answer(&job, lie(&job.ids, &truth, &other)).await;
        }
        // Nothing more is accepted from a liar, even if it is true.
        let job = liar.take().await;
        liar.answer(&job, truly(&job.ids, &truth)).await;
    });
    let _honest = WorkerProcess::start(&arena, &url, "honest");
    let run = arena.finish(run, "");
    assert_eq!(run.code, 0, "{}", run.err);
    for (name, _, why) in LIES {
        let sentence = format!("warning: worker {name} (key ");
        let line = run.err.lines().find(|line| line.starts_with(&sentence)).unwrap_or_else(|| {
            panic!("nothing on {name}: {}", run.err);
        });
        assert!(
            line.contains(") sent an invalid result for game ") && line.contains(why),
            "{line}"
        );
        assert!(line.ends_with("and this worker is excluded"), "{line}");
    }
    let essence = arena.essence();
    assert_eq!(essence.len(), truth.len());
    for (id, game) in essence {
        assert_eq!(game["worker"], "honest", "{id}");
        assert_eq!(game["actions"], truth[&id]["actions"], "{id}");
    }
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}

/// A worker whose games follow the rules, but are not those of the players.
pub(super) fn spot_check(server: &mut TestServer) {
    let config = Config::empty().bot("ant", "random").bot("bee", "greedy");
    let lies = records(&Config::empty().bot("ant", "random").bot("bee", "random"));
    let (arena, url) = (Arena::with(&config), server.url());
    let told = arena.path().join("run.err");
    let mut run = arena.command(&["run", "--on", &url, "--spot-check", "100"]);
    let run = run.stderr(File::create(&told).expect("a file")).spawn().expect("a coordinator");
    let told = || arena.normal(&fs::read_to_string(&told).expect("UTF-8"));
    let (ids, honest) = runtime().block_on(async {
        let liar = Liar::join(&url, "liar").await;
        let job = liar.take().await;
        liar.beat(1, false, Vec::new()).await;
        let honest = WorkerProcess::start(&arena, &url, "honest");
        // Without another worker that the coordinator knows, nothing is checked.
        wait_until(|| told().contains("worker honest: "));
        liar.answer(&job, truly(&job.ids, &lies)).await;
        liar.beat(0, true, Vec::new()).await;
        liar.server.client.flush().await.expect("sent");
        (job.ids, honest)
    });
    let run = arena.finish(run, "");
    let told = told();
    assert_eq!(run.code, 0, "{told}");
    let why = "when worker honest played it again. The game from worker liar counts";
    for id in &ids {
        let sentence = format!("warning: game {id} was different from ply ");
        let is_it = |line: &str| line.starts_with(&sentence) && line.contains(why);
        assert!(told.lines().any(is_it), "{told}");
        assert_eq!(arena.essence()[id]["worker"], "liar");
    }
    let summary = "2 of 2 games that were played again by another worker were different";
    assert!(told.contains(summary), "{told}");
    drop(honest);

    // Honest workers agree. A job waits until the coordinator knows both.
    let arena = Arena::with(&config);
    let told = arena.path().join("run.err");
    let mut run = arena.command(&["run", "--on", &url, "--spot-check", "100"]);
    let run = run.stderr(File::create(&told).expect("a file")).spawn().expect("a coordinator");
    let told = || arena.normal(&fs::read_to_string(&told).expect("UTF-8"));
    let _workers = runtime().block_on(async {
        let idle = Liar::join(&url, "idle").await;
        let job = idle.take().await;
        let workers = ["one", "two"].map(|name| WorkerProcess::start(&arena, &url, name));
        wait_until(|| ["worker one: ", "worker two: "].iter().all(|it| told().contains(it)));
        job.message.ack_with(AckKind::Nak(None)).await.expect("given back");
        idle.server.client.flush().await.expect("sent");
        workers
    });
    let run = arena.finish(run, "");
    let told = told();
    assert_eq!(run.code, 0, "{told}");
    assert!(told.contains("games were played again by another worker: all the same"), "{told}");
    wait_until(|| !arena.lines().is_empty());
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
}
