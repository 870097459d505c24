//! A slot of a worker: takes one job after the other, and sends their results.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use tokio::sync::watch;
use tokio_stream::StreamExt;

use super::delivery::{pack_for_delivery, publish_result};
use super::downloads::Downloads;
use super::error::RemoteError;
use super::messages::WorkerHeartbeat;
use super::nats_server::{AGAIN, ANSWER, NatsServer, ServerProblem};
use super::outage::OutageLog;
use super::playing::{PlayableRun, PlayingThread};
use super::run_streams::{EXCLUDED_WORKER, RunStreams, StreamNames, job_of};
use super::worker_identity::WorkerIdentity;
use referee_match::player::player_sandbox::describe_sandbox_shortage;
use referee_tournament::run::job::{Job, JobOutcome};
use referee_tournament::run::job_failure::JobFailure;

/// How long a slot waits for a job before it asks again.
const PATIENCE: Duration = Duration::from_secs(10);
/// Room for the headers and the subject of a message, in bytes.
const ROOM: usize = 4096;

/// Where a worker says what it does.
pub(crate) type WorkerNotes = Arc<dyn Fn(&str) + Send + Sync>;

/// A run that is served: what its slots have in common.
pub(crate) struct SlotContext {
    pub(crate) server: NatsServer,
    pub(crate) names: StreamNames,
    pub(crate) streams: RunStreams,
    pub(crate) identity: WorkerIdentity,
    /// Heartbeat while idle.
    pub(crate) idle: WorkerHeartbeat,
    /// The names of the jobs that it has taken.
    pub(crate) jobs: Mutex<BTreeSet<String>>,
    /// What its games need.
    pub run: Arc<PlayableRun>,
    /// For how long a job belongs to a slot that gives no sign of life.
    pub(crate) lease: Duration,
    /// How many jobs were done.
    pub(crate) played: AtomicU64,
    /// How many slots are in use.
    pub(crate) slots: AtomicUsize,
    /// Whether the server answers.
    pub(crate) outage: OutageLog,
    /// Where notes go.
    pub note: WorkerNotes,
    /// Becomes true when the worker is to stop at once.
    pub(crate) stop: watch::Receiver<bool>,
    /// Becomes true when no more jobs are to be taken.
    pub(crate) leaving: watch::Receiver<bool>,
    /// The files that were fetched.
    pub(crate) downloads: Downloads,
    /// Held while players are fetched.
    pub(crate) admitting: tokio::sync::Mutex<()>,
    /// Why this worker cannot play the run any more, if so.
    pub(crate) unfit: watch::Sender<Option<String>>,
}

impl SlotContext {
    /// Sends a heartbeat. Unless the server is silent, it has left when this returns.
    pub(crate) async fn send_heartbeat(&self, leaves: bool) {
        let heartbeat = WorkerHeartbeat {
            slots: self.slots.load(Ordering::Relaxed),
            played: self.played.load(Ordering::Relaxed),
            jobs: self.taken().iter().cloned().collect(),
            leaves,
            ..self.idle.clone()
        };
        send_slot_heartbeat(&self.server, &self.names, &self.identity, &heartbeat).await;
    }

