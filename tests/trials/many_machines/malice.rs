//! A client with exactly the permissions of a worker that tries to frame the others, and to end or
//! hold the run. `docs/attacks.md` lists what it does.

use std::fs::{self, File};
use std::io;
use std::time::Duration;

use referee_remote::async_nats::jetstream::AckKind;
use referee_remote::async_nats::{Client, ConnectOptions, HeaderMap};
use referee_remote::delivery::publish_result;
use referee_remote::run_streams::job_of;
use tokio_stream::StreamExt as _;

use super::lies::{Liar, TakenJob, records, runtime, truly, wrong_result};
use super::server::{TestServer, WorkerProcess, servers};
use crate::harness::Lacks;
use crate::support::{Arena, Config, wait_until};

const PAGE: &str = include_str!("../../../docs/many-machines.md");

/// A server with the users that the page recommends.
fn recommended_server() -> Option<TestServer> {
    let (program, _) = servers().into_iter().find(|(_, version)| *version >= (2, 10))?;
    let begin = PAGE.find("authorization {").expect("the page has a configuration");
    let (users, _) = PAGE[begin..].split_once("```").expect("it ends");
    Some(TestServer::start(program, users))
}

fn coordinator(server: &TestServer) -> String {
    server.url().replace("//", "//coordinator:CHANGE-ME@")
}

fn worker(server: &TestServer) -> String {
    server.url().replace("//", "//worker:CHANGE-ME-TOO@")
}

/// Plays a tournament while `attack` is at work, and then a worker called `honest`. Returns what
/// the coordinator said. All games must be played, by the honest worker.
fn attacked(
    lease: &str,
    attack: impl AsyncFnOnce(&TestServer, &dyn Fn() -> String),
) -> Option<String> {
    let server = recommended_server()?;
    let config = Config::small()
        .change(|config| "startup = \"1s\"\nbudget = \"500ms\"\n".clone_into(&mut config.clock));
    let arena = Arena::with(&config);
    let written = arena.path().join("run.err");
    let mut run = arena.command(&["run", "--on", &coordinator(&server), "--lease", lease]);
    let run = run.stderr(File::create(&written).expect("a file")).spawn().expect("a coordinator");
    let said = || fs::read_to_string(&written).expect("UTF-8");
    runtime().block_on(attack(&server, &said));
    let _honest = WorkerProcess::start(&arena, &worker(&server), "honest");
    let run = arena.finish(run, "");
    assert_eq!(run.code, 0, "{}", said());
    let essence = arena.essence();
    assert_eq!(essence.len(), 12, "{}", said());
    assert!(essence.values().all(|game| game["worker"] == "honest"), "{}", said());
    let verify = arena.run(&["verify", "results/cup"]);
    assert_eq!(verify.code, 0, "{}", verify.err);
    Some(said())
}

fn lacks(said: Option<&str>) -> Lacks {
    said.is_none().then(|| "there is no nats-server 2.10 or newer here".to_owned())
}

/// The worker's key, as the coordinator names it.
fn key(liar: &Liar) -> String {
    format!("(key {})", liar.identity.id().key)
}

