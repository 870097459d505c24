//! A worker: looks for a run, and plays its jobs until the run is over.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::StreamExt;

use super::description::RunDescription;
use super::messages::{HEARTBEAT, PROTOCOL, RunAnnouncement, WorkerHeartbeat, WorkerId};
use super::outage::Outage;
use super::playing::{PlayableRun, calibrate};
use super::scratch::ScratchFolder;
use super::server::NatsServer;
use super::slot::{ServedRun, serve_slot};
use super::streams::{DESCRIPTION, RUNS, RunNames, Streams};
use crate::error::Failure;
use crate::escape;
use crate::printer::Printer;
use crate::seeds::fresh_identity;

/// Another run is served if the coordinator of this one was silent for so long.
const SILENCE: Duration = Duration::from_secs(15);

/// A worker.
#[derive(Debug)]
pub struct RemoteWorker {
    server: NatsServer,
    id: WorkerId,
    slots: usize,
    cores: usize,
    calibration: Duration,
    folder: ScratchFolder,
    printer: Printer,
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
        printer: Printer,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, Failure> {
        let server = NatsServer::connect(address, name).await?;
        let id = WorkerId { name: name.to_owned(), instance: fresh_identity()? };
        let folder = ScratchFolder::new(&id.instance)?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let calibration = calibrate();
        Ok(Self { server, id, slots, cores, calibration, folder, printer, stop })
    }

