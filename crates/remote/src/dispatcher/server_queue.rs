//! What the dispatcher keeps on the server: the files of the run, its queue, its announcements.

use std::time::{Duration, Instant};

use super::{Dispatcher, OpenRun, RequestOutcome};
use crate::delivery::deliver_job;
use crate::error::RemoteError;
use crate::messages::{PROTOCOL, RunAnnouncement};
use crate::nats_server::{AGAIN, ServerProblem};
use crate::open_jobs::OpenJob;
use crate::run_streams::RUNS;
use referee_tournament::run::job::WorkerReport;

impl Dispatcher {
    /// Sends what the server does not have yet.
    pub(super) async fn send_files_to_server(&mut self) {
        let OpenRun { server, streams, files, .. } = &self.run;
        let sent = files.create(server, streams).await;
        self.is_incomplete = sent.is_err();
        match sent {
            Ok(_) => {}
            Err(RemoteError::Server(problem)) => {
                self.report_outage(Instant::now(), &problem);
            }
            Err(error) => self.report(WorkerReport::Failed(error.into())),
        }
    }

    /// Queues the current attempt at a job, unless it is in the queue already.
    pub(super) fn queue_on_server(&mut self, name: &str) {
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
                let problem =
                    match deliver_job(&server, &streams, &subject, excluded, &payload).await {
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
    pub(super) async fn report_server_problem(&mut self, asked: Instant, problem: ServerProblem) {
        if matches!(problem, ServerProblem::Missing(_)) {
            self.recreate_on_server().await;
        } else if problem.may_pass() {
            self.report_outage(asked, &problem);
        } else {
            self.report(WorkerReport::Failed(problem.into()));
        }
    }

    fn report_outage(&mut self, asked: Instant, problem: &ServerProblem) {
        if self.outage.begin(asked) {
            self.warn(&format!("{problem}; trying again, nothing is lost"));
        }
    }

    /// Creates what the server has lost of the run.
    async fn recreate_on_server(&mut self) {
        let OpenRun { server, streams, files, .. } = &self.run;
        match files.create(server, streams).await {
            Ok(was_missing) => {
                if was_missing {
                    self.warn(
                        "the server lost this run's queues; they have been created again, and \
                         their jobs will be replayed",
                    );
                }
                self.requeue_lost(Duration::ZERO);
            }
            Err(error) => tracing::debug!(%error, "the queues are not created yet"),
        }
    }

    pub(super) fn withdraw_from_queue(&self, subject: String) {
        let streams = self.run.streams.clone();
        tokio::spawn(async move {
            if let Err(problem) = streams.withdraw(&subject).await {
                tracing::debug!(%problem, "a job stays in the queue");
            }
        });
    }

    /// Stops if a later coordinator has taken the run over.
    pub(super) fn on_announcement(&self, payload: &[u8]) {
        let Ok(announced) = serde_json::from_slice::<RunAnnouncement>(payload) else { return };
        // A copy in another folder may have another description.
        let tournament = format!("{}-", self.run.inspector.header.identity);
        let is_same = announced.run.starts_with(&tournament);
        if is_same && announced.coordinator > self.run.coordinator {
            self.report(WorkerReport::Failed(RemoteError::TakenOver.into()));
        }
    }

    /// Announces the run to workers, or says that it is over.
    pub(crate) async fn announce_on_server(&mut self, over: bool) {
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
    pub(super) fn requeue_lost(&mut self, age: Duration) {
        let is_old = |open: &OpenJob| open.queued.elapsed() >= age;
        let jobs = self.jobs.iter().filter(|(_, open)| is_old(open));
        let names: Vec<String> = jobs.map(|(name, _)| name.clone()).collect();
        for name in &names {
            self.queue_on_server(name);
        }
    }
}
