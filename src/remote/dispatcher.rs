//! The dispatcher: puts the jobs of a runner into the queue, and takes in their results.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt;

use super::delivery::{Receipt, acknowledge, queue_job};
use super::inspection::{Inspector, WrongResult};
use super::known_workers::KnownWorkers;
use super::ledger::{Handing, Ledger, OpenJob};
use super::messages::{
    HEARTBEAT, JobMessage, PROTOCOL, RemoteGame, RemoteOutcome, ResultMessage, RunAnnouncement,
    WorkerHeartbeat, WorkerId, job_name,
};
use super::outage::Outage;
use super::parts::{Assembly, PartLabel};
use super::receipts::Receipts;
use super::server::{AGAIN, NatsServer, ServerProblem};
use super::spot_checks::{FirstResult, SpotChecks};
use super::streams::{PART, RUNS, RunNames, Streams, job_of};
use crate::run::event::{RunWarning, WorkerPool};
use crate::run::job::{Finished, Job, JobOutcome, Panic, Report};
use crate::run::worker::Reports;
use referee_games::BySeat;

/// How often the queues are searched for jobs that the server has lost.
const SEARCH: Duration = Duration::from_secs(30);
/// The number of jobs to queue before the first worker reports.
const AHEAD: usize = 8;
/// A result that comes again and again for a job that nobody waits for is dropped.
const MOST_DELIVERIES: i64 = 3;

/// The receipts of all parts of a result.
type ResultReceipts = Vec<Receipt>;

/// A result, and its receipts.
type Arrival = (ResultMessage, ResultReceipts);

/// A problem, and the time of the request that had it.
type FacedProblem = (Instant, ServerProblem);

/// What follows from a result that may be true.
enum PossibleResult {
    /// These games were played.
    Played(Vec<RemoteGame>),
    /// The runner hears this.
    Other(Report),
}

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
    /// Says how many games of the runner are on disk.
    pub synced: watch::Receiver<u64>,
}

/// Queues the jobs of a runner, checks the results of workers, and reports them to the runner.
pub struct Dispatcher {
    run: OpenRun,
    ledger: Ledger<Arrival>,
    assembly: Assembly<Receipt>,
    /// Of results whose games are not on disk yet.
    receipts: Receipts<ResultReceipts>,
    workers: KnownWorkers,
    checks: SpotChecks<ResultReceipts>,
    /// The number of jobs that wait for a worker.
    queued: u64,
    /// The runner's inbox, as soon as it hands out a job.
    reports: Option<Reports>,
    outage: Outage,
    problems: (mpsc::UnboundedSender<FacedProblem>, mpsc::UnboundedReceiver<FacedProblem>),
}

impl Dispatcher {
    /// A dispatcher with nothing to do yet.
    pub fn new(run: OpenRun, checks: SpotChecks<ResultReceipts>) -> Self {
        Self {
            run,
            ledger: Ledger::default(),
            assembly: Assembly::default(),
            receipts: Receipts::default(),
            workers: KnownWorkers::default(),
            checks,
            queued: 0,
            reports: None,
            outage: Outage::default(),
            problems: mpsc::unbounded_channel(),
        }
    }

    /// Does its work for ever: it takes jobs from `given` and results from `arrivals`.
    pub async fn work(
        &mut self,
        mut given: mpsc::UnboundedReceiver<JobRequest>,
        mut arrivals: mpsc::Receiver<Result<Message, ServerProblem>>,
        heartbeats: &mut async_nats::Subscriber,
    ) -> Infallible {
        let mut synced = self.run.synced.clone();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        let mut search = tokio::time::interval(SEARCH);
        loop {
            tokio::select! {
                Some(request) = given.recv() => self.accept_request(request).await,
                Some(arrival) = arrivals.recv() => match arrival {
                    Ok(message) => self.take_part(message).await,
                    Err(problem) => self.face(Instant::now(), problem),
                },
                Ok(()) = synced.changed() => self.acknowledge_synced().await,
                Some((asked, problem)) = self.problems.1.recv() => self.face(asked, problem),
                Some(message) = heartbeats.next() => self.hear(&message.payload),
                _ = heartbeat.tick() => self.beat().await,
                _ = search.tick() => self.search().await,
            }
        }
    }