    /// Serves one run after another, until it is asked to stop.
    ///
    /// # Errors
    /// Runs cannot be looked for.
    pub async fn work(&self) -> Result<(), Failure> {
        let mut runs = self
            .server
            .client
            .subscribe(RUNS)
            .await
            .map_err(|error| Failure::from(self.server.problem("look for runs", &error)))?;
        self.printer.note(&format!(
            "worker {}: {} at once, looking for a run on {}",
            self.id.name,
            if self.slots == 1 { "1 game".to_owned() } else { format!("{} games", self.slots) },
            self.server.address
        ));
        let mut stop = self.stop.clone();
        let mut left: Option<String> = None;
        loop {
            let announced = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
                announced = next_announcement(&mut runs) => announced?,
            };
            if announced.over || left.as_ref() == Some(&announced.run) {
                continue;
            }
            let is_final = self.serve(&announced, &mut runs).await;
            left = is_final.then_some(announced.run);
        }
    }

    /// Serves a run until it is over, or this worker is asked to stop. Returns whether the run has
    /// no use for this worker any more.
    async fn serve(&self, announced: &RunAnnouncement, runs: &mut Subscriber) -> bool {
        let names = RunNames::new(&announced.run);
        let streams = Streams::new(&self.server, names.clone());
        let prepared = match is_same_version(announced) {
            Ok(()) => self.prepare(&streams, &announced.run).await,
            Err(failure) => Err(failure),
        };
        let (run, lease) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                let message = escape::terminal(&failure.message);
                self.printer.note(&format!("cannot play run {}: {message}", announced.run));
                let problem = Some(failure.message);
                self.tell(&names, &WorkerHeartbeat { problem, ..self.heartbeat() }).await;
                return true;
            }
        };
        self.printer.note(&format!("plays run {}; {}", announced.run, run.sandbox.summary()));
        let (departure, leaving) = watch::channel(false);
        let served = Arc::new(ServedRun {
            server: self.server.clone(),
            names: names.clone(),
            streams,
            id: self.id.clone(),
            run,
            lease,
            played: AtomicU64::new(0),
            slots: AtomicUsize::new(self.slots),
            outage: Outage::default(),
            printer: self.printer,
            stop: self.stop.clone(),
            leaving,
        });
        let mut slots = JoinSet::new();
        for number in 0..self.slots {
            slots.spawn(serve_slot(number, Arc::clone(&served)));
        }
        let is_final = self.attend(&served, announced, runs, &mut slots).await;
        departure.send_replace(true);
        while slots.join_next().await.is_some() {}
        let last = self.heartbeat_of(&served);
        self.tell(&names, &WorkerHeartbeat { leaves: true, ..last }).await;
        let _ = self.server.client.flush().await;
        self.printer.note(&format!(
            "left run {} after {} jobs",
            announced.run,
            served.played.load(Ordering::Relaxed)
        ));
        is_final
    }

    /// Tells of this worker while its slots play. Returns whether the run has no use for it any
    /// more.
    async fn attend(
        &self,
        served: &ServedRun,
        announced: &RunAnnouncement,
        runs: &mut Subscriber,
        slots: &mut JoinSet<()>,
    ) -> bool {
        let mut stop = self.stop.clone();
        let mut tick = tokio::time::interval(HEARTBEAT);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return false,
                _ = slots.join_next() => if slots.is_empty() { return false },
                _ = tick.tick() => self.tell(&served.names, &self.heartbeat_of(served)).await,
                Some(message) = runs.next() => {
                    let Ok(now) = serde_json::from_slice::<RunAnnouncement>(&message.payload) else {
                        continue;
                    };
                    if now.run == announced.run {
                        heard = Instant::now();
                        if now.excluded.contains(&self.id.instance) {
                            self.printer.note("the coordinator refuses the results of this worker");
                            return true;
                        }
                        if now.over {
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
        streams: &Streams,
        run: &str,
    ) -> Result<(Arc<PlayableRun>, Duration), Failure> {
        let store = streams.existing_store().await?;
        let failed = |what: &str, error: &dyn std::error::Error| {
            Failure::from(self.server.problem(what, error))
        };
        let what = "fetch the description of the run";
        let mut object = store.get(DESCRIPTION).await.map_err(|error| failed(what, &error))?;
        let mut text = Vec::new();
        object.read_to_end(&mut text).await.map_err(|error| failed(what, &error))?;
        let description: RunDescription = serde_json::from_slice(&text).map_err(|error| {
            Failure::system(format!("the description of the run cannot be read: {error}"))
        })?;
        if description.run_id() != run {
            return Err(Failure::system("the description belongs to another run"));
        }
        let what = "fetch the files of the players";
        for hash in description.bundles() {
            // It becomes the name of a file.
            if blake3::Hash::from_hex(hash).is_err() {
                return Err(Failure::system("the description of the run names no valid bundle"));
            }
            let path = self.folder.path.join(format!("{hash}.tar"));
            if path.exists() {
                continue;
            }
            let mut object = store.get(hash).await.map_err(|error| failed(what, &error))?;
            let partial = path.with_extension("part");
            let cannot = |error: io::Error| {
                Failure::system(format!("cannot write {}: {error}", partial.display()))
            };
            let mut file = fs::File::create(&partial).map_err(cannot)?;
            let mut chunk = vec![0; 128 * 1024];
            loop {
                let read = object.read(&mut chunk).await.map_err(|error| failed(what, &error))?;
                if read == 0 {
                    break;
                }
                io::Write::write_all(&mut file, &chunk[..read]).map_err(cannot)?;
            }
            fs::rename(&partial, &path).map_err(cannot)?;
        }
        let lease = Duration::from_secs(description.lease_s);
        let folder = self.folder.path.clone();
        // The sandbox tests itself with a runtime of its own.
        let prepare = move || PlayableRun::prepare(&description, &folder, &folder);
        let prepared = tokio::task::spawn_blocking(prepare).await;
        let prepared = prepared
            .map_err(|error| Failure::system(format!("the run cannot be prepared: {error}")))?;
        Ok((Arc::new(prepared?), lease))
    }

    /// A heartbeat while nothing is played.
    fn heartbeat(&self) -> WorkerHeartbeat {
        WorkerHeartbeat {
            cores: self.cores,
            calibration_us: u64::try_from(self.calibration.as_micros()).unwrap_or(u64::MAX),
            ..WorkerHeartbeat::idle(self.id.clone())
        }
    }

    /// A heartbeat while a run is served.
    fn heartbeat_of(&self, served: &ServedRun) -> WorkerHeartbeat {
        WorkerHeartbeat {
            slots: served.slots.load(Ordering::Relaxed),
            played: served.played.load(Ordering::Relaxed),
            containment: served.run.sandbox.summary(),
            ..self.heartbeat()
        }
    }

    async fn tell(&self, names: &RunNames, heartbeat: &WorkerHeartbeat) {
        let Ok(payload) = serde_json::to_vec(heartbeat) else { return };
        if let Err(error) = self.server.client.publish(names.workers(), payload.into()).await {
            tracing::debug!(%error, "nobody hears of this worker");
        }
    }
}

/// The next run that is announced.
async fn next_announcement(runs: &mut Subscriber) -> Result<RunAnnouncement, Failure> {
    loop {
        let Some(message) = runs.next().await else {
            return Err(Failure::system("the connection to the NATS server is closed"));
        };
        if let Ok(announced) = serde_json::from_slice(&message.payload) {
            return Ok(announced);
        }
    }
}

fn is_same_version(announced: &RunAnnouncement) -> Result<(), Failure> {
    let own = env!("CARGO_PKG_VERSION");
    if announced.protocol == PROTOCOL && announced.version == own {
        return Ok(());
    }
    Err(Failure::system(format!(
        "the coordinator has version {} of the referee, this worker {own}: use the same one",
        escape::terminal(&announced.version)
    )))
}
