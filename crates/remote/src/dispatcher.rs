//! The dispatcher: queues the jobs of a runner, and handles their results.

mod failures;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::{mpsc, watch};
use tokio_stream::{Stream, StreamExt};

use super::delivery::{PendingAck, queue_job, unpack};
use super::description::PackedPlayer;
use super::error::RemoteError;
use super::inspection::{Inspector, WrongResult};
use super::known_workers::{KnownWorkers, SILENCE};
use super::messages::{
    HEARTBEAT, PROTOCOL, RunAnnouncement, WorkerHeartbeat, WorkerId, WorkerIdentity,
};
use super::open_jobs::{Arrival, JobTable, OpenJob, job_bound};
use super::outage::OutageLog;
use super::run_files::RunFiles;
use super::server::{AGAIN, NatsServer, ServerProblem};
use super::spot_checks::{FirstResult, SpotChecks};
use super::streams::{RUNS, RunNames, Streams, job_of};
use referee_protocol::escape;
use referee_record::model::record::Header;
use referee_record::model::tc::own_control;
use referee_tournament::run::deadline::RunDeadline;
use referee_tournament::run::event::WorkerPool;
use referee_tournament::run::failure::JobFailure;
use referee_tournament::run::job::{Job, JobOutcome, Report};
use referee_tournament::run::worker::Reports;

/// How often open jobs are queued again, in case the server has lost them.
const REQUEUE: Duration = Duration::from_secs(30);
/// The number of jobs to queue before the first worker reports.
const AHEAD: usize = 8;
/// The maximum number of jobs to queue.
const MAX_AHEAD: usize = 10_000;
/// Drops a result redelivered this often for an unknown job.
const MAX_DELIVERIES: i64 = 3;
/// A job is left out when this many workers took it and fell silent.
const MAX_LOST: usize = 5;
/// A job gets this many attempts at once. Further ones wait until the last one is out of the queue,
/// so invalid results for it cost the other workers nothing.
const QUICK_ATTEMPTS: u32 = 3;
/// The maximum number of excluded workers that are reported.
const MAX_REPORTED: usize = 50;
/// The maximum size of a heartbeat, in bytes.
const MAX_HEARTBEAT: usize = 64 << 10;
/// The number of plies that a game is expected to have at most, before longer ones are seen.
const PLIES: u32 = 1000;
/// The number of workers whose joining is reported at once, between two announcements of the run.
const PROMPT: usize = 8;
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
    Admit(Box<PackedPlayer>, Box<Header>),
}

/// A job that the runner hands out.
#[derive(Debug)]
pub(crate) struct JobRequest {
    /// The number of the runner's worker that waits for it.
    pub(crate) slot: usize,
    /// The job.
    pub job: Job,
    /// Where to report its outcome.
    pub(crate) reports: Reports,
}