    fn taken(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fetches the players of a job that came since the run began.
    async fn admit_all(&self, job: &Job) -> Result<(), RemoteError> {
        if self.run.conditions.unknown_players(job).is_empty() {
            return Ok(());
        }
        let _one_at_a_time = self.admitting.lock().await;
        // Another slot may have fetched them.
        for number in self.run.conditions.unknown_players(job) {
            let player = self.downloads.player(&self.streams, number).await?;
            let (run, downloads) = (Arc::clone(&self.run), self.downloads.0.clone());
            tokio::task::spawn_blocking(move || run.admit(&player, &downloads)).await??;
        }
        Ok(())
    }

    /// Leaves a job to other workers, because a player of it is not here. Returns whether this
    /// worker can take another one.
    async fn cannot_admit(&self, error: &RemoteError, message: &Message) -> bool {
        answer_slot_job(message, AckKind::Nak(Some(AGAIN))).await;
        // The coordinator may be about to send the player.
        let may_pass = matches!(error, RemoteError::Server(_));
        if may_pass {
            tracing::debug!(%error, "a player is not here yet");
        } else {
            self.unfit.send_replace(Some(error.to_string()));
        }
        may_pass
    }

    fn is_leaving(&self) -> bool {
        *self.leaving.borrow() || *self.stop.borrow()
    }

    /// Waits until the slots have to end.
    async fn end(&self) {
        let (mut stop, mut leaving) = (self.stop.clone(), self.leaving.clone());
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => {}
            _ = leaving.wait_for(|leaving| *leaving) => {}
        }
    }
}

/// Sends a heartbeat of a worker, and waits until it has left, but not for long.
pub(crate) async fn send_slot_heartbeat(
    server: &NatsServer,
    names: &StreamNames,
    identity: &WorkerIdentity,
    heartbeat: &WorkerHeartbeat,
) {
    let Ok(payload) = serde_json::to_vec(heartbeat) else { return };
    let (subject, headers) = (names.workers(), identity.headers());
    let sent = async {
        if let Err(error) =
            server.client.publish_with_headers(subject, headers, payload.into()).await
        {
            tracing::debug!(%error, "cannot send the heartbeat");
        }
        let _ = server.client.flush().await;
    };
    let _ = tokio::time::timeout(AGAIN, sent).await;
}

/// Plays one job after the other.
pub(crate) async fn serve_slot(number: usize, served: Arc<SlotContext>) {
    let mut slot = match PlayingThread::start(&served.run, number, served.stop.clone()) {
        Ok(slot) => slot,
        Err(error) => {
            (served.note)(&format!("warning: playing one game fewer at once: {error}"));
            served.slots.fetch_sub(1, Ordering::Relaxed);
            return;
        }
    };
    let mut queue = None;
    while !served.is_leaving() {
        if !served.run.conditions.may_begin_games() {
            wait_for_slot_time(&served).await;
            continue;
        }
        match next_slot_job(&served, &mut queue).await {
            Ok(Some(message)) => {
                if !serve_job(&served, &mut slot, &message).await {
                    served.slots.fetch_sub(1, Ordering::Relaxed);
                    break;
                }
            }
            Ok(None) => {}
            Err(problem) => {
                tracing::debug!(%problem, "no job");
                queue = None;
                pause_slot(&served).await;
            }
        }
    }
    slot.end();
}

/// Waits until the coordinator announces the run again, perhaps with more time, or until this slot
/// has to end.
async fn wait_for_slot_time(served: &SlotContext) {
    let mut closes = served.run.conditions.closes.clone();
    tokio::select! {
        () = served.end() => {}
        _ = closes.changed() => {}
    }
}

/// Waits a second, or until this slot has to end.
async fn pause_slot(served: &SlotContext) {
    // Either way, the wait is over.
    let _ = tokio::time::timeout(AGAIN, served.end()).await;
}

/// The next job, if there is one soon. It takes no more than it can play now: the time for a sign
/// of life begins with the delivery.
async fn next_slot_job(
    served: &SlotContext,
    queue: &mut Option<PullConsumer>,
) -> Result<Option<Message>, ServerProblem> {
    let consumer = match queue.take() {
        Some(consumer) => consumer,
        None => served.streams.jobs().await?,
    };
    let fetched = async {
        let batch = consumer.batch().max_messages(1).expires(PATIENCE).messages().await;
        let mut batch = served.server.check("take a job", batch)?;
        match batch.next().await {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(served.server.problem("take a job", &*error)),
        }
    };
    let message = tokio::select! {
        biased;
        fetched = fetched => fetched?,
        () = served.end() => None,
    };
    *queue = Some(consumer);
    Ok(message)
}

