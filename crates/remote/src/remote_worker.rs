//! A worker: looks for a run, and plays its jobs until the run is over.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::StreamExt;

use super::bundle_folder::BundleFolder;
use super::downloads::Downloads;
use super::error::RemoteError;
use super::messages::{HEARTBEAT, PROTOCOL, RunAnnouncement, WorkerHeartbeat};
use super::nats_server::NatsServer;
use super::outage::OutageLog;
use super::playing::{PlayableRun, measure_playing_speed};
use super::run_streams::{RUNS, RunStreams, StreamNames};
use super::slot::{SlotContext, WorkerNotes, send_slot_heartbeat, serve_slot};
use super::worker_identity::WorkerIdentity;
use referee_protocol::escape::escape_line;
use referee_record::wording::pluralize;

/// How long the slots may take for their last messages when the worker has to stop.
const FAREWELL: Duration = Duration::from_secs(8);
/// After this long without a sign of the coordinator, another run is served.
const SILENCE: Duration = Duration::from_secs(15);

/// A worker.
pub struct RemoteWorker {
    server: NatsServer,
    identity: WorkerIdentity,
    slots: usize,
    cores: usize,
    calibration: Duration,
    folder: BundleFolder,
    note: WorkerNotes,
    stop: watch::Receiver<bool>,
}

impl RemoteWorker {
    /// Connects to a server, to play `slots` games at once.
    ///
    /// # Errors
    /// The server cannot be reached or refuses the connection, or the folder for files cannot be
    /// created.
    pub async fn connect(
        address: &str,
        name: &str,
        slots: usize,
        note: WorkerNotes,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, RemoteError> {
        let server = NatsServer::connect(address, name, "worker").await?;
        let identity = WorkerIdentity::new(name)?;
        let folder = BundleFolder::of_worker(&std::env::temp_dir(), &identity.id().key)?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let calibration = measure_playing_speed();
        Ok(Self { server, identity, slots, cores, calibration, folder, note, stop })
    }

    /// Serves one run after another, until it has to stop.
    ///
    /// # Errors
    /// Runs cannot be looked for.
    pub async fn work(&self) -> Result<(), RemoteError> {
        let runs = self.server.client.subscribe(RUNS).await;
        let mut runs = self.server.check("look for runs", runs)?;
        (self.note)(&format!(
            "worker {}: {} at once, looking for a run on {}",
            self.identity.id(),
            pluralize(self.slots, "game"),
            self.server.address
        ));
        let mut stop = self.stop.clone();
        let mut left: Option<String> = None;
        loop {
            let announced = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
                announced = next_run_for_worker(&mut runs) => announced?,
            };
            if announced.over || left.as_ref() == Some(&announced.run) {
                continue;
            }
            let is_final = self.serve(&announced, &mut runs).await;
            left = is_final.then_some(announced.run);
        }
    }