/// A run that is open on a server.
#[derive(Debug)]
pub(crate) struct OpenRun {
    pub(crate) server: NatsServer,
    pub(crate) names: RunNames,
    pub(crate) streams: Streams,
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
    jobs: JobTable,
    /// Acknowledges the results whose games are not on disk yet, each with the number of games that
    /// the runner had received by then. The runner writes them to the log in this order.
    pending: VecDeque<(u64, PendingAck)>,
    /// The number of games that the runner has received.
    handed_over: u64,
    workers: KnownWorkers,
    checks: SpotChecks,
    /// The number of jobs that wait for a worker.
    queued: u64,
    /// The runner's inbox, as soon as it hands out a job.
    reports: Option<Reports>,
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
            jobs: JobTable::default(),
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
                    Ok(message) => self.on_result(message).await,
                    Err(problem) => self.report_problem(Instant::now(), problem).await,
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
                    RequestOutcome::Problem(asked, problem) => self.report_problem(asked, problem).await,
                },
                Some(message) = published.next() => {
                    if message.subject.as_str() == RUNS {
                        self.on_announcement(&message.payload);
                    } else {
                        self.on_heartbeat(&message);
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

    fn report(&self, report: Report) {
        if let Some(reports) = &self.reports {
            // A runner that ends drops its inbox.
            let _ = reports.send(report);
        }
    }

    /// Reports a problem, which may quote strangers.
    fn warn(&self, problem: &str) {
        self.report(Report::Warning(escape::terminal(problem)));
    }

    /// Sends a player that has come. While the server gives no answer, its jobs wait for it.
    async fn admit(&mut self, player: PackedPlayer, header: Header) {
        self.run.inspector.admit(header);
        self.run.files.newcomers.push(player);
        self.send_files().await;
    }

    /// Sends what the server does not have yet.
    async fn send_files(&mut self) {
        let OpenRun { server, streams, files, .. } = &self.run;
        let sent = files.create(server, streams).await;
        self.is_incomplete = sent.is_err();
        match sent {
            Ok(_) => {}
            Err(RemoteError::Server(problem)) => {
                self.report_outage(Instant::now(), &problem);
            }
            Err(error) => self.report(Report::Failed(error.into())),
        }
    }

    async fn accept_request(&mut self, request: JobRequest) {
        let JobRequest { slot, job, reports } = request;
        if self.reports.is_none() {
            self.reports = Some(reports);
            self.report_workers();
        }
        let name = job.name();
        match self.jobs.open(&name, slot, job) {
            Some(arrival) => self.check_result(&name, arrival).await,
            None => self.queue(&name),
        }
    }

    /// Queues the current attempt at a job, unless it is in the queue already.
    fn queue(&mut self, name: &str) {
        let Some(open) = self.jobs.get(name) else { return };
        open.queued = Instant::now();
        let Ok(payload) = serde_json::to_vec(&open.job) else { return };
        let excluded = open.left_by().map(|worker| worker.key.clone());
        let (name, attempt) = (name.to_owned(), open.attempt);
        let subject = self.run.names.job(&name, attempt);
        let (server, streams) = (self.run.server.clone(), self.run.streams.clone());
        let answers = self.answers.0.clone();
        tokio::spawn(async move {
            loop {
                let asked = Instant::now();
                let excluded = excluded.as_deref();
                let problem = match queue_job(&server, &streams, &subject, excluded, &payload).await
                {
                    Ok(sequence) => {
                        let _ = answers.send(RequestOutcome::Queued(name, attempt, sequence));
                        return;
                    }
                    Err(problem) => problem,
                };
                let may_pass = problem.may_pass();
                if answers.send(RequestOutcome::Problem(asked, problem)).is_err() || !may_pass {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    /// Transient problems warn once per outage; others end the run.
    async fn report_problem(&mut self, asked: Instant, problem: ServerProblem) {
        if matches!(problem, ServerProblem::Missing(_)) {
            self.create_again().await;
        } else if problem.may_pass() {
            self.report_outage(asked, &problem);
        } else {
            self.report(Report::Failed(problem.into()));
        }
    }

    fn report_outage(&mut self, asked: Instant, problem: &ServerProblem) {
        if self.outage.begin(asked) {
            self.warn(&format!("{problem}; trying again, nothing is lost"));
        }
    }

    /// Creates what the server has lost of the run.
    async fn create_again(&mut self) {
        let OpenRun { server, streams, files, .. } = &self.run;
        match files.create(server, streams).await {
            Ok(was_missing) => {
                if was_missing {
                    self.warn(
                        "the server has lost the queues of this run; they were created again, and \
                         their jobs will be replayed",
                    );
                }
                self.requeue_lost(Duration::ZERO);
            }
            Err(error) => tracing::debug!(%error, "the queues are not created yet"),
        }
    }

    /// Handles a message of the queue of results.
    async fn on_result(&mut self, message: Message) {
        let worker = WorkerIdentity::sender(message.headers.as_ref());
        let name = job_of(&message.subject).map(str::to_owned);
        let (packed, ack) = PendingAck::split(message);
        let (Some(worker), Some(name)) = (worker, name) else {
            if !std::mem::replace(&mut self.has_dropped, true) {
                self.warn("a result does not say which worker sent it. Such results are dropped");
            }
            return ack.send().await;
        };
        if self.workers.is_excluded(&worker) {
            self.play_again(&name);
            return ack.send().await;
        }
        let is_fresh = ack.deliveries < MAX_DELIVERIES;
        let arrival = Arrival { worker, packed, ack };
        if self.jobs.get(&name).is_some() {
            return self.check_result(&name, arrival).await;
        }
        let dropped = if is_fresh {
            self.jobs.keep_early(&name, arrival)
        } else {
            self.jobs.drop_early(&name);
            Some(arrival)
        };
        if let Some(arrival) = dropped {
            arrival.ack.send().await;
        }
    }

    /// Gives a result to the runner, if it can be true.
    async fn check_result(&mut self, name: &str, arrival: Arrival) {
        let Arrival { worker, packed, ack } = arrival;
        let may_be_part = self.closes.is_some_and(|closes| closes <= Instant::now());
        let Some(open) = self.jobs.get(name) else { return };
        let checked = unpack(&packed).ok_or(WrongResult::Unreadable).and_then(|outcome| {
            self.run.inspector.inspect(&open.job, outcome, &worker.name, may_be_part)
        });
        match checked {
            Ok(JobOutcome::Played(games)) => {
                self.on_success(name, &worker);
                return self.on_games(name, FirstResult { worker, games, ack }).await;
            }
            Ok(JobOutcome::Failed(failure)) => self.on_failure(name, &worker, failure),
            Ok(outcome) => {
                self.on_success(name, &worker);
                if let Some(open) = self.close(name) {
                    self.report(Report::Done(open.slot, outcome));
                }
            }
            Err(why) => {
                let job = open.describe();
                self.exclude(
                    &worker,
                    &format!(
                        "worker {worker} sent an invalid result for {job}: {why}. It will be \
                         replayed, and {NOTHING_MORE}"
                    ),
                );
                self.play_again(name);
            }
        }
        // None of its games will be logged, so the server need not keep this message.
        ack.send().await;
    }

    /// Accepts the games of a job, or has another worker play them again first.
    async fn on_games(&mut self, name: &str, result: FirstResult) {
        let Some(open) = self.jobs.get(name) else { return };
        match open.first.take() {
            None => {
                let may_check = self.workers.has_others_than(&result.worker);
                if may_check && self.checks.chooses(name) {
                    open.begin_again();
                    open.first = Some(result);
                    self.queue(name);
                } else {
                    self.hand_over(name, result);
                }
            }
            // The server has sent the same result again.
            Some(first) if first.worker == result.worker => open.first = Some(result),
            Some(first) if self.workers.is_excluded(&first.worker) => {
                first.ack.send().await;
                self.hand_over(name, result);
            }
            Some(first) => {
                for difference in self.checks.compare(&first.games, &result.games) {
                    let [counts, other] =
                        [&first, &result].map(|result| self.workers.label(&result.worker));
                    let from = difference
                        .ply
                        .map_or("at its end".to_owned(), |ply| format!("from ply {ply} on"));
                    self.warn(&format!(
                        "game {} was different {from} when worker {other} played it again. The \
                         game of worker {counts} counts. If its players are deterministic, one of \
                         these workers cannot be trusted",
                        difference.game
                    ));
                }
                self.report_workers();
                self.hand_over(name, first);
                result.ack.send().await;
            }
        }
    }

    /// Gives games to the runner.
    fn hand_over(&mut self, name: &str, result: FirstResult) {
        let Some(open) = self.close(name) else { return };
        let FirstResult { worker, mut games, ack } = result;
        self.handed_over += games.len() as u64;
        self.pending.push_back((self.handed_over, ack));
        let plies = games.iter().map(|game| game.record.plies.saturating_mul(4));
        self.longest.0 = plies.max().unwrap_or(0).max(self.longest.0);
        let took = open.taken.map_or(Duration::ZERO, |taken| taken.elapsed());
        self.longest.1 = self.longest.1.max(took);
        let label = self.workers.label(&worker);
        for game in &mut games {
            game.record.worker = Some(label.clone());
        }
        self.report(Report::Done(open.slot, JobOutcome::Played(games)));
    }

    /// Closes a job, and takes what is left of it out of the queue.
    fn close(&mut self, name: &str) -> Option<OpenJob> {
        let open = self.jobs.close(name)?;
        if open.attempt > 0 {
            self.withdraw(self.run.names.attempts(name));
        }
        Some(open)
    }

    fn withdraw(&self, subject: String) {
        let streams = self.run.streams.clone();
        tokio::spawn(async move {
            if let Err(problem) = streams.withdraw(&subject).await {
                tracing::debug!(%problem, "a job stays in the queue");
            }
        });
    }

    /// Excludes a worker, with a warning that names it.
    fn exclude(&mut self, worker: &WorkerId, warning: &str) {
        match self.workers.exclude(worker) {
            ..=MAX_REPORTED => self.warn(warning),
            count if count == MAX_REPORTED + 1 => {
                self.warn(&format!(
                    "more than {MAX_REPORTED} workers were excluded; further ones are not reported"
                ));
            }
            _ => {}
        }
        self.report_workers();
    }

    /// Hands out a job again after a result that does not count.
    fn play_again(&mut self, name: &str) {
        let Some(open) = self.jobs.get(name) else { return };
        if open.attempt < QUICK_ATTEMPTS {
            open.begin_again();
        }
        self.queue(name);
    }

    /// Handles a heartbeat.
    fn on_heartbeat(&mut self, message: &async_nats::Message) {
        let sender = WorkerIdentity::sender(message.headers.as_ref());
        let Some(worker) = sender.filter(|_| message.payload.len() <= MAX_HEARTBEAT) else {
            return;
        };
        let Ok(heartbeat) = serde_json::from_slice::<WorkerHeartbeat>(&message.payload) else {
            return;
        };
        let jobs = heartbeat.jobs.clone();
        let before = self.workers.joined;
        if let Some(why) = self.workers.on_heartbeat(&worker, heartbeat) {
            self.warn(&format!("worker {} cannot play: {why}", self.workers.label(&worker)));
        }
        let joined = self.workers.joined;
        if joined != before && joined <= PROMPT {
            self.report_workers();
        }
        for name in jobs {
            if self.workers.still_has(&worker, &name, SILENCE) == Some(true) {
                self.note_holder(&name, &worker);
            }
        }
    }

    /// Notes that a worker has taken a job, unless another one has it.
    fn note_holder(&mut self, name: &str, worker: &WorkerId) {
        let silence = self.silence();
        let Some(open) = self.jobs.get(name) else { return };
        if let Some(holder) = open.holder.take_if(|holder| holder.key != worker.key) {
            match self.workers.still_has(&holder, name, silence) {
                Some(true) => {
                    open.holder = Some(holder);
                    return;
                }
                Some(false) => {}
                None => open.lost.push(holder),
            }
        }
        if open.holder.is_none() && !self.workers.is_excluded(worker) {
            open.holder = Some(worker.clone());
            open.taken = open.taken.map(|_| Instant::now());
        }
    }

    /// How long a worker may be silent until its jobs count as lost.
    fn silence(&self) -> Duration {
        self.run.files.lease().clamp(2 * HEARTBEAT, SILENCE)
    }

    /// Stops if a later coordinator has taken the run over.
    fn on_announcement(&self, payload: &[u8]) {
        let Ok(announced) = serde_json::from_slice::<RunAnnouncement>(payload) else { return };
        // A copy in another folder may have another description.
        let tournament = format!("{}-", self.run.inspector.header.identity);
        let is_same = announced.run.starts_with(&tournament);
        if is_same && announced.coordinator > self.run.coordinator {
            self.report(Report::Failed(RemoteError::TakenOver.into()));
        }
    }

    /// Announces the run, and looks at workers, jobs and queue.
    async fn tick(&mut self) {
        if self.is_incomplete {
            self.send_files().await;
        }
        self.announce(false).await;
        for text in self.workers.tick() {
            self.warn(&text);
        }
        self.report_loneliness();
        self.end_lonely_checks();
        self.end_lonely_failures();
        self.hand_back();
        let asked = Instant::now();
        match self.run.streams.queued().await {
            Ok((queued, delivered)) => {
                self.queued = queued;
                if let Some(after) = self.outage.end() {
                    let seconds = after.as_secs();
                    self.warn(&format!(
                        "the NATS server responds again, after {seconds} seconds; nothing is lost"
                    ));
                }
                self.look_after_holders(delivered);
            }
            Err(problem) => self.report_problem(asked, problem).await,
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

    /// Finds the jobs of workers that fell silent, or keep them longer than the clocks allow.
    /// Messages up to the number `delivered` were delivered.
    fn look_after_holders(&mut self, delivered: u64) {
        let silence = self.silence();
        let bound = self.job_bound();
        let (mut overdue, mut lost) = (Vec::new(), Vec::new());
        for (name, open) in self.jobs.iter() {
            if open.sequence.is_some_and(|sequence| sequence <= delivered) {
                open.taken.get_or_insert_with(Instant::now);
            }
            if let Some(holder) = open.holder.take() {
                match self.workers.still_has(&holder, name, silence) {
                    Some(true) => open.holder = Some(holder),
                    Some(false) => {}
                    None => open.lost.push(holder),
                }
            }
            if open.lost.len() >= MAX_LOST {
                lost.push(name.clone());
            } else if open.taken.is_some_and(|taken| taken.elapsed() > bound) {
                overdue.push(name.clone());
            }
        }
        for name in lost {
            if let Some(first) = self.jobs.get(&name).and_then(|open| open.first.take()) {
                self.hand_over(&name, first);
                continue;
            }
            let Some(open) = self.close(&name) else { continue };
            self.withdraw(self.run.names.attempts(&name));
            let workers = open.lost.into_iter().map(|worker| worker.name).collect();
            let failure = JobFailure::Abandoned { workers };
            self.report(Report::Done(open.slot, JobOutcome::Failed(failure)));
        }
        for name in &overdue {
            self.take_away(name, bound);
        }
    }

    /// The longest that a worker may take for a job, with its lease.
    fn job_bound(&self) -> Duration {
        let (plies, longest) = self.longest;
        let Header { clock, players, .. } = &self.run.inspector.header;
        let controls = players.iter().map(|player| own_control(clock, player.tc));
        let bounds = controls.map(|control| job_bound(&control, plies, longest));
        bounds.max().unwrap_or_default() + self.run.files.lease()
    }

    /// Gives a job to another worker than the one that holds it up.
    fn take_away(&mut self, name: &str, bound: Duration) {
        let Some(open) = self.jobs.get(name) else { return };
        let job = open.describe();
        let subject = self.run.names.job(name, open.attempt);
        let holder = open.holder.take();
        open.begin_again();
        let seconds = bound.as_secs();
        match &holder {
            Some(worker) => self.exclude(
                worker,
                &format!(
                    "worker {worker} has kept {job} for more than {seconds} seconds, longer than \
                     the clocks allow. It goes to another one, and {NOTHING_MORE}"
                ),
            ),
            None => self.warn(&format!(
                "a worker that does not give its name has kept {job} for more than {seconds} \
                 seconds, longer than the clocks allow. It goes to another one"
            )),
        }
        self.withdraw(subject);
        self.queue(name);
    }

    /// Accepts results without a check when no other worker is left that could do it.
    fn end_lonely_checks(&mut self) {
        let mut lonely = Vec::new();
        for (name, open) in self.jobs.iter() {
            let first = open.first.take_if(|first| !self.workers.has_others_than(&first.worker));
            lonely.extend(first.map(|first| (name.clone(), first)));
        }
        for (name, first) in lonely {
            self.hand_over(&name, first);
        }
    }

    /// Hands back the jobs that no worker has, when no game may begin any more.
    fn hand_back(&mut self) {
        let is_closed = self.deadline.borrow().is_some_and(|deadline| !deadline.allows());
        // A worker that took a job in time has confirmed it by then.
        if !is_closed || self.closes.is_none_or(|closes| closes.elapsed() < 2 * HEARTBEAT) {
            return;
        }
        let left = self.jobs.iter().filter(|(_, open)| open.holder.is_none());
        let left: Vec<String> = left.map(|(name, _)| name.clone()).collect();
        for name in left {
            if let Some(first) = self.jobs.get(&name).and_then(|open| open.first.take()) {
                self.hand_over(&name, first);
            } else if let Some(open) = self.close(&name) {
                self.withdraw(self.run.names.attempts(&name));
                self.report(Report::Done(open.slot, JobOutcome::Stopped));
            }
        }
    }

    fn report_workers(&self) {
        let members = self.workers.list();
        let slots: usize = members.iter().map(|member| member.slots).sum();
        self.report(Report::WorkerPool(WorkerPool {
            members,
            most: (2 * slots + 2).clamp(AHEAD, MAX_AHEAD),
            queued: self.queued,
            compared: self.checks.compared,
            different: self.checks.different,
        }));
    }

    /// Announces the run to workers, or says that it is over.
    pub(crate) async fn announce(&mut self, over: bool) {
        let open_for =
            self.deadline.borrow().map(|deadline| deadline.open_for().unwrap_or_default());
        let closes = open_for.and_then(|open_for| Instant::now().checked_add(open_for));
        self.closes = [self.closes, closes].into_iter().flatten().min();
        let announcement = RunAnnouncement {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.names.run.clone(),
            coordinator: self.run.coordinator.clone(),
            excluded: self.workers.excluded(),
            open_for_ms: open_for.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            over,
        };
        let Ok(payload) = serde_json::to_vec(&announcement) else { return };
        if let Err(error) = self.run.server.client.publish(RUNS, payload.into()).await {
            tracing::debug!(%error, "the run is not announced");
        }
    }

    /// Queues jobs again that were queued at least `age` ago. A job that the server still has stays
    /// there once.
    fn requeue_lost(&mut self, age: Duration) {
        let is_old = |open: &OpenJob| open.queued.elapsed() >= age;
        let jobs = self.jobs.iter().filter(|(_, open)| is_old(open));
        let names: Vec<String> = jobs.map(|(name, _)| name.clone()).collect();
        for name in &names {
            self.queue(name);
        }
    }
}
