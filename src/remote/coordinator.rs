//! The coordinator: opens a run on a server, and connects a runner with it.

use std::path::Path;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use super::delivery::fetch_results;
use super::description::{RunDescription, WrittenBundle};
use super::dispatcher::{Dispatcher, JobRequest, OpenRun};
use super::inspection::Inspector;
use super::server::NatsServer;
use super::spot_checks::SpotChecks;
use super::streams::{DESCRIPTION, RunNames, Streams};
use crate::error::Failure;
use crate::run::event::{Listener, RunEvent, RunWarning};
use crate::run::worker::{Reports, Worker};
use crate::run::{RunEnd, Runner};
use crate::seeds::random_bytes;

/// A run that is announced on a server.
#[derive(Debug)]
pub struct Coordinator {
    run: OpenRun,
    /// Whether queues of another configuration were removed.
    has_others: bool,
}

impl Coordinator {
    /// Puts the description and the bundles of a run onto the server, and creates its queues.
    /// `synced` says how many games of the runner are on disk.
    ///
    /// # Errors
    /// The server refuses, or a file cannot be read.
    pub async fn open(
        address: &str,
        description: &RunDescription,
        bundles: &[WrittenBundle],
        inspector: Inspector,
        synced: watch::Receiver<u64>,
    ) -> Result<Self, Failure> {
        let server = NatsServer::connect(address, "referee run").await?;
        let names = RunNames::new(&description.run_id());
        let streams = Streams::new(&server, names.clone());
        let has_others = streams.remove_others(&description.header.identity).await?;
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
        Ok(Self { run: OpenRun { server, names, streams, inspector, synced }, has_others })
    }

    /// Plays all due games of `runner` on the workers of the run, and this `share` (0 … 1) of them
    /// on two of them.
    ///
    /// # Errors
    /// As for [`Runner::run_by`].
    pub async fn run(
        self,
        runner: Runner<'_>,
        share: f64,
        listener: &mut dyn Listener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, Failure> {
        if self.has_others {
            listener.on(RunEvent::Warning(&RunWarning::OldQueues), runner.state)?;
        }
        let OpenRun { server, names, streams, .. } = &self.run;
        let (server, streams) = (server.clone(), streams.clone());
        let workers = server.client.subscribe(names.workers()).await;
        let mut workers = workers
            .map_err(|error| Failure::system(format!("cannot listen to the workers: {error}")))?;
        let (give, given) = mpsc::unbounded_channel();
        let start = |slot: usize, reports: Reports, _: watch::Receiver<bool>| {
            let (jobs, mut inbox) = mpsc::unbounded_channel();
            let give = give.clone();
            tokio::spawn(async move {
                while let Some(job) = inbox.recv().await {
                    let given = JobRequest { slot, job, reports: reports.clone() };
                    if give.send(given).is_err() {
                        break;
                    }
                }
            });
            Ok(Worker::elsewhere(jobs))
        };
        let checks = SpotChecks::new(share, random_bytes()?);
        let (arrive, arrivals) = mpsc::channel(64);
        let fetching = tokio::spawn(fetch_results(server.clone(), streams.clone(), arrive));
        let mut dispatcher = Dispatcher::new(self.run, checks);
        let end = {
            let dispatching = dispatcher.work(given, arrivals, &mut workers);
            tokio::select! {
                biased;
                end = runner.run_by(&start, listener, stop) => end,
                never = dispatching => match never {},
            }
        };
        fetching.abort();
        dispatcher.acknowledge_synced().await;
        if matches!(end, Ok(RunEnd::Complete | RunEnd::TimeUp)) {
            dispatcher.announce(true).await;
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
    let mut content = tokio::fs::File::open(file).await.map_err(|error| {
        Failure::system(format!("cannot read the bundle {}: {error}", file.display()))
    })?;
    let put = store.put(name, &mut content).await;
    put.map_err(|error| server.problem("send the files of the players", &error))?;
    Ok(())
}
