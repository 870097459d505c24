//! The coordinator: puts the jobs of a runner into the queue, and takes in their results.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::path::Path;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::{AckKind, Message};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_stream::StreamExt;

use super::description::{RunDescription, WrittenBundle};
use super::inspection::{Inspector, WrongResult};
use super::ledger::{Handing, Ledger};
use super::messages::{
    JobMessage, PROTOCOL, RemoteGame, RemoteOutcome, ResultMessage, RunHello, WorkerHello,
    WorkerId, job_name,
};
use super::parts::{Assembly, PartLabel};
use super::server::{NatsServer, ServerProblem};
use super::streams::{DESCRIPTION, PART, RUNS, RunNames, Streams, is_queued_already, job_of};
use crate::error::Failure;
use crate::run::event::{Crew, CrewMember, Listener, RunWarning};
use crate::run::job::{Finished, Job, JobOutcome, Panic, Report};
use crate::run::worker::{Reports, Worker};
use crate::run::{RunEnd, Runner};
use referee_games::BySeat;

/// How often the coordinator and the workers tell of themselves.
pub const HELLO: Duration = Duration::from_secs(2);
/// A worker is no longer counted after this time without a message.
const SILENCE: Duration = Duration::from_secs(15);
/// How often the queues are searched for jobs that the server has lost.
const SEARCH: Duration = Duration::from_secs(30);
/// How long to wait before the server is asked again.
pub const AGAIN: Duration = Duration::from_secs(1);
/// The number of jobs to queue before the first worker reports.
const AHEAD: usize = 8;
/// A result that comes again and again for a job that nobody waits for is dropped.
const MOST_DELIVERIES: i64 = 3;

/// A run that is announced on a server.
#[derive(Debug)]
pub struct Coordinator {
    server: NatsServer,
    names: RunNames,
    streams: Streams,
    inspector: Inspector,
}

/// The parts of a result, to be acknowledged.
type Receipts = Vec<Message>;

/// A result, and its receipts.
type Arrival = (ResultMessage, Receipts);

impl Coordinator {
    /// Puts the description and the bundles of a run onto the server, and creates its queues.
    ///
    /// # Errors
    /// The server refuses, or a file cannot be read.
    pub async fn open(
        address: &str,
        description: &RunDescription,
        bundles: &[WrittenBundle],
        inspector: Inspector,
    ) -> Result<Self, Failure> {
        let server = NatsServer::connect(address, "referee run").await?;
        let names = RunNames::new(&description.run_id());
        let streams = Streams::new(&server, names.clone());
        streams.create(Duration::from_secs(description.lease_s)).await?;
        let store = streams.store().await?;
        for bundle in bundles {
            if store.info(&bundle.hash).await.is_err() {
                upload(&server, &store, &bundle.hash, &bundle.file).await?;
            }
        }
        let text = serde_json::to_vec(description)
            .map_err(|error| Failure::system(format!("cannot describe the run: {error}")))?;
        let put = store.put(DESCRIPTION, &mut text.as_slice()).await;
        put.map_err(|error| server.problem("send the description of the run", &error))?;
        Ok(Self { server, names, streams, inspector })
    }

