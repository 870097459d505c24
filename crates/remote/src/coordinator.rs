//! The coordinator: opens a run on a server, and connects a runner with it.

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{mpsc, watch};
use tokio_stream::StreamExt;

use super::delivery::fetch_delivered_results;
use super::dispatcher::{Dispatcher, JobRequest, OpenRun, RunnerRequest};
use super::error::RemoteError;
use super::inspection::Inspector;
use super::nats_server::NatsServer;
use super::run_description::RunDescriber;
use super::run_files::RunFiles;
use super::run_streams::{RUNS, RunStreams, StreamNames};
use super::spot_checks::SpotChecks;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::Header;
use referee_record::seeds::{draw_random_bytes, draw_random_identity};
use referee_tournament::run::run_event::{RunEvent, RunListener};
use referee_tournament::run::venue::Venue;
use referee_tournament::run::worker_thread::{WorkerReports, WorkerThread};
use referee_tournament::run::{RunEnd, RunError, TournamentRunner};

/// How long the last messages may take when a run ends while the server gives no answer.
const FAREWELL: Duration = Duration::from_secs(3);

/// A run that is announced on a server.
#[derive(Debug)]
pub struct Coordinator {
    run: OpenRun,
    checks: SpotChecks,
    /// Whether queues of another configuration were removed.
    has_others: bool,
}

impl Coordinator {
    /// Puts the files of a run onto the server, and creates its queues. `synced` is the number of
    /// the runner's games that are on disk. A `share` (0 … 1) of the games is played twice.
    ///
    /// # Errors
    /// The server refuses, or a file cannot be read.
    pub async fn open(
        address: &str,
        files: RunFiles,
        inspector: Inspector,
        synced: watch::Receiver<u64>,
        share: f64,
    ) -> Result<Self, RemoteError> {
        let server = NatsServer::connect(address, "referee run", "coordinator").await?;
        let names = StreamNames::new(&files.description.run_id());
        let streams = RunStreams::new(&server, names.clone());
        let has_others = streams.remove_others(&files.description.header.identity).await?;
        streams.take_over().await;
        files.create(&server, &streams).await?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let coordinator = format!("{:020}-{}", since.as_millis(), draw_random_identity()?);
        let run = OpenRun { server, names, streams, files, inspector, synced, coordinator };
        let checks = SpotChecks::new(share, draw_random_bytes()?);
        Ok(Self { run, checks, has_others })
    }

    /// Plays all due games of `runner` on the workers of the run.
    ///
    /// # Errors
    /// As for [`TournamentRunner::run`].
    pub async fn run(
        self,
        runner: TournamentRunner<'_>,
        listener: &mut dyn RunListener,
        stop: watch::Receiver<bool>,
    ) -> Result<RunEnd, RunError> {
        // The players of a league change all the time.
        if self.has_others && !runner.state.is_league() {
            let warning = "the server still had this tournament's queues from another \
                           configuration; they were removed, and their games will be replayed";
            listener.on(RunEvent::Warning(warning), runner.state)?;
        }
        let OpenRun { server, names, streams, .. } = &self.run;
        let (server, streams) = (server.clone(), streams.clone());
        let unheard = |error| RunError::Elsewhere(RemoteError::Subscribe(error).into());
        let workers = server.client.subscribe(names.workers()).await.map_err(unheard)?;
        let runs = server.client.subscribe(RUNS).await.map_err(unheard)?;
        let (give, given) = mpsc::unbounded_channel();
        let packer = self.run.files.packer.clone();
        let venue = ServerVenue { give, packer };
        let (arrive, arrivals) = mpsc::channel(64);
        let fetching =
            tokio::spawn(fetch_delivered_results(server.clone(), streams.clone(), arrive));
        let mut dispatcher = Dispatcher::new(self.run, self.checks, runner.deadline.subscribe());
        let end = {
            let dispatching = dispatcher.work(given, arrivals, workers.merge(runs));
            tokio::select! {
                biased;
                end = runner.run(&venue, listener, stop) => end,
                never = dispatching => match never {},
            }
        };
        fetching.abort();
        let farewell = async {
            dispatcher.acknowledge_synced().await;
            if matches!(end, Ok(RunEnd::Complete | RunEnd::TimeUp)) {
                dispatcher.announce_on_server(true).await;
                streams.remove().await;
            }
            // The last messages must be sent before the connection closes.
            server.client.flush().await
        };
        match tokio::time::timeout(FAREWELL, farewell).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(%error, "the connection closes early"),
            Err(_) => {
                tracing::warn!("the NATS server does not respond; the run was not removed from it");
            }
        }
        end
    }
}

/// The workers of a server.
#[derive(Debug)]
struct ServerVenue {
    /// Where the dispatcher gets its requests from.
    give: mpsc::UnboundedSender<RunnerRequest>,
    /// Packs players that come.
    packer: RunDescriber,
}

impl Venue for ServerVenue {
    fn start(
        &self,
        slot: usize,
        reports: WorkerReports,
        _: watch::Receiver<bool>,
    ) -> io::Result<WorkerThread> {
        let (jobs, mut inbox) = mpsc::unbounded_channel();
        let give = self.give.clone();
        tokio::spawn(async move {
            while let Some(job) = inbox.recv().await {
                let request = JobRequest { slot, job, reports: reports.clone() };
                if give.send(RunnerRequest::Job(request)).is_err() {
                    break;
                }
            }
        });
        Ok(WorkerThread::forwarding_to(jobs))
    }

    fn admit(&self, number: usize, player: &PlayerSpec, header: &Header) -> Result<(), String> {
        let packed = self.packer.player(number, player).map_err(|error| error.to_string())?;
        // A dispatcher works as long as the runner.
        let _ = self.give.send(RunnerRequest::Admit(Box::new(packed), Box::new(header.clone())));
        Ok(())
    }

    fn dismiss(&self, _: usize) {}

    fn is_elsewhere(&self) -> bool {
        true
    }
}
