//! Sends jobs and results through the queues of a run.

use std::io::{self, Read};

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::message::Acker;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;

use super::nats_server::{AGAIN, NatsServer, ServerProblem};
use super::run_streams::{EXCLUDED_WORKER, RunStreams, StreamNames, is_queued_already};
use super::worker_identity::WorkerIdentity;
use referee_tournament::run::job::{FinishedGame, JobOutcome};

/// The maximum size of an unpacked result, in bytes.
const MAX_RESULT: u64 = 64 << 20;

/// The number of results that the server sends ahead.
const BATCH: usize = 64;

/// The part of a message that acknowledges it, without its content.
pub(crate) struct DeliveryAck {
    acker: Acker,
    /// How often the message was delivered.
    pub(crate) deliveries: i64,
}

impl DeliveryAck {
    /// The content of a message, and what acknowledges it.
    pub(crate) fn split(message: Message) -> (Bytes, Self) {
        let deliveries = message.info().map_or(1, |info| info.delivered);
        let (message, acker) = message.split();
        (message.payload, Self { acker, deliveries })
    }

    /// Acknowledges the message. If the server does not receive that, it delivers it again.
    pub(crate) async fn send(&self) {
        if let Err(error) = self.acker.ack().await {
            tracing::debug!(%error, "a result will come again");
        }
    }
}

/// Puts a job into the queue, where it waits once. The worker with the key `excluded` leaves it to
/// others. Returns the number of its message.
///
/// # Errors
/// The server refuses it, or gives no answer.
pub(crate) async fn deliver_job(
    server: &NatsServer,
    streams: &RunStreams,
    subject: &str,
    excluded: Option<&str>,
    payload: &[u8],
) -> Result<Option<u64>, ServerProblem> {
    let what = "queue a game";
    let mut headers = HeaderMap::new();
    if let Some(excluded) = excluded {
        headers.insert(EXCLUDED_WORKER, excluded);
    }
    let (subject, payload) = (subject.to_owned(), payload.to_vec().into());
    let sent = server.context.publish_with_headers(subject.clone(), headers, payload).await;
    match server.check(what, sent)?.await {
        Ok(ack) => Ok(Some(ack.sequence)),
        Err(error) if is_queued_already(&error) => streams.sequence_of(&subject).await,
        Err(error) => Err(server.problem(what, &error)),
    }
}

/// The outcome of a job as it travels: compressed JSON of at most `max` bytes. If it is longer, the
/// beginnings of the transcripts are left out, and then the notes, from the longest on.
///
/// # Errors
/// It is too long without any of them.
pub fn pack_for_delivery(mut outcome: JobOutcome, max: usize) -> Result<Vec<u8>, String> {
    loop {
        let CompressedOutcome { packed, length } =
            CompressedOutcome::of(&outcome).map_err(|error| error.to_string())?;
        if packed.len() <= max && length < MAX_RESULT {
            return Ok(packed);
        }
        if !halve_transcripts_for_delivery(&mut outcome) && !drop_notes_for_delivery(&mut outcome) {
            return Err(format!(
                "its result is {} bytes, but the NATS server accepts at most {max}: raise its \
                 max_payload",
                packed.len()
            ));
        }
    }
}

/// An outcome as compressed JSON.
struct CompressedOutcome {
    packed: Vec<u8>,
    /// The number of bytes before that.
    length: u64,
}

impl CompressedOutcome {
    fn of(outcome: &JobOutcome) -> io::Result<Self> {
        let mut out = DeflateEncoder::new(Vec::new(), Compression::fast());
        serde_json::to_writer(&mut out, outcome)?;
        out.try_finish()?;
        let length = out.total_in();
        Ok(Self { packed: out.finish()?, length })
    }
}

/// Leaves out the first half of all transcripts, by whole lines. Returns whether there was one.
fn halve_transcripts_for_delivery(outcome: &mut JobOutcome) -> bool {
    let JobOutcome::Played(games) = outcome else { return false };
    let mut had_any = false;
    for game in games {
        let Some(transcript) = game.transcript.take() else { continue };
        had_any = true;
        let half = &transcript.as_bytes()[transcript.len() / 2..];
        let begin = half.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let rest = begin.and_then(|begin| transcript.get(transcript.len() / 2 + begin..));
        game.transcript = rest.filter(|rest| !rest.is_empty()).map(str::to_owned);
    }
    had_any
}

/// Leaves out the notes of the game that has the most of them. Returns whether there was one.
fn drop_notes_for_delivery(outcome: &mut JobOutcome) -> bool {
    let JobOutcome::Played(games) = outcome else { return false };
    let length = |game: &FinishedGame| -> usize {
        game.record.notes.iter().filter_map(|it| it.note.as_ref()).map(String::len).sum()
    };
    let Some(game) = games.iter_mut().max_by_key(|game| length(game)) else { return false };
    if length(game) == 0 {
        return false;
    }
    game.record.notes.iter_mut().for_each(|it| it.note = None);
    let warning = "its notes were dropped, because the result was too long for the NATS server";
    game.record.warnings.push(warning.to_owned());
    true
}

