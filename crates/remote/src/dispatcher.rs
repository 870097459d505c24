//! The dispatcher: queues the jobs of a runner, and handles their results.

mod failures;
mod holders;
mod job_results;
mod server_queue;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream, StreamExt};

use super::delivery::DeliveryAck;
use super::inspection::Inspector;
use super::known_workers::KnownWorkers;
use super::messages::HEARTBEAT;
use super::nats_server::{NatsServer, ServerProblem};
use super::open_jobs::OpenJobs;
use super::outage::OutageLog;
use super::run_description::DescribedPlayer;
use super::run_files::RunFiles;
use super::run_streams::{RUNS, RunStreams, StreamNames};
use super::spot_checks::SpotChecks;
use referee_protocol::escape::escape_line;
use referee_record::model::record::Header;
use referee_tournament::run::deadline::RunDeadline;
use referee_tournament::run::job::{Job, WorkerReport};
use referee_tournament::run::run_event::WorkerPool;
use referee_tournament::run::worker_thread::WorkerReports;

/// How often open jobs are queued again, in case the server has lost them.
const REQUEUE: Duration = Duration::from_secs(30);
/// The number of jobs to queue before the first worker reports.
const AHEAD: usize = 8;
/// The maximum number of jobs to queue.
const MAX_AHEAD: usize = 10_000;
/// The number of plies that a game is expected to have at most, before longer ones are seen.
const PLIES: u32 = 1000;
/// How long no worker may be there before that is reported.
const LONELY: Duration = Duration::from_secs(10);
/// The message to an excluded worker.
const NOTHING_MORE: &str = "this worker is excluded";

/// What requests of the dispatcher report when they are done.
enum RequestOutcome {
    /// An attempt at a job is in the queue, as the message of this number.
    Queued(String, u32, Option<u64>),
    /// The request of this time failed.
    Problem(Instant, ServerProblem),
}

/// What the runner asks for.
#[derive(Debug)]
pub(crate) enum RunnerRequest {
    /// A job is to be done.
    Job(JobRequest),
    /// The workers are to know a player that has come, before its first job; the header has it.
    Admit(Box<DescribedPlayer>, Box<Header>),
}

/// A job that the runner hands out.
#[derive(Debug)]
pub(crate) struct JobRequest {
    /// The number of the runner's worker that waits for it.
    pub(crate) slot: usize,
    /// The job.
    pub job: Job,
    /// Where to report its outcome.
    pub(crate) reports: WorkerReports,
}

/// A run that is open on a server.
#[derive(Debug)]
pub(crate) struct OpenRun {
    pub(crate) server: NatsServer,
    pub(crate) names: StreamNames,
    pub(crate) streams: RunStreams,
    /// Its description and bundles, to send them again if the server loses them.
    pub(crate) files: RunFiles,
    /// Checks results.
    pub(crate) inspector: Inspector,
    /// The number of the runner's games that are on disk.
    pub(crate) synced: watch::Receiver<u64>,
    /// The later of two coordinators has the greater name.
    pub(crate) coordinator: String,
}

/// Queues the jobs of a runner, checks the results of workers, and reports them to the runner.
pub(crate) struct Dispatcher {
    run: OpenRun,
    jobs: OpenJobs,
    /// Acknowledges the results whose games are not on disk yet, each with the number of games that
    /// the runner had received by then. The runner writes them to the log in this order.
    pending: VecDeque<(u64, DeliveryAck)>,
    /// The number of games that the runner has received.
    handed_over: u64,
    workers: KnownWorkers,
    checks: SpotChecks,
    /// The number of jobs that wait for a worker.
    queued: u64,
    /// The runner's inbox, as soon as it hands out a job.
    reports: Option<WorkerReports>,
    outage: OutageLog,
    answers: (mpsc::UnboundedSender<RequestOutcome>, mpsc::UnboundedReceiver<RequestOutcome>),
    /// The most plies of a game so far, and the longest time that a job took.
    longest: (u32, Duration),
    /// Since when there has been no worker. `None` if that was reported.
    lonely_since: Option<Instant>,
    has_dropped: bool,
    /// Whether the server may lack a player that came.
    is_incomplete: bool,
    /// The end time of the run, if there is one.
    deadline: watch::Receiver<Option<RunDeadline>>,
    /// The earliest time from which no game may begin, of all that workers were told.
    closes: Option<Instant>,
}

impl Dispatcher {
    /// A dispatcher with nothing to do yet.
    pub(crate) fn new(
        run: OpenRun,
        checks: SpotChecks,
        deadline: watch::Receiver<Option<RunDeadline>>,
    ) -> Self {
        Self {
            run,
            jobs: OpenJobs::default(),
            pending: VecDeque::new(),
            handed_over: 0,
            workers: KnownWorkers::default(),
            checks,
            queued: 0,
            reports: None,
            outage: OutageLog::default(),
            answers: mpsc::unbounded_channel(),
            longest: (PLIES, Duration::ZERO),
            deadline,
            closes: None,
            lonely_since: Some(Instant::now()),
            has_dropped: false,
            is_incomplete: false,
        }
    }