/// It reads what it can, and sends wrong results under the name of another worker.
pub(super) fn framing() -> Lacks {
    let (mut culprit, mut spied) = (String::new(), 0);
    let said = attacked("30", async |server, _| {
        let truth = records(&Config::small());
        let url = worker(server);
        // An honest worker at work, and a spy that listens to all that the server lets it hear.
        let spy = spy(server).await;
        let mut heard = Vec::new();
        for subject in [
            ">",
            "_INBOX.>",
            "_INBOX_worker.>",
            "referee.>",
            "referee.*.workers",
            "referee.*.result.*",
            "$JS.ACK.>",
            "referee.runs",
        ] {
            heard.push(spy.subscribe(subject).await.expect("asked"));
        }
        spy.flush().await.expect("sent");
        let liar = Liar::join(&url, "honest").await;
        culprit = key(&liar);
        let honest = Liar::join(&url, "honest").await;
        honest.beat(1, false, Vec::new()).await;
        let job = honest.take().await;
        let other = liar.take().await;
        honest.server.client.flush().await.expect("sent");
        for subscriber in &mut heard {
            while let Some(message) = arrived(subscriber).await {
                spied += 1;
                let headers = format!("{:?}", message.headers);
                assert!(!headers.contains("Referee-Worker"), "{headers}");
            }
        }
        // The other's job and its own: both results come under its own key.
        liar.answer(&job, wrong_result(&job.ids, &truth, &truth)).await;
        liar.answer(&other, truly(&other.ids, &truth)).await;
        // The other one's job goes back.
        job.message.ack_with(AckKind::Nak(None)).await.expect("sent");
        honest.beat(0, true, Vec::new()).await;
    });
    let Some(said) = said else { return lacks(None) };
    let named: Vec<&str> = said.lines().filter(|line| line.contains("an invalid result")).collect();
    assert_eq!(named.len(), 1, "{said}");
    assert!(named[0].starts_with(&format!("warning: worker honest {culprit} sent")), "{said}");
    assert!(spied > 0, "it hears what comes to its own user");
    None
}

