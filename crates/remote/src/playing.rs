//! Plays a run's jobs on this machine.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::bundle::unpack_bundle;
use super::error::RemoteError;
use super::run_description::{DescribedPlayer, RunDescription};
use super::slot::WorkerNotes;
use referee_games::AnyGame;
use referee_match::game_program::FoundGameProgram;
use referee_match::openings::OpeningBook;
use referee_match::player::PlayerSandbox;
use referee_record::model::containment::ContainmentRequest;
use referee_record::model::game_rules::GameRules;
use referee_record::seeds::TournamentSecret;
use referee_tournament::run::cores::Cores;
use referee_tournament::run::entrant::Entrant;
use referee_tournament::run::job::{Job, JobConditions, JobOutcome, WorkerReport};
use referee_tournament::run::worker_thread::WorkerThread;

/// A run that can be played here.
#[derive(Debug)]
pub(crate) struct PlayableRun {
    book: OpeningBook,
    /// What its games share.
    pub(crate) conditions: Arc<JobConditions>,
    cores: Cores,
    /// The containment of its players.
    pub(crate) sandbox: Arc<PlayerSandbox>,
    /// The folder of the unpacked bundles.
    folder: PathBuf,
}

impl PlayableRun {
    /// Unpacks the bundles, which are files in `downloads` named by their hash, into `folder`, and
    /// prepares everything that games need. No game begins after the time in `closes`.
    ///
    /// # Errors
    /// Something cannot be unpacked or started here, or what the tournament requires is missing.
    pub(crate) fn prepare(
        description: &RunDescription,
        downloads: &Path,
        folder: &Path,
        closes: watch::Receiver<Option<Instant>>,
    ) -> Result<Self, RemoteError> {
        // Each player sees its own bundle there.
        let hidden = vec![downloads.to_owned(), folder.to_owned()];
        let request = &ContainmentRequest { hidden, ..description.containment.clone() };
        let sandbox = Arc::new(PlayerSandbox::resolve(request)?);
        for hash in description.bundles() {
            unpack_bundle_once(downloads, hash, folder)?;
        }
        let rules = match &description.rules {
            None => GameRules::from_header(&description.header)?,
            Some(packed) => {
                let identity = packed.unpacked(&folder.join(&packed.bundle));
                let game = FoundGameProgram::from_named(identity).open(request)?;
                GameRules::from_header_with_game(game, &description.header)?
            }
        };
        let conditions = JobConditions {
            control: description.header.clock,
            policy: description.header.fault_policy,
            adjudication: description.header.adjudication,
            players: description
                .players
                .iter()
                .map(|player| {
                    Ok((
                        player.number,
                        prepare_playing_entrant(player, &*rules.game, &sandbox, folder)?,
                    ))
                })
                .collect::<Result<_, RemoteError>>()?,
            secret: TournamentSecret::from_hex(&description.secret)
                .ok_or(RemoteError::Unusable("its secret is invalid"))?
                .for_stages(&description.header.stages),
            reads_memory: false,
            spectators: Arc::default(),
            closes,
        };
        let each = conditions.control.cores_per_game(description.header.seats.len());
        let book = OpeningBook::new(rules, description.header.openings.as_ref())?;
        let (conditions, cores) = (Arc::new(conditions), Cores::of_this_process(each));
        Ok(Self { book, conditions, cores, sandbox, folder: folder.to_owned() })
    }

    /// Admits a player that came since the run began, whose bundle is in `downloads`.
    ///
    /// # Errors
    /// It cannot be unpacked, or what it needs is missing here.
    pub(crate) fn admit(
        &self,
        player: &DescribedPlayer,
        downloads: &Path,
    ) -> Result<(), RemoteError> {
        if let Some(hash) = &player.bundle {
            unpack_bundle_once(downloads, hash, &self.folder)?;
        }
        let game = &*self.book.rules().game;
        let entrant = prepare_playing_entrant(player, game, &self.sandbox, &self.folder)?;
        self.conditions.players.admit(player.number, entrant);
        Ok(())
    }
}

/// Unpacks the bundle with this hash into `folder`, unless that was done before.
fn unpack_bundle_once(downloads: &Path, hash: &str, folder: &Path) -> Result<(), RemoteError> {
    let to = folder.join(hash);
    // A folder that exists is complete.
    if !to.exists() {
        unpack_bundle(&downloads.join(format!("{hash}.tar")), hash, &to)?;
    }
    Ok(())
}

/// A player whose bundle is unpacked in `folder`.
fn prepare_playing_entrant(
    player: &DescribedPlayer,
    game: &dyn AnyGame,
    sandbox: &Arc<PlayerSandbox>,
    folder: &Path,
) -> Result<Entrant, RemoteError> {
    if let Some(program) = player.needed_paths().find(|needed| !needed.exists()) {
        let (program, player) = (program.to_owned(), player.spec.name.clone());
        return Err(RemoteError::NoProgram { program, player });
    }
    let root = player.bundle.as_ref().map_or_else(|| folder.to_owned(), |it| folder.join(it));
    Ok(Entrant::from_spec(&player.unpacked(&root), game, sandbox))
}

/// A place for one game at a time.
#[derive(Debug)]
pub(crate) struct PlayingThread {
    worker: WorkerThread,
    reports: mpsc::UnboundedReceiver<WorkerReport>,
}

impl PlayingThread {
    /// Starts the thread of slot `number`. It abandons its games when `stop` becomes true.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        run: &PlayableRun,
        number: usize,
        stop: watch::Receiver<bool>,
    ) -> io::Result<Self> {
        let (sender, reports) = mpsc::unbounded_channel();
        let cores = run.cores.reserve(number);
        let (book, conditions) = (run.book.clone(), Arc::clone(&run.conditions));
        let worker = WorkerThread::start(number, cores, book, conditions, sender, stop)?;
        Ok(Self { worker, reports })
    }

    /// Does a job, or the part of it that may begin. Warnings meanwhile go to `note`.
    pub(crate) async fn play(&mut self, job: Job, note: &WorkerNotes) -> JobOutcome {
        self.worker.send_job(job);
        loop {
            match self.reports.recv().await {
                Some(WorkerReport::Done(_, outcome)) => return outcome,
                Some(WorkerReport::Warning(warning)) => note(&format!("warning: {warning}")),
                _ => return JobOutcome::Stopped,
            }
        }
    }

    /// Lets waiting players quit, and ends the thread.
    pub(crate) fn end(self) {
        self.worker.join();
    }
}

/// How long a fixed computation takes on this core: a rough comparison of machines.
pub(crate) fn measure_playing_speed() -> Duration {
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