    /// Acknowledges the results whose games are on disk.
    pub async fn acknowledge_synced(&mut self) {
        let synced = *self.run.synced.borrow();
        for receipts in self.receipts.take(synced) {
            acknowledge(&receipts).await;
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

    async fn accept_request(&mut self, request: JobRequest) {
        let JobRequest { slot, job, reports } = request;
        if self.reports.is_none() {
            self.reports = Some(reports);
            self.tell_workers();
        }
        self.hand_out(slot, &job, 0).await;
    }

    /// Puts a job into the queue, unless its result is known.
    async fn hand_out(&mut self, slot: usize, job: &Job, attempt: u32) {
        let name = job_name(job);
        match self.ledger.hand_out(&name, slot, job.clone(), attempt) {
            Handing::Queue(attempt) => self.queue(&name, job, attempt, None),
            Handing::Known((result, receipts)) => self.judge(&name, result, receipts).await,
        }
    }

    /// Puts a job into the queue, for any worker `but` this one.
    fn queue(&self, name: &str, job: &Job, attempt: u32, but: Option<&WorkerId>) {
        let subject = self.run.names.job(name, attempt);
        let Ok(payload) = serde_json::to_vec(&JobMessage::of(job)) else { return };
        let (server, problems) = (self.run.server.clone(), self.problems.0.clone());
        let but = but.map(|worker| worker.instance.clone());
        tokio::spawn(async move {
            loop {
                let asked = Instant::now();
                let queued = queue_job(&server, &subject, but.as_deref(), &payload).await;
                let Err(problem) = queued else { return };
                let may_pass = problem.may_pass();
                if problems.send((asked, problem)).is_err() || !may_pass {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    /// Warns about a problem of a request of this time, if it may pass, once until the server
    /// answers again, and ends the run for any other.
    fn face(&self, asked: Instant, problem: ServerProblem) {
        if problem.may_pass() {
            if self.outage.begin(asked) {
                let text = format!("{problem}; it is tried again, and nothing is lost");
                self.warn(RunWarning::Connection(text));
            }
        } else {
            self.report(Report::Failed(problem.into()));
        }
    }

    /// Takes in a message of the queue of results.
    async fn take_part(&mut self, message: Message) {
        let header = message.headers.as_ref().and_then(|headers| headers.get(PART));
        let label = header.and_then(|value| PartLabel::read(value.as_str()));
        let name = job_of(&message.subject).map(str::to_owned);
        let (payload, receipt) = Receipt::of(message);
        let Some(name) = name else { return acknowledge(&[receipt]).await };
        let Some(label) = label else { return self.refuse_unreadable(&name, &[receipt]).await };
        match self.assembly.add(label, payload.to_vec(), receipt) {
            Ok(None) => {}
            Err(receipt) => self.refuse_unreadable(&name, &[receipt]).await,
            Ok(Some((bytes, receipts))) => match serde_json::from_slice(&bytes) {
                Ok(result) => self.take(name, result, receipts).await,
                Err(error) => {
                    tracing::warn!(%error, name, "a result cannot be read");
                    self.refuse_unreadable(&name, &receipts).await;
                }
            },
        }
    }

    async fn refuse_unreadable(&mut self, name: &str, receipts: &[Receipt]) {
        let worker = WorkerId { name: "unknown".to_owned(), instance: String::new() };
        self.refuse(name, &worker, &WrongResult::Unreadable).await;
        acknowledge(receipts).await;
    }

    /// Takes in a result.
    async fn take(&mut self, name: String, result: ResultMessage, receipts: ResultReceipts) {
        if self.workers.is_excluded(&result.worker) {
            self.play_again(&name).await;
            return acknowledge(&receipts).await;
        }
        if self.ledger.job(&name).is_some() {
            return self.judge(&name, result, receipts).await;
        }
        let is_fresh = receipts.first().is_some_and(|it| it.deliveries < MOST_DELIVERIES);
        let dropped = if is_fresh {
            self.ledger.keep_early(name, (result, receipts)).map(|(_, receipts)| receipts)
        } else {
            Some(receipts)
        };
        if let Some(receipts) = dropped {
            acknowledge(&receipts).await;
        }
    }

    /// Gives a result to the runner, if it can be true.
    async fn judge(&mut self, name: &str, result: ResultMessage, receipts: ResultReceipts) {
        let ResultMessage { worker, outcome } = result;
        let Some(open) = self.ledger.job(name) else { return };
        let inspected = if worker.is_named_well() {
            self.inspected(open, outcome)
        } else {
            Err(WrongResult::Unreadable)
        };
        match inspected {
            Ok(PossibleResult::Played(games)) => {
                let result = FirstResult { worker, games, receipts };
                return self.accept(name, result).await;
            }
            Ok(PossibleResult::Other(report)) => {
                if let Some(first) = self.checks.end(name) {
                    self.keep(name, first);
                } else {
                    self.ledger.close(name);
                    self.report(report);
                }
            }
            Err(why) => self.refuse(name, &worker, &why).await,
        }
        // No game that the log will keep: nobody needs it any more.
        acknowledge(&receipts).await;
    }

    fn inspected(
        &self,
        open: &OpenJob,
        outcome: RemoteOutcome,
    ) -> Result<PossibleResult, WrongResult> {
        let done = |outcome| PossibleResult::Other(Report::Done(open.slot, outcome));
        Ok(match (&open.job, outcome) {
            (Job::Probe(player), RemoteOutcome::Probed(fault)) => {
                done(JobOutcome::Probed(*player, fault))
            }
            (Job::Play(due), RemoteOutcome::Played(games)) => {
                // An earlier coordinator may have kept one game of the pair.
                let is_due = |game: &RemoteGame| due.iter().any(|due| due.id == game.record.id);
                let several = games.len() > due.len();
                let games: Vec<RemoteGame> =
                    games.into_iter().filter(|game| !several || is_due(game)).collect();
                let records: Vec<_> = games.iter().map(|game| &game.record).collect();
                self.run.inspector.inspect(due, &records)?;
                PossibleResult::Played(games)
            }
            (_, RemoteOutcome::Failed(message)) => {
                PossibleResult::Other(Report::Panicked(open.slot, Panic { message }))
            }
            (_, RemoteOutcome::GivenUp(tries)) => done(JobOutcome::GivenUp { tries }),
            (_, RemoteOutcome::Probed(_) | RemoteOutcome::Played(_)) => {
                return Err(WrongResult::OtherJob);
            }
        })
    }

    /// Accepts the games of a job, or has another worker play them again first.
    async fn accept(&mut self, name: &str, result: FirstResult<ResultReceipts>) {
        match self.checks.end(name) {
            None => {
                let may_check = self.workers.has_others_than(&result.worker);
                if may_check && self.checks.chooses(name) {
                    self.check(name, result);
                } else {
                    self.keep(name, result);
                }
            }
            // The server has sent the same result again.
            Some(first) if first.worker == result.worker => {
                self.checks.begin(name.to_owned(), result);
            }
            Some(first) if self.workers.is_excluded(&first.worker) => {
                acknowledge(&first.receipts).await;
                self.keep(name, result);
            }
            Some(first) => {
                for difference in self.checks.compare(&first.games, &result.games) {
                    let (counts, other) = (first.worker.name.clone(), result.worker.name.clone());
                    let (game, ply) = (difference.game, difference.ply);
                    self.warn(RunWarning::Different { game, ply, counts, other });
                }
                self.tell_workers();
                self.keep(name, first);
                acknowledge(&result.receipts).await;
            }
        }
    }

    /// Queues a job again for another worker.
    fn check(&mut self, name: &str, result: FirstResult<ResultReceipts>) {
        let Some(OpenJob { slot, job, attempt, .. }) = self.ledger.close(name) else { return };
        self.ledger.hand_out(name, slot, job.clone(), attempt + 1);
        self.queue(name, &job, attempt + 1, Some(&result.worker));
        self.checks.begin(name.to_owned(), result);
    }

    /// Gives games to the runner.
    fn keep(&mut self, name: &str, result: FirstResult<ResultReceipts>) {
        let Some(open) = self.ledger.close(name) else { return };
        let FirstResult { worker, games, receipts } = result;
        self.receipts.keep(games.len(), receipts);
        let games = games.into_iter().map(|game| finished(game, &worker)).collect();
        self.report(Report::Done(open.slot, JobOutcome::Played(games)));
    }

    /// Excludes a worker, and has its job done again.
    async fn refuse(&mut self, name: &str, worker: &WorkerId, why: &WrongResult) {
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
        self.workers.exclude(worker);
        self.tell_workers();
        self.play_again(name).await;
    }

    /// Hands out a job again. The first result of a check stays valid.
    async fn play_again(&mut self, name: &str) {
        let Some(open) = self.ledger.close(name) else { return };
        match self.checks.worker_of(name).cloned() {
            Some(first) if !self.workers.is_excluded(&first) => {
                self.ledger.hand_out(name, open.slot, open.job.clone(), open.attempt + 1);
                self.queue(name, &open.job, open.attempt + 1, Some(&first));
            }
            _ => Box::pin(self.hand_out(open.slot, &open.job, open.attempt + 1)).await,
        }
    }

    /// Hears what a worker tells of itself.
    fn hear(&mut self, payload: &[u8]) {
        let Ok(heartbeat) = serde_json::from_slice::<WorkerHeartbeat>(payload) else { return };
        let worker = heartbeat.worker.name.clone();
        if let Some(why) = self.workers.hear(heartbeat) {
            self.warn(RunWarning::Unfit { worker, why });
        }
        self.tell_workers();
    }

    /// Announces the run, and looks at workers and queue.
    async fn beat(&mut self) {
        self.announce(false).await;
        self.workers.forget_silent();
        self.end_lonely_checks().await;
        let asked = Instant::now();
        match self.run.streams.queued().await {
            Ok(queued) => {
                self.queued = queued;
                if let Some(after) = self.outage.end() {
                    self.warn(RunWarning::Answers { after });
                }
            }
            Err(problem) => self.face(asked, problem),
        }
        self.tell_workers();
    }

    /// Accepts results without a check when no other worker is left that could do it.
    async fn end_lonely_checks(&mut self) {
        let is_lonely = |worker: &WorkerId| !self.workers.has_others_than(worker);
        let lonely: Vec<String> = self
            .checks
            .open()
            .filter(|(_, worker)| is_lonely(worker))
            .map(|(name, _)| name.clone())
            .collect();
        for name in lonely {
            let Some((first, open)) = self.checks.end(&name).zip(self.ledger.job(&name)) else {
                continue;
            };
            let subject = self.run.names.job(&name, open.attempt);
            if let Err(problem) = self.run.streams.withdraw(&subject).await {
                tracing::debug!(%problem, "a check stays in the queue");
            }
            self.keep(&name, first);
        }
    }

    fn tell_workers(&self) {
        let members = self.workers.list();
        let slots: usize = members.iter().map(|member| member.slots).sum();
        self.report(Report::WorkerPool(WorkerPool {
            members,
            most: AHEAD.max(2 * slots + 2),
            queued: self.queued,
            compared: self.checks.compared,
            different: self.checks.different,
        }));
    }

    /// Announces the run to workers, or says that it is over.
    pub async fn announce(&self, over: bool) {
        let announcement = RunAnnouncement {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.names.run.clone(),
            excluded: self.workers.excluded(),
            over,
        };
        let Ok(payload) = serde_json::to_vec(&announcement) else { return };
        if let Err(error) = self.run.server.client.publish(RUNS, payload.into()).await {
            tracing::debug!(%error, "the run is not announced");
        }
    }

    /// Puts jobs into the queue again that a server lost with its store.
    async fn search(&mut self) {
        let asked = Instant::now();
        match self.run.streams.waiting().await {
            Ok((0, 0)) => {
                for (name, job, attempt) in self.ledger.overdue(SEARCH) {
                    self.queue(&name, &job, attempt, self.checks.worker_of(&name));
                }
            }
            Ok(_) => {}
            Err(problem) => self.face(asked, problem),
        }
    }
}

/// The game for the runner's log, with the name of the worker that played it.
fn finished(game: RemoteGame, worker: &WorkerId) -> Finished {
    let RemoteGame { mut record, transcript } = game;
    record.worker = Some(worker.name.clone());
    Finished { record, warnings: Vec::new(), transcript, memory: BySeat::default() }
}