    /// Plays all due games of `runner` on the workers of the run.
    ///
    /// # Errors
    /// As for [`Runner::run_by`].
    pub async fn run(
        self,
        runner: Runner<'_>,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        let workers = self.server.client.subscribe(self.names.workers()).await;
        let mut workers = workers
            .map_err(|error| Failure::system(format!("cannot listen to the workers: {error}")))?;
        let (give, given) = mpsc::unbounded_channel();
        let start = |slot: usize, reports: Reports, _: watch::Receiver<bool>| {
            let (jobs, mut inbox) = mpsc::unbounded_channel();
            let give = give.clone();
            tokio::spawn(async move {
                while let Some(job) = inbox.recv().await {
                    let given = GivenJob { slot, job, reports: reports.clone() };
                    if give.send(given).is_err() {
                        break;
                    }
                }
            });
            Ok(Worker::elsewhere(jobs))
        };
        let (arrive, arrivals) = mpsc::channel(64);
        let fetching = tokio::spawn(fetch(self.server.clone(), self.streams.clone(), arrive));
        let (streams, server) = (self.streams.clone(), self.server.clone());
        let mut desk = Desk::new(self);
        let end = {
            let desk = desk.work(given, arrivals, &mut workers);
            tokio::select! {
                biased;
                end = runner.run_by(&start, listener, stop) => end,
                never = desk => match never {},
            }
        };
        fetching.abort();
        if matches!(end, Ok(RunEnd::Complete | RunEnd::TimeUp)) {
            desk.say_hello(true).await;
            streams.remove().await;
        }
        // What was published last must leave before the connection closes.
        if let Err(error) = server.client.flush().await {
            tracing::debug!(%error, "the connection closes early");
        }
        end
    }
}

async fn upload(
    server: &NatsServer,
    store: &async_nats::jetstream::object_store::ObjectStore,
    name: &str,
    file: &Path,
) -> Result<(), Failure> {
    let bytes = std::fs::read(file).map_err(|error| {
        Failure::system(format!("cannot read the bundle {}: {error}", file.display()))
    })?;
    let put = store.put(name, &mut bytes.as_slice()).await;
    put.map_err(|error| server.problem("send the files of the players", &error))?;
    Ok(())
}

/// A job that the runner hands out.
struct GivenJob {
    slot: usize,
    job: Job,
    reports: Reports,
}

/// What is known of a worker.
#[derive(Debug)]
struct Known {
    hello: WorkerHello,
    heard: Instant,
}

/// The work of a coordinator while its runner runs.
struct Desk {
    coordinator: Coordinator,
    ledger: Ledger<Arrival>,
    assembly: Assembly<Message>,
    crew: HashMap<String, Known>,
    excluded: HashSet<String>,
    /// The runner's inbox, as soon as it hands out a job.
    reports: Option<Reports>,
    problems: (mpsc::UnboundedSender<ServerProblem>, mpsc::UnboundedReceiver<ServerProblem>),
}

impl Desk {
    fn new(coordinator: Coordinator) -> Self {
        Self {
            coordinator,
            ledger: Ledger::default(),
            assembly: Assembly::default(),
            crew: HashMap::new(),
            excluded: HashSet::new(),
            reports: None,
            problems: mpsc::unbounded_channel(),
        }
    }

    async fn work(
        &mut self,
        mut given: mpsc::UnboundedReceiver<GivenJob>,
        mut arrivals: mpsc::Receiver<Result<Message, ServerProblem>>,
        workers: &mut async_nats::Subscriber,
    ) -> Infallible {
        let mut hello = tokio::time::interval(HELLO);
        let mut search = tokio::time::interval(SEARCH);
        loop {
            tokio::select! {
                Some(GivenJob { slot, job, reports }) = given.recv() => {
                    if self.reports.is_none() {
                        self.reports = Some(reports);
                        self.tell_crew();
                    }
                    self.hand_out(slot, &job, 0);
                }
                Some(arrival) = arrivals.recv() => match arrival {
                    Ok(message) => self.take_part(message).await,
                    Err(problem) => self.warn(RunWarning::Connection(problem.to_string())),
                },
                Some(problem) = self.problems.1.recv() => self.face(problem),
                Some(message) = workers.next() => self.hear(&message.payload),
                _ = hello.tick() => {
                    self.forget_silent();
                    self.say_hello(false).await;
                }
                _ = search.tick() => self.search().await,
            }
        }
    }

    fn report(&self, report: Report) {
        if let Some(reports) = &self.reports {
            // A runner that ends drops its inbox.
            let _ = reports.send(report);
        }
    }

    fn warn(&self, warning: RunWarning) {
        self.report(Report::Warning(warning));
    }

