//! The streams of a run, and their subjects.
//!
//! Every name has the run's identity in it. The queue of jobs and the queue of results are streams
//! from which acknowledged messages are removed. A subject of the queue of jobs holds one message,
//! so a job that is put into it twice waits there once.

use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{GetStreamErrorKind, PublishError};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{
    self, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy,
};

use tokio_stream::StreamExt;

use super::error::RemoteError;
use super::nats_server::{NatsServer, ServerProblem};

/// The subject for run announcements.
pub const RUNS: &str = "referee.runs";
/// The header of a job with the key of the worker that must not take it: others check its result, or
/// try what failed there.
pub(crate) const EXCLUDED_WORKER: &str = "Referee-Excluded";
/// The consumer of the workers.
const WORKERS: &str = "workers";
/// The consumer of the coordinator.
const COORDINATOR: &str = "coordinator";
/// The object with the description of a run.
pub const DESCRIPTION: &str = "description";
/// How long a result may be with the coordinator before it is delivered again.
const INSPECTION: Duration = Duration::from_secs(10);
/// The maximum number of results that the coordinator has before it has kept the first.
const MAX_RESULTS: i64 = 65_536;
/// The maximum number of jobs that are played at once.
const MAX_PLAYED: i64 = 65_536;
/// The maximum size of all results that wait on the server, in bytes.
const MAX_RESULT_BYTES: i64 = 256 << 20;

/// The names of a run on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamNames {
    /// The run's identity.
    pub run: String,
}

impl StreamNames {
    /// The names of this run.
    pub fn new(run: &str) -> Self {
        Self { run: run.to_owned() }
    }

    fn jobs(&self) -> String {
        format!("referee-jobs-{}", self.run)
    }

    fn results(&self) -> String {
        format!("referee-results-{}", self.run)
    }

    fn bundles(&self) -> String {
        format!("referee-{}", self.run)
    }

    /// The subject of a job.
    pub(crate) fn job(&self, name: &str, attempt: u32) -> String {
        format!("referee.{}.job.{name}.{attempt}", self.run)
    }

    fn all_jobs(&self) -> String {
        format!("referee.{}.job.*.*", self.run)
    }

    /// The subject of the results of a job.
    pub fn result(&self, job: &str) -> String {
        format!("referee.{}.result.{job}", self.run)
    }

    /// The subject of all attempts of a job.
    pub(crate) fn attempts(&self, name: &str) -> String {
        format!("referee.{}.job.{name}.*", self.run)
    }

    /// The subject for the heartbeats of the run's workers.
    pub fn workers(&self) -> String {
        format!("referee.{}.workers", self.run)
    }
}

/// The name of the job in a subject.
pub fn job_of(subject: &str) -> Option<&str> {
    subject.split('.').nth(3)
}

/// The streams of a run.
#[derive(Debug, Clone)]
pub struct RunStreams {
    server: NatsServer,
    names: StreamNames,
}

impl RunStreams {
    /// The streams of this run, which may not exist yet.
    pub fn new(server: &NatsServer, names: StreamNames) -> Self {
        Self { server: server.clone(), names }
    }

    /// Creates what is missing. Returns whether the queue of jobs was missing.
    ///
    /// # Errors
    /// The server refuses.
    pub(crate) async fn create(&self, lease: Duration) -> Result<bool, ServerProblem> {
        let jobs = stream::Config {
            name: self.names.jobs(),
            subjects: vec![self.names.all_jobs()],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_messages_per_subject: 1,
            discard_new_per_subject: true,
            ..stream::Config::default()
        };
        let results = stream::Config {
            name: self.names.results(),
            subjects: vec![self.names.result("*")],
            retention: RetentionPolicy::WorkQueue,
            discard: DiscardPolicy::New,
            max_bytes: MAX_RESULT_BYTES,
            ..stream::Config::default()
        };
        let was_missing = self.ensure_stream(jobs).await?;
        self.ensure_stream(results).await?;
        let workers = stream_consumer_config(WORKERS, lease, MAX_PLAYED);
        self.ensure_consumer(&self.names.jobs(), workers).await?;
        let coordinator = stream_consumer_config(COORDINATOR, INSPECTION, MAX_RESULTS);
        self.ensure_consumer(&self.names.results(), coordinator).await?;
        Ok(was_missing)
    }

