//! Plays a run's jobs on this machine.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::bundle::unpack;
use super::description::RunDescription;
use super::error::RemoteError;
use super::messages::{JobMessage, RemoteGame, RemoteOutcome};
use referee_match::game_program::FoundProgram;
use referee_match::openings::OpeningBook;
use referee_match::player::Sandbox;
use referee_match::player::sandbox::shortage_text;
use referee_record::model::rules::GameRules;
use referee_record::seeds::Secret;
use referee_tournament::run::cores::Cores;
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::failure::JobFailure;
use referee_tournament::run::job::{Conditions, JobOutcome, Report};
use referee_tournament::run::worker::Worker;

/// A run that can be played here.
#[derive(Debug)]
pub struct PlayableRun {
    book: OpeningBook,
    conditions: Arc<Conditions>,
    cores: Cores,
    /// The containment of its players.
    pub sandbox: Arc<Sandbox>,
}

impl PlayableRun {
    /// Unpacks the bundles, which are files in `downloads` named by their hash, into `folder`, and
    /// prepares everything that games need.
    ///
    /// # Errors
    /// Something cannot be unpacked or started here, or what the tournament requires is missing.
    pub fn prepare(
        description: &RunDescription,
        downloads: &Path,
        folder: &Path,
    ) -> Result<Self, RemoteError> {
        let request = description.containment().ok_or(RemoteError::Unusable(
            "it requires a containment that this version does not know",
        ))?;
        let sandbox = Arc::new(Sandbox::resolve(&request)?);
        for hash in description.bundles() {
            let to = folder.join(hash);
            // A folder that exists is complete.
            if !to.exists() {
                unpack(&downloads.join(format!("{hash}.tar")), hash, &to)?;
            }
        }
        let rules = match &description.rules {
            None => GameRules::of(&description.header)?,
            Some(packed) => {
                let identity = packed.unpacked(&folder.join(&packed.bundle));
                let game = FoundProgram::placed(&identity).open(&request)?;
                GameRules::by_header(game, &description.header)?
            }
        };
        let conditions = Conditions {
            control: description.header.clock,
            policy: description.header.fault_policy,
            players: entrants(description, &rules, &sandbox, folder)?,
            secret: Secret::from_hex(&description.secret)
                .ok_or(RemoteError::Unusable("its secret is not one"))?,
            spectators: Arc::default(),
        };
        let each = conditions.control.cores_per_game();
        let book = OpeningBook::new(rules, description.header.openings.as_ref())?;
        let (conditions, cores) = (Arc::new(conditions), Cores::of_this_process(each));
        Ok(Self { book, conditions, cores, sandbox })
    }

    /// The number of players.
    pub fn players(&self) -> usize {
        self.conditions.players.len()
    }
}

fn entrants(
    description: &RunDescription,
    rules: &GameRules,
    sandbox: &Arc<Sandbox>,
    folder: &Path,
) -> Result<Vec<Entrant>, RemoteError> {
    let mut missing = BTreeMap::new();
    let mut entrants = Vec::new();
    for player in &description.players {
        if let Some(program) = player.needs().filter(|program| !program.exists()) {
            missing.insert(program.to_owned(), player.spec.name.clone());
        }
        let root = player.bundle.as_ref().map_or_else(|| folder.to_owned(), |it| folder.join(it));
        entrants.push(Entrant::of(&player.unpacked(&root), &*rules.game, sandbox));
    }
    match missing.pop_first() {
        None => Ok(entrants),
        Some((program, player)) => Err(RemoteError::NoProgram { program, player }),
    }
}

/// Why a job goes back to the queue.
#[derive(Debug)]
pub enum Returned {
    /// The machine lacks resources.
    Shortage(String),
    /// The worker was asked to stop, or time is up.
    Stopped,
}

/// A place for one game at a time.
#[derive(Debug)]
pub struct Slot {
    run: Arc<PlayableRun>,
    number: usize,
    worker: Worker,
    reports: mpsc::UnboundedReceiver<Report>,
    stop: watch::Receiver<bool>,
}

impl Slot {
    /// Starts the thread of slot `number`. It abandons its games when `stop` becomes true.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        run: &Arc<PlayableRun>,
        number: usize,
        stop: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        let (worker, reports) = start_worker(run, number, stop.clone())?;
        Ok(Self { run: Arc::clone(run), number, worker, reports, stop })
    }

    /// Does a job, or the part of it that begins while `is_open` says that it may.
    ///
    /// # Errors
    /// Nothing of it was done, for a reason that lies with this machine or because time is up.
    pub async fn play(
        &mut self,
        job: JobMessage,
        is_open: impl Fn() -> bool,
    ) -> Result<RemoteOutcome, Returned> {
        let mut played = Vec::new();
        for step in job.steps() {
            if !is_open() {
                break;
            }
            self.worker.give(step);
            match self.reports.recv().await {
                Some(Report::Done(_, outcome)) => match outcome {
                    JobOutcome::Probed(_, fault) => return Ok(RemoteOutcome::Probed(fault)),
                    JobOutcome::Played(games) => played.extend(games.into_iter().map(|game| {
                        RemoteGame { record: game.record, transcript: game.transcript }
                    })),
                    JobOutcome::Shortage(shortage) => {
                        return Err(Returned::Shortage(shortage_text(&shortage)));
                    }
                    JobOutcome::Broken(error) => {
                        return Ok(RemoteOutcome::Broken(error.to_string()));
                    }
                    JobOutcome::Stopped | JobOutcome::Failed(_) => return Err(Returned::Stopped),
                },
                Some(Report::Panicked(_, JobFailure::Panic(message))) => {
                    self.restart().map_err(|error| Returned::Shortage(error.to_string()))?;
                    return Ok(RemoteOutcome::Panicked(message));
                }
                _ => return Err(Returned::Stopped),
            }
        }
        if played.is_empty() { Err(Returned::Stopped) } else { Ok(RemoteOutcome::Played(played)) }
    }

    fn restart(&mut self) -> io::Result<()> {
        (self.worker, self.reports) = start_worker(&self.run, self.number, self.stop.clone())?;
        Ok(())
    }

    /// Lets waiting players quit, and ends the thread.
    pub fn end(self) {
        self.worker.join();
    }
}

fn start_worker(
    run: &PlayableRun,
    number: usize,
    stop: watch::Receiver<bool>,
) -> io::Result<(Worker, mpsc::UnboundedReceiver<Report>)> {
    let (sender, reports) = mpsc::unbounded_channel();
    let cores = run.cores.reserve(number);
    let (book, conditions) = (run.book.clone(), Arc::clone(&run.conditions));
    Ok((Worker::start(number, cores, book, conditions, sender, stop)?, reports))
}

/// How long a fixed computation takes on this core: a rough comparison of machines.
pub fn calibrate() -> Duration {
    let began = Instant::now();
    let data = vec![7_u8; 1 << 20];
    let mut hash = blake3::hash(&data);
    for _ in 0..15 {
        let mut hasher = blake3::Hasher::new_keyed(hash.as_bytes());
        hash = hasher.update(&data).finalize();
    }
    std::hint::black_box(hash);
    began.elapsed()
}