    /// Puts a job into the queue, unless its result is known.
    fn hand_out(&mut self, slot: usize, job: &Job, attempt: u32) {
        let name = job_name(job);
        match self.ledger.hand_out(&name, slot, job.clone(), attempt) {
            Handing::Queue(attempt) => self.queue(&name, job, attempt),
            Handing::Known((result, receipts)) => self.judge(&name, result, receipts),
        }
    }

    fn queue(&self, name: &str, job: &Job, attempt: u32) {
        let subject = self.coordinator.names.job(name, attempt);
        let Ok(payload) = serde_json::to_vec(&JobMessage::of(job)) else { return };
        let (server, problems) = (self.coordinator.server.clone(), self.problems.0.clone());
        tokio::spawn(async move {
            loop {
                let Err(problem) = publish(&server, &subject, &payload).await else { return };
                let may_pass = problem.may_pass();
                if problems.send(problem).is_err() || !may_pass {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    /// Warns about a problem that may pass, and ends the run for any other.
    fn face(&self, problem: ServerProblem) {
        if problem.may_pass() {
            self.warn(RunWarning::Connection(format!("{problem}; it is tried again")));
        } else {
            self.report(Report::Failed(problem.into()));
        }
    }

    /// Takes in a message of the queue of results.
    async fn take_part(&mut self, message: Message) {
        let header = message.headers.as_ref().and_then(|headers| headers.get(PART));
        let label = header.and_then(|value| PartLabel::read(value.as_str()));
        let name = job_of(&message.subject).map(str::to_owned);
        let (Some(label), Some(name)) = (label, name) else { return acknowledge(&[message]).await };
        let bytes = message.payload.to_vec();
        match self.assembly.add(label, bytes, message) {
            Ok(None) => {}
            Err(message) => acknowledge(&[message]).await,
            Ok(Some((bytes, receipts))) => match serde_json::from_slice(&bytes) {
                Ok(result) => self.take(name, result, receipts).await,
                Err(error) => {
                    tracing::warn!(%error, name, "a result cannot be read");
                    let worker = WorkerId { name: "unknown".to_owned(), instance: String::new() };
                    self.refuse(&name, &worker, &WrongResult::Unreadable);
                    acknowledge(&receipts).await;
                }
            },
        }
    }

    /// Takes in a result.
    async fn take(&mut self, name: String, result: ResultMessage, receipts: Receipts) {
        if self.excluded.contains(&result.worker.instance) {
            self.play_again(&name);
            return acknowledge(&receipts).await;
        }
        if self.ledger.job(&name).is_some() {
            return self.judge(&name, result, receipts);
        }
        let again = receipts.first().and_then(|first| first.info().ok().map(|it| it.delivered));
        let dropped = match again {
            Some(deliveries) if deliveries < MOST_DELIVERIES => {
                self.ledger.keep_early(name, (result, receipts)).map(|(_, receipts)| receipts)
            }
            _ => Some(receipts),
        };
        if let Some(receipts) = dropped {
            acknowledge(&receipts).await;
        }
    }

    /// Gives a result to the runner, if it can be true.
    fn judge(&mut self, name: &str, result: ResultMessage, receipts: Receipts) {
        let ResultMessage { worker, outcome } = result;
        let Some(open) = self.ledger.job(name) else { return };
        let slot = open.slot;
        let checked = if worker.is_named_well() {
            self.outcome_of(&open.job, &worker, outcome)
        } else {
            Err(WrongResult::Unreadable)
        };
        let (kept, is_kept) = oneshot::channel();
        match checked {
            Ok(outcome) => {
                self.ledger.close(name);
                self.report(match outcome {
                    Ok(outcome) => Report::Done { number: slot, outcome, kept: Some(kept) },
                    Err(panic) => Report::Panicked(slot, panic),
                });
            }
            Err(why) => {
                self.refuse(name, &worker, &why);
                drop(kept);
            }
        }
        tokio::spawn(async move {
            // Without an answer it was no game that the log keeps: nobody needs it.
            let _ = is_kept.await;
            acknowledge(&receipts).await;
        });
    }

    /// The outcome for the runner.
    fn outcome_of(
        &self,
        job: &Job,
        worker: &WorkerId,
        outcome: RemoteOutcome,
    ) -> Result<Result<JobOutcome, Panic>, WrongResult> {
        Ok(match (job, outcome) {
            (Job::Probe(player), RemoteOutcome::Probed(fault)) => {
                Ok(JobOutcome::Probed(*player, fault))
            }
            (Job::Play(due), RemoteOutcome::Played(games)) => {
                // An earlier coordinator may have kept one game of the pair.
                let is_due = |game: &RemoteGame| due.iter().any(|due| due.id == game.record.id);
                let several = games.len() > due.len();
                let games: Vec<RemoteGame> =
                    games.into_iter().filter(|game| !several || is_due(game)).collect();
                let records: Vec<_> = games.iter().map(|game| &game.record).collect();
                self.coordinator.inspector.inspect(due, &records)?;
                Ok(JobOutcome::Played(games.into_iter().map(|it| finished(it, worker)).collect()))
            }
            (_, RemoteOutcome::Failed(message)) => Err(Panic { message }),
            (_, RemoteOutcome::GivenUp(tries)) => Ok(JobOutcome::GivenUp { tries }),
            (_, RemoteOutcome::Probed(_) | RemoteOutcome::Played(_)) => {
                return Err(WrongResult::OtherJob);
            }
        })
    }

    /// Excludes a worker, and has its job done again.
    fn refuse(&mut self, name: &str, worker: &WorkerId, why: &WrongResult) {
        let named = if worker.is_named_well() { &worker.name } else { "with an invalid name" };
        if let Some(open) = self.ledger.job(name) {
            let job = match &open.job {
                Job::Probe(_) => "the start of a player".to_owned(),
                Job::Play(games) => {
                    let ids: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
                    format!("game {}", ids.join(" and "))
                }
            };
            let (worker, why) = (named.to_owned(), why.to_string());
            self.warn(RunWarning::Excluded { worker, job, why });
        }
        self.excluded.insert(worker.instance.clone());
        self.crew.remove(&worker.instance);
        self.tell_crew();
        self.play_again(name);
    }

    fn play_again(&mut self, name: &str) {
        if let Some(open) = self.ledger.close(name) {
            self.hand_out(open.slot, &open.job, open.attempt + 1);
        }
    }

    /// Hears what a worker tells of itself.
    fn hear(&mut self, payload: &[u8]) {
        let Ok(hello) = serde_json::from_slice::<WorkerHello>(payload) else { return };
        let instance = hello.worker.instance.clone();
        if self.excluded.contains(&instance) || !hello.worker.is_named_well() {
            return;
        }
        let before = self.crew.get(&instance);
        let is_new = before.is_none_or(|known| known.hello.problem != hello.problem);
        if let (true, Some(why)) = (is_new, &hello.problem) {
            let (worker, why) = (hello.worker.name.clone(), why.clone());
            self.warn(RunWarning::Unfit { worker, why });
        }
        if hello.leaves {
            self.crew.remove(&instance);
        } else {
            self.crew.insert(instance, Known { hello, heard: Instant::now() });
        }
        self.tell_crew();
    }

    fn forget_silent(&mut self) {
        let before = self.crew.len();
        self.crew.retain(|_, known| known.heard.elapsed() < SILENCE);
        if self.crew.len() != before {
            self.tell_crew();
        }
    }

    fn tell_crew(&self) {
        let able = self.crew.values().filter(|known| known.hello.slots > 0);
        let mut members: Vec<CrewMember> = able
            .map(|Known { hello, .. }| CrewMember {
                name: hello.worker.name.clone(),
                slots: hello.slots,
                played: hello.played,
            })
            .collect();
        members.sort_by(|one, other| one.name.cmp(&other.name));
        let mut crew = Crew { members, most: AHEAD };
        crew.most = AHEAD.max(2 * crew.slots() + 2);
        self.report(Report::Crew(crew));
    }

    async fn say_hello(&self, over: bool) {
        let hello = RunHello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.coordinator.names.run.clone(),
            excluded: self.excluded.iter().cloned().collect(),
            over,
        };
        let Ok(payload) = serde_json::to_vec(&hello) else { return };
        if let Err(error) = self.coordinator.server.client.publish(RUNS, payload.into()).await {
            tracing::debug!(%error, "the run is not announced");
        }
    }

    /// Puts jobs into the queue again that a server lost with its store.
    async fn search(&mut self) {
        match self.coordinator.streams.waiting().await {
            Ok((0, 0)) => {
                for (name, job, attempt) in self.ledger.overdue(SEARCH) {
                    self.queue(&name, &job, attempt);
                }
            }
            Ok(_) | Err(ServerProblem::Silent(_)) => {}
            Err(problem) => self.face(problem),
        }
    }
}

/// The game for the runner's log, with the name of the worker that played it.
fn finished(game: RemoteGame, worker: &WorkerId) -> Finished {
    let RemoteGame { mut record, transcript } = game;
    record.worker = Some(worker.name.clone());
    Finished { record, warnings: Vec::new(), transcript, memory: BySeat::default() }
}

/// Puts a job into the queue, where it waits once.
async fn publish(server: &NatsServer, subject: &str, payload: &[u8]) -> Result<(), ServerProblem> {
    let what = "queue a game";
    let payload = payload.to_vec().into();
    let sent = server.context.publish(subject.to_owned(), payload).await;
    match sent.map_err(|error| server.problem(what, &error))?.await {
        Err(error) if !is_queued_already(&error) => Err(server.problem(what, &error)),
        _ => Ok(()),
    }
}

/// Publishes a result, in as many messages as it needs.
///
/// # Errors
/// The server refuses one of them, or gives no answer.
pub async fn publish_result(
    server: &NatsServer,
    names: &RunNames,
    job: &str,
    nonce: &str,
    bytes: &[u8],
) -> Result<(), ServerProblem> {
    // Room for the header and the subject.
    let most = server.max_payload().saturating_sub(4096).max(4096);
    for (label, part) in super::parts::split(nonce, bytes, most) {
        let mut headers = HeaderMap::new();
        headers.insert(PART, label.text());
        let (subject, part) = (names.result(job), part.to_vec().into());
        let sent = server.context.publish_with_headers(subject, headers, part).await;
        let what = "send a result";
        let sent = sent.map_err(|error| server.problem(what, &error))?;
        sent.await.map_err(|error| server.problem(what, &error))?;
    }
    Ok(())
}

async fn acknowledge(receipts: &[Message]) {
    for receipt in receipts {
        if let Err(error) = receipt.ack_with(AckKind::Ack).await {
            tracing::debug!(%error, "a result will come again");
        }
    }
}

/// Fetches results, as long as anybody takes them.
async fn fetch(
    server: NatsServer,
    streams: Streams,
    arrive: mpsc::Sender<Result<Message, ServerProblem>>,
) {
    loop {
        let problem = match streams.results().await {
            Ok(consumer) => match consumer.messages().await {
                Ok(mut messages) => loop {
                    match messages.next().await {
                        Some(Ok(message)) => {
                            if arrive.send(Ok(message)).await.is_err() {
                                return;
                            }
                        }
                        Some(Err(error)) => break server.problem("fetch results", &error),
                        None => break ServerProblem::Silent("fetch results".to_owned()),
                    }
                },
                Err(error) => server.problem("fetch results", &error),
            },
            Err(problem) => problem,
        };
        tracing::debug!(%problem, "fetching results again");
        if !matches!(problem, ServerProblem::Silent(_)) && arrive.send(Err(problem)).await.is_err()
        {
            return;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