/// Reads a packed outcome. `None` if it cannot be read, or is too long.
pub fn unpack_delivery(packed: &[u8]) -> Option<JobOutcome> {
    let mut text = Vec::new();
    DeflateDecoder::new(packed).take(MAX_RESULT).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Publishes a packed outcome.
///
/// # Errors
/// The server refuses it, or gives no answer.
pub async fn publish_result(
    server: &NatsServer,
    names: &StreamNames,
    job: &str,
    worker: &WorkerIdentity,
    packed: Vec<u8>,
) -> Result<(), ServerProblem> {
    let what = "send a result";
    let (subject, headers) = (names.result(job), worker.headers());
    let sent = server.context.publish_with_headers(subject, headers, packed.into()).await;
    server.check(what, server.check(what, sent)?.await).map(drop)
}

/// Fetches results, as long as anybody takes them.
pub(crate) async fn fetch_delivered_results(
    server: NatsServer,
    streams: RunStreams,
    arrive: mpsc::Sender<Result<Message, ServerProblem>>,
) {
    loop {
        let problem = match streams.results().await {
            Ok(consumer) => {
                match consumer.stream().max_messages_per_batch(BATCH).messages().await {
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
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    use referee_protocol::SearchReport;
    use referee_record::model::record::RecordedNote;
    use referee_tournament::run::job_failure::JobFailure;

    #[test]
    fn outcomes_travel_compressed_and_within_bounds() {
        let failed = |text: String| JobOutcome::Failed(JobFailure::Game(text));
        let outcome = || failed("it fell".repeat(1000));
        let packed = pack_for_delivery(outcome(), 1000).expect("it compresses");
        assert_eq!(unpack_delivery(&packed), Some(outcome()));
        assert_eq!(unpack_delivery(b"nonsense"), None);
        let error = pack_for_delivery(outcome(), 10).expect_err("too long");
        assert!(error.contains("raise its max_payload"), "{error}");
        // It unpacks to more than it may.
        let bomb = failed(" ".repeat(usize::try_from(MAX_RESULT).expect("fits")));
        assert_eq!(unpack_delivery(&CompressedOutcome::of(&bomb).expect("packed").packed), None);
        assert!(pack_for_delivery(bomb, usize::MAX).is_err());
    }

    #[test]
    fn long_notes_are_dropped_from_the_game_with_the_most_of_them() {
        let game = |length: usize| {
            let mut record = referee_record::model::record::examples::game("a", "b", "draw");
            let note = Some("\u{1}".repeat(length));
            let search = SearchReport::default();
            record.notes = vec![RecordedNote {
                ply: 0,
                by: "white".to_owned(),
                note,
                eval: Some(0.5),
                search,
            }];
            FinishedGame { record, warnings: Vec::new(), transcript: None, memory: None }
        };
        // Each control character takes six bytes of JSON.
        let long = usize::try_from(MAX_RESULT / 6).expect("fits");
        let outcome = JobOutcome::Played(vec![game(10), game(long)]);
        let packed = pack_for_delivery(outcome, usize::MAX).expect("it is short without notes");
        let Some(JobOutcome::Played(games)) = unpack_delivery(&packed) else { panic!("games") };
        assert_eq!(games[0], game(10));
        let [note] = &games[1].record.notes[..] else { panic!("the eval stays") };
        assert_eq!((&note.note, note.eval), (&None, Some(0.5)));
        assert!(games[1].record.warnings[0].contains("too long for the NATS server"));
    }

    #[test]
    fn long_transcripts_lose_their_beginning() {
        let record = referee_record::model::record::examples::game("a", "b", "draw");
        let lines: Vec<String> =
            (0..4000_u32).map(|line| format!("{}\n", blake3::hash(&line.to_le_bytes()))).collect();
        let game = FinishedGame {
            record,
            transcript: Some(lines.concat()),
            warnings: Vec::new(),
            memory: None,
        };
        let packed = pack_for_delivery(JobOutcome::Played(vec![game]), 40_000).expect("it fits");
        let Some(JobOutcome::Played(games)) = unpack_delivery(&packed) else {
            panic!("unreadable")
        };
        let rest = games[0].transcript.clone().expect("its end");
        assert!(rest.len() >= 64 * 500 && lines.concat().ends_with(&rest), "{}", rest.len());
        assert!(lines.iter().any(|line| rest.starts_with(line.as_str())));
    }
}