    /// Makes the server deliver at once what an earlier coordinator had, but did not keep.
    pub(crate) async fn take_over(&self) {
        let context = &self.server.context;
        let _ = context.delete_consumer_from_stream(COORDINATOR, self.names.results()).await;
    }

    /// Returns whether the stream was missing.
    async fn ensure_stream(&self, wanted: stream::Config) -> Result<bool, ServerProblem> {
        let what = format!("create the stream {}", wanted.name);
        let context = &self.server.context;
        match context.get_stream(&wanted.name).await {
            Ok(_) => Ok(false),
            Err(error) if is_stream_missing(&error.kind()) => {
                self.server.check(&what, context.create_stream(wanted).await).map(|_| true)
            }
            Err(error) => Err(self.server.problem(&what, &error)),
        }
    }

    async fn ensure_consumer(
        &self,
        stream: &str,
        wanted: pull::Config,
    ) -> Result<(), ServerProblem> {
        let name = wanted.durable_name.clone().unwrap_or_default();
        let what = format!("create the consumer {name} of {stream}");
        let context = &self.server.context;
        // If it exists, it stays unchanged.
        let created = context.create_consumer_on_stream(wanted, stream).await;
        self.server.check(&what, created).map(drop)
    }

    /// The object store for bundles, created if it is missing.
    pub(crate) async fn store(&self) -> Result<ObjectStore, ServerProblem> {
        match self.existing_store().await {
            Err(ServerProblem::Missing(_)) => {
                let config = object_store::Config {
                    bucket: self.names.bundles(),
                    ..object_store::Config::default()
                };
                let created = self.server.context.create_object_store(config).await;
                self.server.check("create the object store", created)
            }
            other => other,
        }
    }

    /// The object store for bundles.
    pub async fn existing_store(&self) -> Result<ObjectStore, ServerProblem> {
        let found = self.server.context.get_object_store(self.names.bundles()).await;
        self.server.check("open the object store", found)
    }

    /// Fetches an object in pieces. A worker needs no consumer for this, which it could also use to
    /// read queues.
    ///
    /// # Errors
    /// The object does not exist, or the server refuses, or `write` fails.
    pub(crate) async fn fetch(
        &self,
        name: &str,
        what: &str,
        mut write: impl FnMut(&[u8]) -> Result<(), RemoteError>,
    ) -> Result<(), RemoteError> {
        let server = &self.server;
        let info = server.check(what, self.existing_store().await?.info(name).await)?;
        let stream = format!("OBJ_{}", self.names.bundles());
        let stream = server.check(what, server.context.get_stream_no_info(stream).await)?;
        let subject = format!("$O.{}.C.{}", self.names.bundles(), info.nuid);
        let mut next = None;
        for _ in 0..info.chunks {
            let chunk = stream.direct_get_next_for_subject(subject.as_str(), next).await;
            let chunk = server.check(what, chunk)?;
            next = Some(chunk.sequence + 1);
            write(&chunk.payload)?;
        }
        Ok(())
    }

    /// The queue of jobs, for workers.
    pub async fn jobs(&self) -> Result<PullConsumer, ServerProblem> {
        self.consumer(WORKERS, &self.names.jobs()).await
    }

    /// The queue of results, for the coordinator.
    pub(crate) async fn results(&self) -> Result<PullConsumer, ServerProblem> {
        self.consumer(COORDINATOR, &self.names.results()).await
    }