/// Does a job. Returns whether the slot can take another one.
async fn serve_job(served: &SlotContext, slot: &mut PlayingThread, message: &Message) -> bool {
    let excluded = message.headers.as_ref().and_then(|headers| headers.get(EXCLUDED_WORKER));
    if excluded.is_some_and(|excluded| excluded.as_str() == served.identity.id().key) {
        answer_slot_job(message, AckKind::Nak(Some(AGAIN))).await;
        return true;
    }
    let name = job_of(&message.subject).unwrap_or_default().to_owned();
    let outcome = match serde_json::from_slice::<Job>(&message.payload) {
        Ok(job) => {
            served.taken().insert(name.clone());
            // A player may bring this process down before the next one.
            served.send_heartbeat(false).await;
            match keep_job_alive_during(served, message, served.admit_all(&job)).await {
                Ok(()) => {
                    keep_job_alive_during(served, message, slot.play(job, &served.note)).await
                }
                Err(error) => {
                    served.taken().remove(&name);
                    return served.cannot_admit(&error, message).await;
                }
            }
        }
        Err(_) => panicked_slot_outcome("the job cannot be read".to_owned()),
    };
    let can_play = match outcome {
        JobOutcome::Stopped => {
            answer_slot_job(message, AckKind::Nak(None)).await;
            true
        }
        JobOutcome::Shortage(shortage) => {
            answer_slot_job(message, AckKind::Nak(Some(AGAIN))).await;
            let is_last = served.slots.load(Ordering::Relaxed) <= 1;
            (served.note)(&format!("warning: {}", describe_sandbox_shortage(&shortage)));
            if is_last {
                pause_slot(served).await;
            }
            is_last
        }
        outcome => {
            if deliver_slot_result(served, message, &name, outcome).await {
                served.played.fetch_add(1, Ordering::Relaxed);
                answer_slot_job(message, AckKind::Ack).await;
            }
            true
        }
    };
    served.taken().remove(&name);
    can_play
}

/// Does this work for a job, and keeps the job from being given to another worker meanwhile.
async fn keep_job_alive_during<T>(
    served: &SlotContext,
    message: &Message,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    let mut tick = tokio::time::interval(served.lease / 3);
    tick.reset();
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = tick.tick() => answer_slot_job(message, AckKind::Progress).await,
        }
    }
}

/// Publishes a result until the server has it. Returns whether it has.
async fn deliver_slot_result(
    served: &SlotContext,
    message: &Message,
    name: &str,
    outcome: JobOutcome,
) -> bool {
    let max = served.server.max_payload().saturating_sub(ROOM);
    let packed = pack_for_delivery(outcome, max)
        .or_else(|why| pack_for_delivery(panicked_slot_outcome(why), max))
        .unwrap_or_default();
    loop {
        let asked = Instant::now();
        let sent =
            publish_result(&served.server, &served.names, name, &served.identity, packed.clone());
        let silent = || Err(ServerProblem::Silent("send a result".to_owned()));
        let sent = tokio::time::timeout(ANSWER, sent).await.unwrap_or_else(|_| silent());
        let Err(problem) = sent else {
            if let Some(after) = served.outage.end() {
                let seconds = after.as_secs();
                (served.note)(&format!("the NATS server is back after {seconds} s"));
            }
            return true;
        };
        if served.outage.begin(asked) {
            (served.note)(&format!("warning: {problem}; trying again"));
        }
        if served.is_leaving() {
            // The job is played again elsewhere.
            return false;
        }
        answer_slot_job(message, AckKind::Progress).await;
        pause_slot(served).await;
    }
}

fn panicked_slot_outcome(message: String) -> JobOutcome {
    JobOutcome::Failed(JobFailure::Panic(message))
}

async fn answer_slot_job(message: &Message, kind: AckKind) {
    if let Err(error) = message.ack_with(kind).await {
        tracing::debug!(%error, "the job will come again");
    }
}