/// It answers everything with a failure of the referee, and takes it again. Another one leaves to
/// others what has failed, as a broken machine does.
pub(super) fn failing() -> Lacks {
    let mut names = [String::new(), String::new()];
    let said = attacked("30", async |server, said| {
        let liar = Liar::join(&worker(server), "liar").await;
        let broken = liar.another("broken");
        names = [key(&liar), key(&broken)];
        for worker in [&liar, &broken] {
            worker.beat(1, false, Vec::new()).await;
        }
        let fail = packed(br#"{"failed":{"panic":"it fell"}}"#);
        while !said().contains("keeps taking it") {
            liar.send_packed(&liar.take_any().await, fail.clone()).await;
        }
        for _ in 0..3 {
            broken.send_packed(&broken.take().await.message, fail.clone()).await;
        }
        broken.beat(0, true, Vec::new()).await;
    });
    let Some(said) = said else { return lacks(None) };
    let [liar, broken] = names;
    for (worker, why) in [
        (format!("Worker liar {liar}"), "keeps taking it, although it was left to others"),
        (format!("worker broken {broken}"), "could not play several games that others have played"),
    ] {
        let sentence = format!("{worker} {why}; this worker is excluded");
        assert!(said.contains(&sentence), "{said}");
    }
    assert!(!said.contains("it is left out"), "{said}");
    None
}

/// A message that has arrived already.
async fn arrived(
    subscriber: &mut referee_remote::async_nats::Subscriber,
) -> Option<referee_remote::async_nats::Message> {
    tokio::time::timeout(Duration::from_millis(200), subscriber.next()).await.ok().flatten()
}

async fn spy(server: &TestServer) -> Client {
    ConnectOptions::new()
        .user_and_password("worker".to_owned(), "CHANGE-ME-TOO".to_owned())
        .custom_inbox_prefix("_INBOX_worker")
        .request_timeout(Some(Duration::from_secs(1)))
        .connect(server.url())
        .await
        .expect("a connection")
}

/// It removes queues, reads and empties them, and announces the end.
pub(super) fn forbidden_requests() -> Lacks {
    lacks(
        attacked("30", async |server, _| {
            let liar = Liar::join(&worker(server), "vandal").await;
            let run = &liar.names.run;
            let (jobs, results) = (format!("referee-jobs-{run}"), format!("referee-results-{run}"));
            let spy = spy(server).await;
            for subject in [
                format!("$JS.API.CONSUMER.DELETE.{results}.coordinator"),
                format!("$JS.API.CONSUMER.DELETE.{jobs}.workers"),
                format!("$JS.API.STREAM.DELETE.{jobs}"),
                format!("$JS.API.STREAM.PURGE.{results}"),
                format!("$JS.API.STREAM.MSG.GET.{results}"),
                format!("$JS.API.STREAM.MSG.DELETE.{jobs}"),
                format!("$JS.API.DIRECT.GET.{results}"),
                format!("$JS.API.DIRECT.GET.{jobs}"),
                format!("$JS.API.CONSUMER.CREATE.{results}.x.referee.{run}.result.*"),
                format!("$JS.API.CONSUMER.CREATE.{results}"),
                format!("$JS.API.CONSUMER.MSG.NEXT.{results}.coordinator"),
                format!("$JS.ACK.{results}.coordinator.1.1.1.1.1"),
                format!("$O.referee-{run}.M.x"),
                format!("referee.{run}.job.x.0"),
            ] {
                let answer = spy.request(subject.clone(), "{}".into()).await;
                assert!(answer.is_err(), "{subject}: {answer:?}");
            }
            let over = format!(
                "{{\"protocol\":2,\"version\":\"\",\"run\":\"{run}\",\
                            \"coordinator\":\"9\",\"excluded\":[],\"over\":true}}"
            );
            spy.publish("referee.runs", over.into()).await.expect("sent");
            spy.flush().await.expect("sent");
        })
        .as_deref(),
    )
}

/// It keeps a job for ever, with its name and without; and says that others gave a game up.
pub(super) fn holding() -> Lacks {
    let mut names = [String::new(), String::new()];
    let said = attacked("1", async |server, said| {
        let holder = Liar::join(&worker(server), "holder").await;
        let (silent, quitter) = (holder.another("silent"), holder.another("quitter"));
        names = [key(&holder), key(&quitter)];
        let job = quitter.take().await;
        quitter.send_packed(&job.message, packed(br#"{"given-up":5}"#)).await;
        let [held, kept]: [TakenJob; 2] = [holder.take().await, silent.take().await];
        let jobs = vec![job_of(&held.message.subject).expect("a name").to_owned()];
        let is_over = || said().matches("longer than the clocks allow").count() >= 2;
        let end = std::time::Instant::now() + Duration::from_secs(300);
        while !is_over() && std::time::Instant::now() < end {
            for job in [&held, &kept] {
                job.message.ack_with(AckKind::Progress).await.expect("sent");
            }
            holder.beat(1, false, jobs.clone()).await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    });
    let Some(said) = said else { return lacks(None) };
    let [holder, quitter] = names;
    assert!(said.contains(&format!("warning: worker holder {holder} has kept game ")), "{said}");
    assert!(
        said.contains("warning: a worker that does not give its name has kept game "),
        "{said}"
    );
    let sentence = format!("warning: worker quitter {quitter} sent an invalid result for game ");
    assert!(said.contains(&sentence), "{said}");
    None
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    io::Write::write_all(&mut out, bytes).and_then(|()| out.finish()).expect("memory")
}

/// It makes workers up, and sends results that are large, incomplete or without a name.
pub(super) fn floods() -> Lacks {
    let said = attacked("30", async |server, said| {
        let liar = Liar::join(&worker(server), "flood").await;
        for number in 0..20_000 {
            liar.another(&format!("x{number}")).beat(1, false, Vec::new()).await;
            if number % 500 == 0 {
                liar.server.client.flush().await.expect("sent");
                // Over several announcements of the run, as that many take on a busy machine.
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
        let (client, names) = (&liar.server.client, &liar.names);
        let megabyte = vec![7; 1_000_000];
        for number in 0..400 {
            let name = format!("{number}");
            // The server refuses what exceeds the bound of the queue.
            let _ =
                publish_result(&liar.server, names, &name, &liar.identity, megabyte.clone()).await;
        }
        let mut part = HeaderMap::new();
        part.insert("Referee-Part", "a 0 256");
        for number in 0..64 {
            let (subject, part) = (names.result(&number.to_string()), part.clone());
            let sent = client.publish_with_headers(subject, part, megabyte.clone().into()).await;
            sent.expect("sent");
        }
        client.flush().await.expect("sent");
        wait_until(|| said().contains("does not say which worker sent it"));
    });
    let Some(said) = said else { return lacks(None) };
    assert_eq!(said.matches("making them up").count(), 1, "{said}");
    assert_eq!(said.matches("does not say which worker sent it").count(), 1, "{said}");
    let lines = said.lines().filter(|line| line.contains("worker x")).count();
    assert!(lines <= 200, "{lines} lines on made-up workers");
    None
}
