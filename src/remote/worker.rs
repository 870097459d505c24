//! A worker: looks for a run, and plays its jobs until the run is over.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use tokio::io::AsyncReadExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::StreamExt;

use super::coordinator::{AGAIN, HELLO, publish_result};
use super::description::RunDescription;
use super::messages::{
    JobMessage, PROTOCOL, RemoteOutcome, ResultMessage, RunHello, WorkerHello, WorkerId,
};
use super::playing::{PlayableRun, Slot, Undone, calibrate};
use super::server::{NatsServer, ServerProblem};
use super::streams::{DESCRIPTION, RUNS, RunNames, Streams, job_of};
use crate::error::Failure;
use crate::escape;
use crate::printer::Printer;

/// How long a slot waits for a job before it asks again.
const PATIENCE: Duration = Duration::from_secs(10);
/// After so many deliveries, a job is given up: no worker survived it.
const MOST_DELIVERIES: i64 = 5;
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
    /// The server cannot be reached or refuses the connection, or the folder for files cannot be created.
    pub async fn connect(
        address: &str,
        name: &str,
        slots: usize,
        printer: Printer,
        stop: watch::Receiver<bool>,
    ) -> Result<Self, Failure> {
        let server = NatsServer::connect(address, name).await?;
        let id = WorkerId { name: name.to_owned(), instance: random_text()? };
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
            "worker {}: {} games at once, looking for a run on {}",
            self.id.name, self.slots, self.server.address
        ));
        let mut stop = self.stop.clone();
        let mut left: Option<String> = None;
        loop {
            let hello = tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
                hello = next_hello(&mut runs) => hello?,
            };
            if hello.over || left.as_ref() == Some(&hello.run) {
                continue;
            }
            let is_final = self.serve(&hello, &mut runs).await;
            left = is_final.then_some(hello.run);
        }
    }

    /// Serves a run until it is over, or this worker is asked to stop. Returns whether the run has
    /// no use for this worker any more.
    async fn serve(&self, hello: &RunHello, runs: &mut Subscriber) -> bool {
        let names = RunNames::new(&hello.run);
        let streams = Streams::new(&self.server, names.clone());
        let prepared = match is_same_version(hello) {
            Ok(()) => self.prepare(&streams, &hello.run).await,
            Err(failure) => Err(failure),
        };
        let (run, lease) = match prepared {
            Ok(prepared) => prepared,
            Err(failure) => {
                let message = escape::terminal(&failure.message);
                self.printer.note(&format!("cannot play run {}: {message}", hello.run));
                self.tell(
                    &names,
                    &Telling { problem: Some(failure.message), ..Telling::default() },
                )
                .await;
                return true;
            }
        };
        let containment = run.sandbox.summary();
        self.printer.note(&format!("plays run {}; {containment}", hello.run));
        let (departure, leaving) = watch::channel(false);
        let shared = Arc::new(Shared {
            server: self.server.clone(),
            names: names.clone(),
            streams,
            id: self.id.clone(),
            run,
            lease,
            played: AtomicU64::new(0),
            slots: AtomicUsize::new(self.slots),
            printer: self.printer,
            stop: self.stop.clone(),
            leaving,
        });
        let mut slots = JoinSet::new();
        for number in 0..self.slots {
            slots.spawn(serve_slot(number, Arc::clone(&shared)));
        }
        let is_final = self.attend(&shared, &containment, hello, runs, &mut slots).await;
        departure.send_replace(true);
        while slots.join_next().await.is_some() {}
        self.tell(&names, &Telling { leaves: true, ..shared.telling(&containment) }).await;
        let _ = self.server.client.flush().await;
        self.printer.note(&format!(
            "left run {} after {} jobs",
            hello.run,
            shared.played.load(Ordering::Relaxed)
        ));
        is_final
    }

    /// Tells of this worker while its slots play. Returns whether the run has no use for it any
    /// more.
    async fn attend(
        &self,
        shared: &Shared,
        containment: &str,
        hello: &RunHello,
        runs: &mut Subscriber,
        slots: &mut JoinSet<()>,
    ) -> bool {
        let mut stop = self.stop.clone();
        let mut tick = tokio::time::interval(HELLO);
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => return false,
                _ = slots.join_next() => if slots.is_empty() { return false },
                _ = tick.tick() => self.tell(&shared.names, &shared.telling(containment)).await,
                Some(message) = runs.next() => {
                    let Ok(now) = serde_json::from_slice::<RunHello>(&message.payload) else {
                        continue;
                    };
                    if now.run == hello.run {
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

    async fn tell(&self, names: &RunNames, telling: &Telling) {
        let hello = WorkerHello {
            worker: self.id.clone(),
            slots: telling.slots,
            cores: self.cores,
            played: telling.played,
            calibration_us: u64::try_from(self.calibration.as_micros()).unwrap_or(u64::MAX),
            containment: telling.containment.clone(),
            problem: telling.problem.clone(),
            leaves: telling.leaves,
        };
        let Ok(payload) = serde_json::to_vec(&hello) else { return };
        if let Err(error) = self.server.client.publish(names.workers(), payload.into()).await {
            tracing::debug!(%error, "nobody hears of this worker");
        }
    }
}

/// The next run that is announced.
async fn next_hello(runs: &mut Subscriber) -> Result<RunHello, Failure> {
    loop {
        let Some(message) = runs.next().await else {
            return Err(Failure::system("the connection to the NATS server is closed"));
        };
        if let Ok(hello) = serde_json::from_slice(&message.payload) {
            return Ok(hello);
        }
    }
}

fn is_same_version(hello: &RunHello) -> Result<(), Failure> {
    let own = env!("CARGO_PKG_VERSION");
    if hello.protocol == PROTOCOL && hello.version == own {
        return Ok(());
    }
    Err(Failure::system(format!(
        "the coordinator has version {} of the referee, this worker {own}: use the same one",
        escape::terminal(&hello.version)
    )))
}

/// What changes between two hellos of a worker.
#[derive(Debug, Default)]
struct Telling {
    slots: usize,
    played: u64,
    containment: String,
    problem: Option<String>,
    leaves: bool,
}

/// What the slots of a run have in common.
struct Shared {
    server: NatsServer,
    names: RunNames,
    streams: Streams,
    id: WorkerId,
    run: Arc<PlayableRun>,
    lease: Duration,
    /// How many jobs were done.
    played: AtomicU64,
    /// How many slots are in use.
    slots: AtomicUsize,
    printer: Printer,
    stop: watch::Receiver<bool>,
    /// Becomes true when no more jobs are to be taken.
    leaving: watch::Receiver<bool>,
}

impl Shared {
    fn telling(&self, containment: &str) -> Telling {
        Telling {
            slots: self.slots.load(Ordering::Relaxed),
            played: self.played.load(Ordering::Relaxed),
            containment: containment.to_owned(),
            ..Telling::default()
        }
    }

    fn is_leaving(&self) -> bool {
        *self.leaving.borrow() || *self.stop.borrow()
    }
}

/// Plays one job after the other.
async fn serve_slot(number: usize, shared: Arc<Shared>) {
    let mut slot = match Slot::start(&shared.run, number, shared.stop.clone()) {
        Ok(slot) => slot,
        Err(error) => {
            shared.printer.note(&format!("warning: one game less at once: {error}"));
            shared.slots.fetch_sub(1, Ordering::Relaxed);
            return;
        }
    };
    let mut queue = None;
    while !shared.is_leaving() {
        match next_job(&shared, &mut queue).await {
            Ok(Some(message)) => {
                if !serve_job(&shared, &mut slot, &message).await {
                    shared.slots.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
            }
            Ok(None) => {}
            Err(problem) => {
                tracing::debug!(%problem, "no job");
                queue = None;
                pause(&shared).await;
            }
        }
    }
    slot.end();
}

/// Waits a moment, unless there is no more to do.
async fn pause(shared: &Shared) {
    let (mut stop, mut leaving) = (shared.stop.clone(), shared.leaving.clone());
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        _ = leaving.wait_for(|leaving| *leaving) => {}
        () = tokio::time::sleep(AGAIN) => {}
    }
}

/// The next job, if there is one soon. It takes no more than it can play now: the time for a sign of
/// life begins with the delivery.
async fn next_job(
    shared: &Shared,
    queue: &mut Option<PullConsumer>,
) -> Result<Option<Message>, ServerProblem> {
    let consumer = match queue.take() {
        Some(consumer) => consumer,
        None => shared.streams.jobs().await?,
    };
    let (mut stop, mut leaving) = (shared.stop.clone(), shared.leaving.clone());
    let fetched = async {
        let batch = consumer.batch().max_messages(1).expires(PATIENCE).messages().await;
        let mut batch = batch.map_err(|error| shared.server.problem("take a job", &error))?;
        match batch.next().await {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(shared.server.problem("take a job", &*error)),
        }
    };
    let message = tokio::select! {
        biased;
        fetched = fetched => fetched?,
        _ = stop.wait_for(|stop| *stop) => None,
        _ = leaving.wait_for(|leaving| *leaving) => None,
    };
    *queue = Some(consumer);
    Ok(message)
}

/// Does a job. Returns whether the slot can take another one.
async fn serve_job(shared: &Shared, slot: &mut Slot, message: &Message) -> bool {
    let name = job_of(&message.subject).unwrap_or_default().to_owned();
    let deliveries = message.info().map_or(1, |info| info.delivered);
    let job = serde_json::from_slice::<JobMessage>(&message.payload);
    let outcome = match job {
        Ok(job) if deliveries <= MOST_DELIVERIES && job.is_within(shared.run.players()) => {
            play(shared, slot, message, job).await
        }
        Ok(_) => Ok(RemoteOutcome::GivenUp(u32::try_from(deliveries - 1).unwrap_or(u32::MAX))),
        Err(error) => Ok(RemoteOutcome::Failed(format!("the job cannot be read: {error}"))),
    };
    match outcome {
        Ok(outcome) => {
            let result = ResultMessage { worker: shared.id.clone(), outcome };
            if deliver(shared, message, &name, &result).await {
                shared.played.fetch_add(1, Ordering::Relaxed);
                answer(message, AckKind::Ack).await;
            }
            true
        }
        Err(Undone::Stopped) => {
            answer(message, AckKind::Nak(None)).await;
            true
        }
        Err(Undone::Shortage(why)) => {
            answer(message, AckKind::Nak(Some(AGAIN))).await;
            let is_last = shared.slots.load(Ordering::Relaxed) <= 1;
            shared.printer.note(&format!("warning: {why}"));
            if is_last {
                pause(shared).await;
            }
            is_last
        }
    }
}

/// Plays a job, and keeps it from being given to another worker meanwhile.
async fn play(
    shared: &Shared,
    slot: &mut Slot,
    message: &Message,
    job: JobMessage,
) -> Result<RemoteOutcome, Undone> {
    let playing = slot.play(job);
    tokio::pin!(playing);
    let mut tick = tokio::time::interval(shared.lease / 3);
    tick.reset();
    loop {
        tokio::select! {
            biased;
            outcome = &mut playing => return outcome,
            _ = tick.tick() => answer(message, AckKind::Progress).await,
        }
    }
}

/// Publishes a result until the server has it. Returns whether it has.
async fn deliver(shared: &Shared, message: &Message, name: &str, result: &ResultMessage) -> bool {
    let Ok(bytes) = serde_json::to_vec(result) else { return false };
    let Ok(nonce) = random_text() else { return false };
    let mut is_told = false;
    loop {
        let sent = publish_result(&shared.server, &shared.names, name, &nonce, &bytes).await;
        let Err(problem) = sent else { return true };
        if !std::mem::replace(&mut is_told, true) {
            shared.printer.note(&format!("warning: {problem}; it is tried again"));
        }
        if shared.is_leaving() {
            // The job is played again elsewhere.
            return false;
        }
        answer(message, AckKind::Progress).await;
        pause(shared).await;
    }
}

async fn answer(message: &Message, kind: AckKind) {
    if let Err(error) = message.ack_with(kind).await {
        tracing::debug!(%error, "the job will come again");
    }
}

/// A random text of 16 hexadecimal digits.
fn random_text() -> Result<String, Failure> {
    crate::run::resume::fresh_identity()
}

/// A folder for bundles, which is removed at the end.
#[derive(Debug)]
struct ScratchFolder {
    path: PathBuf,
}

impl ScratchFolder {
    fn new(name: &str) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("referee-worker-{name}"));
        // If the referee is root, players run as other users, who must be able to enter.
        let mode = if nix::unistd::geteuid().is_root() { 0o711 } else { 0o700 };
        let created = DirBuilder::new().mode(mode).create(&path);
        created.map_err(|error| {
            Failure::system(format!("cannot create the folder {}: {error}", path.display()))
        })?;
        Ok(Self { path })
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = make_writable(&self.path).and_then(|()| fs::remove_dir_all(&self.path))
        {
            tracing::warn!(%error, path = %self.path.display(), "a folder stays behind");
        }
    }
}

/// Unpacked folders are read-only.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}
