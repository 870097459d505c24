//! A slot of a worker: takes one job after the other, and sends their results.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use tokio::sync::watch;
use tokio_stream::StreamExt;

use super::delivery::publish_result;
use super::messages::{JobMessage, RemoteOutcome, ResultMessage, WorkerId};
use super::outage::Outage;
use super::playing::{PlayableRun, Slot, Undone};
use super::server::{AGAIN, NatsServer, ServerProblem};
use super::streams::{BUT, RunNames, Streams, job_of};
use crate::printer::Printer;
use crate::seeds::fresh_identity;

/// How long a slot waits for a job before it asks again.
const PATIENCE: Duration = Duration::from_secs(10);
/// After so many deliveries, a job is given up: no worker survived it.
const MOST_DELIVERIES: i64 = 5;

/// A run that is served: what its slots have in common.
#[derive(Debug)]
pub struct ServedRun {
    /// The server.
    pub server: NatsServer,
    /// The names of the run on it.
    pub names: RunNames,
    /// Its streams.
    pub streams: Streams,
    /// The worker.
    pub id: WorkerId,
    /// What its games need.
    pub run: Arc<PlayableRun>,
    /// For how long a job belongs to a slot that gives no sign of life.
    pub lease: Duration,
    /// How many jobs were done.
    pub played: AtomicU64,
    /// How many slots are in use.
    pub slots: AtomicUsize,
    /// Whether the server answers.
    pub outage: Outage,
    /// Where notes go.
    pub printer: Printer,
    /// Becomes true when the worker is to stop at once.
    pub stop: watch::Receiver<bool>,
    /// Becomes true when no more jobs are to be taken.
    pub leaving: watch::Receiver<bool>,
}

impl ServedRun {
    fn is_leaving(&self) -> bool {
        *self.leaving.borrow() || *self.stop.borrow()
    }
}

/// Plays one job after the other.
pub async fn serve_slot(number: usize, served: Arc<ServedRun>) {
    let mut slot = match Slot::start(&served.run, number, served.stop.clone()) {
        Ok(slot) => slot,
        Err(error) => {
            served.printer.note(&format!("warning: one game less at once: {error}"));
            served.slots.fetch_sub(1, Ordering::Relaxed);
            return;
        }
    };
    let mut queue = None;
    while !served.is_leaving() {
        match next_job(&served, &mut queue).await {
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
                pause(&served).await;
            }
        }
    }
    slot.end();
}

/// Waits a second, or until this slot has to end.
async fn pause(served: &ServedRun) {
    let (mut stop, mut leaving) = (served.stop.clone(), served.leaving.clone());
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        _ = leaving.wait_for(|leaving| *leaving) => {}
        () = tokio::time::sleep(AGAIN) => {}
    }
}

/// The next job, if there is one soon. It takes no more than it can play now: the time for a sign
/// of life begins with the delivery.
async fn next_job(
    served: &ServedRun,
    queue: &mut Option<PullConsumer>,
) -> Result<Option<Message>, ServerProblem> {
    let consumer = match queue.take() {
        Some(consumer) => consumer,
        None => served.streams.jobs().await?,
    };
    let (mut stop, mut leaving) = (served.stop.clone(), served.leaving.clone());
    let fetched = async {
        let batch = consumer.batch().max_messages(1).expires(PATIENCE).messages().await;
        let mut batch = batch.map_err(|error| served.server.problem("take a job", &error))?;
        match batch.next().await {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(served.server.problem("take a job", &*error)),
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
async fn serve_job(served: &ServedRun, slot: &mut Slot, message: &Message) -> bool {
    let but = message.headers.as_ref().and_then(|headers| headers.get(BUT));
    if but.is_some_and(|but| but.as_str() == served.id.instance) {
        answer(message, AckKind::Nak(Some(AGAIN))).await;
        return true;
    }
    let name = job_of(&message.subject).unwrap_or_default().to_owned();
    // A check was delivered to the worker it is not for, too.
    let deliveries = match but {
        Some(_) => 1,
        None => message.info().map_or(1, |info| info.delivered),
    };
    let job = serde_json::from_slice::<JobMessage>(&message.payload);
    let outcome = match job {
        Ok(job) if deliveries <= MOST_DELIVERIES && job.is_within(served.run.players()) => {
            play(served, slot, message, job).await
        }
        Ok(_) => Ok(RemoteOutcome::GivenUp(u32::try_from(deliveries - 1).unwrap_or(u32::MAX))),
        Err(error) => Ok(RemoteOutcome::Failed(format!("the job cannot be read: {error}"))),
    };
    match outcome {
        Ok(outcome) => {
            let result = ResultMessage { worker: served.id.clone(), outcome };
            if deliver(served, message, &name, &result).await {
                served.played.fetch_add(1, Ordering::Relaxed);
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
            let is_last = served.slots.load(Ordering::Relaxed) <= 1;
            served.printer.note(&format!("warning: {why}"));
            if is_last {
                pause(served).await;
            }
            is_last
        }
    }
}

/// Plays a job, and keeps it from being given to another worker meanwhile.
async fn play(
    served: &ServedRun,
    slot: &mut Slot,
    message: &Message,
    job: JobMessage,
) -> Result<RemoteOutcome, Undone> {
    let playing = slot.play(job);
    tokio::pin!(playing);
    let mut tick = tokio::time::interval(served.lease / 3);
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
async fn deliver(
    served: &ServedRun,
    message: &Message,
    name: &str,
    result: &ResultMessage,
) -> bool {
    let Ok(bytes) = serde_json::to_vec(result) else { return false };
    let Ok(nonce) = fresh_identity() else { return false };
    loop {
        let asked = Instant::now();
        let sent = publish_result(&served.server, &served.names, name, &nonce, &bytes).await;
        let Err(problem) = sent else {
            if let Some(after) = served.outage.end() {
                let seconds = after.as_secs();
                served.printer.note(&format!("the NATS server answers again, after {seconds} s"));
            }
            return true;
        };
        if served.outage.begin(asked) {
            served.printer.note(&format!("warning: {problem}; it is tried again"));
        }
        if served.is_leaving() {
            // The job is played again elsewhere.
            return false;
        }
        answer(message, AckKind::Progress).await;
        pause(served).await;
    }
}

async fn answer(message: &Message, kind: AckKind) {
    if let Err(error) = message.ack_with(kind).await {
        tracing::debug!(%error, "the job will come again");
    }
}