    async fn consumer(&self, name: &str, stream: &str) -> Result<PullConsumer, ServerProblem> {
        let found = self.server.context.get_consumer_from_stream(name, stream).await;
        self.server.check(&format!("open the queue {stream}"), found)
    }

    /// How many jobs wait for a worker, and the number of the last message that was delivered.
    pub(crate) async fn queued(&self) -> Result<(u64, u64), ServerProblem> {
        let consumer = self.jobs().await?;
        let info = consumer.cached_info();
        Ok((info.num_pending, info.delivered.stream_sequence))
    }

    /// The number of the message with this subject in the queue of jobs, if any.
    pub(crate) async fn sequence_of(&self, subject: &str) -> Result<Option<u64>, ServerProblem> {
        let what = "look for a job in the queue";
        let queue = self.server.context.get_stream_no_info(self.names.jobs()).await;
        let queue = self.server.check(what, queue)?;
        match queue.get_last_raw_message_by_subject(subject).await {
            Ok(message) => Ok(Some(message.sequence)),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(self.server.problem(what, &error)),
        }
    }

    /// Takes a job out of the queue.
    pub(crate) async fn withdraw(&self, subject: &str) -> Result<(), ServerProblem> {
        let what = "take a job out of the queue";
        let context = &self.server.context;
        let queue = self.server.check(what, context.get_stream(self.names.jobs()).await)?;
        self.server.check(what, queue.purge().filter(subject).await).map(drop)
    }

    /// Removes what other runs of this tournament have left on the server, which had another
    /// configuration. Returns whether there was anything. `tournament` begins the names of its
    /// runs.
    ///
    /// # Errors
    /// The server does not say what it has.
    pub(crate) async fn remove_others(&self, tournament: &str) -> Result<bool, ServerProblem> {
        let begin = format!("referee-jobs-{tournament}-");
        let mut names = self.server.context.stream_names();
        let mut others = Vec::new();
        while let Some(name) = names.next().await {
            let what = "look for old queues";
            let name = self.server.check(what, name)?;
            let run = name.strip_prefix("referee-jobs-").filter(|_| name.starts_with(&begin));
            others.extend(run.filter(|run| *run != self.names.run).map(StreamNames::new));
        }
        for names in &others {
            Self::new(&self.server, names.clone()).remove().await;
        }
        Ok(!others.is_empty())
    }

    /// Removes everything of this run from the server.
    pub(crate) async fn remove(&self) {
        let context = &self.server.context;
        for name in [self.names.jobs(), self.names.results()] {
            if let Err(error) = context.delete_stream(&name).await {
                tracing::debug!(%error, name, "the stream stays");
            }
        }
        if let Err(error) = context.delete_object_store(self.names.bundles()).await {
            tracing::debug!(%error, "the object store stays");
        }
    }
}

fn stream_consumer_config(name: &str, ack_wait: Duration, max_pending: i64) -> pull::Config {
    pull::Config {
        durable_name: Some(name.to_owned()),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait,
        max_deliver: -1,
        max_ack_pending: max_pending,
        ..pull::Config::default()
    }
}

fn is_stream_missing(kind: &GetStreamErrorKind) -> bool {
    matches!(kind, GetStreamErrorKind::JetStream(error)
        if error.error_code() == ErrorCode::STREAM_NOT_FOUND)
}

/// Whether a message was refused because its subject already has one.
pub(crate) fn is_queued_already(error: &PublishError) -> bool {
    let text = std::error::Error::source(error).map_or_else(String::new, ToString::to_string);
    text.contains("maximum messages per subject exceeded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_the_run_in_it() {
        let names = StreamNames::new("12-34");
        for name in [
            names.jobs(),
            names.results(),
            names.bundles(),
            names.job("aa", 0),
            names.result("aa"),
            names.workers(),
        ] {
            assert!(name.contains("12-34"), "{name}");
        }
        assert_eq!(job_of(&names.job("aa", 2)), Some("aa"));
        assert_eq!(job_of(&names.result("aa")), Some("aa"));
    }
}
