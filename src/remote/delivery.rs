//! Sends jobs and results through the queues of a run.

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::message::Acker;
use axum::body::Bytes;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;

use super::parts::split;
use super::server::{AGAIN, NatsServer, ServerProblem};
use super::streams::{BUT, PART, RunNames, Streams, is_queued_already};

/// What is needed to acknowledge a message, without its content.
pub struct Receipt {
    acker: Acker,
    /// How often the message was delivered.
    pub deliveries: i64,
}

impl Receipt {
    /// The content of a message, and its receipt.
    pub fn of(message: Message) -> (Bytes, Self) {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        (message.payload, Self { acker, deliveries })
    }
}

/// Puts a job into the queue, where it waits once. The worker with the instance `but` leaves it to
/// others.
///
/// # Errors
/// The server refuses it, or gives no answer.
pub async fn queue_job(
    server: &NatsServer,
    subject: &str,
    but: Option<&str>,
    payload: &[u8],
) -> Result<(), ServerProblem> {
    let what = "queue a game";
    let mut headers = HeaderMap::new();
    if let Some(but) = but {
        headers.insert(BUT, but);
    }
    let (subject, payload) = (subject.to_owned(), payload.to_vec().into());
    let sent = server.context.publish_with_headers(subject, headers, payload).await;
    match sent.map_err(|error| server.problem(what, &error))?.await {
        Err(error) if !is_queued_already(&error) => Err(server.problem(what, &error)),
        _ => Ok(()),
    }
}

/// Publishes a result, in as many messages as it needs.
///
/// # Errors
/// The server refuses one of them, or gives no answer.
pub async fn publish_result(
    server: &NatsServer,
    names: &RunNames,
    job: &str,
    nonce: &str,
    bytes: &[u8],
) -> Result<(), ServerProblem> {
    // Room for the header and the subject.
    let most = server.max_payload().saturating_sub(4096).max(4096);
    for (label, part) in split(nonce, bytes, most) {
        let mut headers = HeaderMap::new();
        headers.insert(PART, label.text());
        let (subject, part) = (names.result(job), part.to_vec().into());
        let sent = server.context.publish_with_headers(subject, headers, part).await;
        let what = "send a result";
        let sent = sent.map_err(|error| server.problem(what, &error))?;
        sent.await.map_err(|error| server.problem(what, &error))?;
    }
    Ok(())
}

/// Acknowledges these messages. Those that the server does not hear of come again.
pub async fn acknowledge(receipts: &[Receipt]) {
    for receipt in receipts {
        if let Err(error) = receipt.acker.ack().await {
            tracing::debug!(%error, "a result will come again");
        }
    }
}

/// Fetches results, as long as anybody takes them.
pub async fn fetch_results(
    server: NatsServer,
    streams: Streams,
    arrive: mpsc::Sender<Result<Message, ServerProblem>>,
) {
    loop {
        let problem = match streams.results().await {
            Ok(consumer) => match consumer.messages().await {
                Ok(mut messages) => loop {
                    match messages.next().await {
                        Some(Ok(message)) => {
                            if arrive.send(Ok(message)).await.is_err() {
                                return;
                            }
                        }
                        Some(Err(error)) => break server.problem("fetch results", &error),
                        None => break ServerProblem::Silent("fetch results".to_owned()),
                    }
                },
                Err(error) => server.problem("fetch results", &error),
            },
            Err(problem) => problem,
        };
        tracing::debug!(%problem, "fetching results again");
        if !matches!(problem, ServerProblem::Silent(_)) && arrive.send(Err(problem)).await.is_err()
        {
            return;
        }
        tokio::time::sleep(AGAIN).await;
    }
}