    /// Runs until dropped: handles requests from `given`, results from `arrivals`, and what is published
    /// on the subjects of workers and of announcements.
    pub(crate) async fn work(
        &mut self,
        mut given: mpsc::UnboundedReceiver<RunnerRequest>,
        mut arrivals: mpsc::Receiver<Result<Message, ServerProblem>>,
        mut published: impl Stream<Item = async_nats::Message> + Unpin,
    ) -> Infallible {
        let mut synced = self.run.synced.clone();
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        let mut requeue = tokio::time::interval(REQUEUE);
        loop {
            tokio::select! {
                Some(request) = given.recv() => match request {
                    RunnerRequest::Job(request) => self.accept_request(request).await,
                    RunnerRequest::Admit(player, header) => self.admit(*player, *header).await,
                },
                Some(arrival) = arrivals.recv() => match arrival {
                    Ok(message) => self.on_job_result(message).await,
                    Err(problem) => self.report_server_problem(Instant::now(), problem).await,
                },
                Ok(()) = synced.changed() => self.acknowledge_synced().await,
                Some(answer) = self.answers.1.recv() => match answer {
                    RequestOutcome::Queued(name, attempt, sequence) => {
                        if let Some(open) = self.jobs.get(&name)
                            && open.attempt == attempt
                        {
                            open.sequence = sequence;
                        }
                    }
                    RequestOutcome::Problem(asked, problem) => self.report_server_problem(asked, problem).await,
                },
                Some(message) = published.next() => {
                    if message.subject.as_str() == RUNS {
                        self.on_announcement(&message.payload);
                    } else {
                        self.on_holder_heartbeat(&message);
                    }
                }
                _ = heartbeat.tick() => self.tick().await,
                _ = requeue.tick() => self.requeue_lost(REQUEUE),
            }
        }
    }

    /// Acknowledges the results whose games are on disk.
    pub(crate) async fn acknowledge_synced(&mut self) {
        let synced = *self.run.synced.borrow();
        let count = self.pending.partition_point(|(games, _)| *games <= synced);
        for (_, ack) in self.pending.drain(..count) {
            ack.send().await;
        }
    }

    fn report(&self, report: WorkerReport) {
        if let Some(reports) = &self.reports {
            // A runner that ends drops its inbox.
            let _ = reports.send(report);
        }
    }

    /// Reports a problem, which may quote strangers.
    fn warn(&self, problem: &str) {
        self.report(WorkerReport::Warning(escape_line(problem)));
    }

    /// Sends a player that has come. While the server gives no answer, its jobs wait for it.
    async fn admit(&mut self, player: DescribedPlayer, header: Header) {
        self.run.inspector.admit(header);
        self.run.files.newcomers.push(player);
        self.send_files_to_server().await;
    }

    async fn accept_request(&mut self, request: JobRequest) {
        let JobRequest { slot, job, reports } = request;
        if self.reports.is_none() {
            self.reports = Some(reports);
            self.report_workers();
        }
        let name = job.name();
        match self.jobs.open(&name, slot, job) {
            Some(arrival) => self.check_job_result(&name, arrival).await,
            None => self.queue_on_server(&name),
        }
    }

    /// Announces the run, and looks at workers, jobs and queue.
    async fn tick(&mut self) {
        if self.is_incomplete {
            self.send_files_to_server().await;
        }
        self.announce_on_server(false).await;
        for text in self.workers.tick() {
            self.warn(&text);
        }
        self.report_loneliness();
        self.end_lonely_checks();
        self.end_lonely_failures();
        self.hand_back_unheld_jobs();
        let asked = Instant::now();
        match self.run.streams.queued().await {
            Ok((queued, delivered)) => {
                self.queued = queued;
                if let Some(after) = self.outage.end() {
                    let seconds = after.as_secs();
                    self.warn(&format!(
                        "the NATS server is back after {seconds} seconds; nothing was lost"
                    ));
                }
                self.look_after_holders(delivered);
            }
            Err(problem) => self.report_server_problem(asked, problem).await,
        }
        self.report_workers();
    }

    /// Warns once when no worker has been there for a while.
    fn report_loneliness(&mut self) {
        if !self.workers.list().is_empty() {
            self.lonely_since = Some(Instant::now());
        } else if self.lonely_since.is_some_and(|since| since.elapsed() >= LONELY) {
            self.lonely_since = None;
            self.warn(&format!(
                "no worker has joined: run `referee worker {}` on the machines that should play",
                self.run.server.address
            ));
        }
    }

    fn report_workers(&self) {
        let members = self.workers.list();
        let slots: usize = members.iter().map(|member| member.slots).sum();
        self.report(WorkerReport::WorkerPool(WorkerPool {
            members,
            most: (2 * slots + 2).clamp(AHEAD, MAX_AHEAD),
            queued: self.queued,
            compared: self.checks.compared,
            different: self.checks.different,
        }));
    }
}