    /// Serves a run until it is over, or this worker has to stop. Returns whether the run has
    /// no use for this worker any more.
    async fn serve(&self, announced: &RunAnnouncement, runs: &mut Subscriber) -> bool {
        let names = StreamNames::new(&announced.run);
        let streams = RunStreams::new(&self.server, names.clone());
        let mut stop = self.stop.clone();
        let (closing, closes) = watch::channel(remote_worker_closing_time(announced));
        let prepared = match check_remote_worker_version(announced) {
            Ok(()) => tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return false,
                prepared = self.prepare(&streams, &announced.run, closes) => prepared,
            },
            Err(error) => Err(error),
        };
        let (run, lease) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                self.decline(&names, &announced.run, error.to_string()).await;
                return true;
            }
        };
        (self.note)(&format!("playing run {}; {}", announced.run, run.sandbox.summary()));
        let (departure, leaving) = watch::channel(false);
        let served = Arc::new(SlotContext {
            server: self.server.clone(),
            names: names.clone(),
            streams,
            identity: self.identity.clone(),
            idle: WorkerHeartbeat { containment: run.sandbox.summary(), ..self.heartbeat() },
            jobs: Mutex::new(BTreeSet::new()),
            run,
            lease,
            played: AtomicU64::new(0),
            slots: AtomicUsize::new(self.slots),
            outage: OutageLog::default(),
            note: Arc::clone(&self.note),
            stop: self.stop.clone(),
            leaving,
            downloads: self.downloads(),
            admitting: tokio::sync::Mutex::default(),
            unfit: watch::Sender::default(),
        });
        let mut slots = JoinSet::new();
        for number in 0..self.slots {
            slots.spawn(serve_slot(number, Arc::clone(&served)));
        }
        let is_final = self.attend(&served, announced, runs, &mut slots, &closing).await;
        departure.send_replace(true);
        self.wait_for_slots(&mut slots).await;
        served.send_heartbeat(true).await;
        let problem = served.unfit.borrow().clone();
        if let Some(problem) = problem {
            self.decline(&names, &announced.run, problem).await;
        }
        (self.note)(&format!(
            "left run {} after {} jobs",
            announced.run,
            served.played.load(Ordering::Relaxed)
        ));
        is_final
    }

    /// Waits until the slots have ended; once this worker has to stop, for a short time only.
    async fn wait_for_slots(&self, slots: &mut JoinSet<()>) {
        let mut stop = self.stop.clone();
        let farewell = async {
            _ = stop.wait_for(|stop| *stop).await;
            tokio::time::sleep(FAREWELL).await;
        };
        tokio::pin!(farewell);
        loop {
            tokio::select! {
                ended = slots.join_next() => if ended.is_none() { return },
                () = &mut farewell => return,
            }
        }
    }

    /// Sends heartbeats while the slots play. True if the run no longer needs this worker.
    async fn attend(
        &self,
        served: &SlotContext,
        announced: &RunAnnouncement,
        runs: &mut Subscriber,
        slots: &mut JoinSet<()>,
        closing: &watch::Sender<Option<Instant>>,
    ) -> bool {
        let mut stop = self.stop.clone();
        let mut tick = tokio::time::interval(HEARTBEAT);
        let mut heard = Instant::now();
        let mut unfit = served.unfit.subscribe();
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return false,
                Ok(_) = unfit.wait_for(Option::is_some) => return true,
                _ = slots.join_next() => if slots.is_empty() { return false },
                _ = tick.tick() => served.send_heartbeat(false).await,
                Some(message) = runs.next() => {
                    let Ok(now) = serde_json::from_slice::<RunAnnouncement>(&message.payload) else {
                        continue;
                    };
                    if now.run == announced.run {
                        heard = Instant::now();
                        closing.send_replace(remote_worker_closing_time(&now));
                        let is_excluded = now.excluded.contains(&self.identity.id().key);
                        if is_excluded {
                            (self.note)("the coordinator refuses this worker's results");
                        }
                        if is_excluded || now.over {
                            // A game that waits for a service ends, too.
                            closing.send_replace(Some(Instant::now()));
                            return true;
                        }
                    } else if heard.elapsed() > SILENCE && !now.over {
                        return false;
                    }
                }
            }
        }
    }

    /// Fetches the description and the bundles of a run.
    async fn prepare(
        &self,
        streams: &RunStreams,
        run: &str,
        closes: watch::Receiver<Option<Instant>>,
    ) -> Result<(Arc<PlayableRun>, Duration), RemoteError> {
        let description = self.downloads().run(streams, run).await?;
        let lease = Duration::from_secs(description.lease_s);
        let folder = self.folder.path.clone();
        // The sandbox tests itself with a runtime of its own.
        let prepare = move || PlayableRun::prepare(&description, &folder, &folder, closes);
        let prepared = tokio::task::spawn_blocking(prepare).await;
        Ok((Arc::new(prepared??), lease))
    }

    fn downloads(&self) -> Downloads {
        Downloads(self.folder.path.clone())
    }

    /// Says why this worker cannot play a run.
    async fn decline(&self, names: &StreamNames, run: &str, problem: String) {
        let message = escape_line(&problem);
        (self.note)(&format!("cannot play run {run}: {message}"));
        let unfit = WorkerHeartbeat { problem: Some(problem), ..self.heartbeat() };
        send_slot_heartbeat(&self.server, names, &self.identity, &unfit).await;
    }

    /// A heartbeat while nothing is played.
    fn heartbeat(&self) -> WorkerHeartbeat {
        WorkerHeartbeat {
            cores: self.cores,
            calibration_us: u64::try_from(self.calibration.as_micros()).unwrap_or(u64::MAX),
            ..WorkerHeartbeat::default()
        }
    }
}

async fn next_run_for_worker(runs: &mut Subscriber) -> Result<RunAnnouncement, RemoteError> {
    loop {
        let Some(message) = runs.next().await else {
            return Err(RemoteError::Closed);
        };
        if let Ok(announced) = serde_json::from_slice(&message.payload) {
            return Ok(announced);
        }
    }
}

/// From when on no game of a run may begin, if the run has an end time.
fn remote_worker_closing_time(announced: &RunAnnouncement) -> Option<Instant> {
    Instant::now().checked_add(Duration::from_millis(announced.open_for_ms?))
}

fn check_remote_worker_version(announced: &RunAnnouncement) -> Result<(), RemoteError> {
    let own = env!("CARGO_PKG_VERSION");
    if announced.protocol == PROTOCOL && announced.version == own {
        return Ok(());
    }
    Err(RemoteError::Version { coordinator: announced.version.clone(), own })
}
