//! The dispatcher: puts the jobs of a runner into the queue, and takes in their results.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::StreamExt;

use super::delivery::{acknowledge, queue_job};
use super::inspection::{Inspector, WrongResult};
use super::ledger::{Handing, Ledger};
use super::messages::{
    HEARTBEAT, JobMessage, PROTOCOL, RemoteGame, RemoteOutcome, ResultMessage, RunAnnouncement,
    WorkerHeartbeat, WorkerId, job_name,
};
use super::parts::{Assembly, PartLabel};
use super::server::{AGAIN, NatsServer, ServerProblem};
use super::streams::{PART, RUNS, RunNames, Streams, job_of};
use crate::run::event::{RunWarning, WorkerPool, WorkerStatus};
use crate::run::job::{Finished, Job, JobOutcome, Panic, Report};
use crate::run::worker::Reports;
use referee_games::BySeat;

/// A worker is no longer counted after this time without a message.
const SILENCE: Duration = Duration::from_secs(15);
/// How often the queues are searched for jobs that the server has lost.
const SEARCH: Duration = Duration::from_secs(30);
/// The number of jobs to queue before the first worker reports.
const AHEAD: usize = 8;
/// A result that comes again and again for a job that nobody waits for is dropped.
const MOST_DELIVERIES: i64 = 3;

/// The parts of a result, to be acknowledged.
type Receipts = Vec<Message>;

/// A result, and its receipts.
type Arrival = (ResultMessage, Receipts);

/// A job that the runner hands out.
#[derive(Debug)]
pub struct JobRequest {
    /// The number of the runner's worker that waits for it.
    pub slot: usize,
    /// The job.
    pub job: Job,
    /// Where to report its outcome.
    pub reports: Reports,
}

/// What is known of a worker.
#[derive(Debug)]
struct KnownWorker {
    hello: WorkerHeartbeat,
    heard: Instant,
}

/// A run that is open on a server.
#[derive(Debug)]
pub struct OpenRun {
    /// The server.
    pub server: NatsServer,
    /// The names of the run on it.
    pub names: RunNames,
    /// Its streams.
    pub streams: Streams,
    /// Checks results.
    pub inspector: Inspector,
}

/// Queues the jobs of a runner, checks the results of workers, and reports them to the runner.
pub struct Dispatcher {
    run: OpenRun,
    ledger: Ledger<Arrival>,
    assembly: Assembly<Message>,
    workers: HashMap<String, KnownWorker>,
    excluded: HashSet<String>,
    /// The runner's inbox, as soon as it hands out a job.
    reports: Option<Reports>,
    problems: (mpsc::UnboundedSender<ServerProblem>, mpsc::UnboundedReceiver<ServerProblem>),
}

impl Dispatcher {
    /// A dispatcher with nothing to do yet.
    pub fn new(run: OpenRun) -> Self {
        Self {
            run,
            ledger: Ledger::default(),
            assembly: Assembly::default(),
            workers: HashMap::new(),
            excluded: HashSet::new(),
            reports: None,
            problems: mpsc::unbounded_channel(),
        }
    }

    /// Does its work for ever: it takes jobs from `given` and results from `arrivals`.
    pub async fn work(
        &mut self,
        mut given: mpsc::UnboundedReceiver<JobRequest>,
        mut arrivals: mpsc::Receiver<Result<Message, ServerProblem>>,
        workers: &mut async_nats::Subscriber,
    ) -> Infallible {
        let mut hello = tokio::time::interval(HEARTBEAT);
        let mut search = tokio::time::interval(SEARCH);
        loop {
            tokio::select! {
                Some(JobRequest { slot, job, reports }) = given.recv() => {
                    if self.reports.is_none() {
                        self.reports = Some(reports);
                        self.tell_workers();
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
                    self.announce(false).await;
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
        let subject = self.run.names.job(name, attempt);
        let Ok(payload) = serde_json::to_vec(&JobMessage::of(job)) else { return };
        let (server, problems) = (self.run.server.clone(), self.problems.0.clone());
        tokio::spawn(async move {
            loop {
                let Err(problem) = queue_job(&server, &subject, &payload).await else { return };
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
                self.run.inspector.inspect(due, &records)?;
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
        self.workers.remove(&worker.instance);
        self.tell_workers();
        self.play_again(name);
    }

    fn play_again(&mut self, name: &str) {
        if let Some(open) = self.ledger.close(name) {
            self.hand_out(open.slot, &open.job, open.attempt + 1);
        }
    }

    /// Hears what a worker tells of itself.
    fn hear(&mut self, payload: &[u8]) {
        let Ok(hello) = serde_json::from_slice::<WorkerHeartbeat>(payload) else { return };
        let instance = hello.worker.instance.clone();
        if self.excluded.contains(&instance) || !hello.worker.is_named_well() {
            return;
        }
        let before = self.workers.get(&instance);
        let is_new = before.is_none_or(|known| known.hello.problem != hello.problem);
        if let (true, Some(why)) = (is_new, &hello.problem) {
            let (worker, why) = (hello.worker.name.clone(), why.clone());
            self.warn(RunWarning::Unfit { worker, why });
        }
        if hello.leaves {
            self.workers.remove(&instance);
        } else {
            self.workers.insert(instance, KnownWorker { hello, heard: Instant::now() });
        }
        self.tell_workers();
    }

    fn forget_silent(&mut self) {
        let before = self.workers.len();
        self.workers.retain(|_, known| known.heard.elapsed() < SILENCE);
        if self.workers.len() != before {
            self.tell_workers();
        }
    }

    fn tell_workers(&self) {
        let able = self.workers.values().filter(|known| known.hello.slots > 0);
        let mut members: Vec<WorkerStatus> = able
            .map(|KnownWorker { hello, .. }| WorkerStatus {
                name: hello.worker.name.clone(),
                slots: hello.slots,
                played: hello.played,
            })
            .collect();
        members.sort_by(|one, other| one.name.cmp(&other.name));
        let mut workers = WorkerPool { members, most: AHEAD };
        workers.most = AHEAD.max(2 * workers.slots() + 2);
        self.report(Report::WorkerPool(workers));
    }

    /// Announces the run to workers, or says that it is over.
    pub async fn announce(&self, over: bool) {
        let hello = RunAnnouncement {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.names.run.clone(),
            excluded: self.excluded.iter().cloned().collect(),
            over,
        };
        let Ok(payload) = serde_json::to_vec(&hello) else { return };
        if let Err(error) = self.run.server.client.publish(RUNS, payload.into()).await {
            tracing::debug!(%error, "the run is not announced");
        }
    }

    /// Puts jobs into the queue again that a server lost with its store.
    async fn search(&mut self) {
        match self.run.streams.waiting().await {
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
