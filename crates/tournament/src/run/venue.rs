//! Where the games of a run are played.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;

use super::cores::Cores;
use super::entrant::Entrant;
use super::job::JobConditions;
use super::worker_thread::{WorkerReports, WorkerThread};
use referee_games::AnyGame;
use referee_match::openings::OpeningBook;
use referee_match::player::PlayerSandbox;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::Header;

/// Where the games of a run are played: on this machine, or on others.
pub trait Venue {
    /// Starts worker `number`. It abandons its games when `halt` becomes true.
    ///
    /// # Errors
    /// The worker cannot be started.
    fn start(
        &self,
        number: usize,
        reports: WorkerReports,
        halt: watch::Receiver<bool>,
    ) -> io::Result<WorkerThread>;

    /// Makes the program of player `number` known, before its first game; `header` already has the
    /// player.
    ///
    /// # Errors
    /// The program cannot play there, for this reason. Then nothing changes.
    fn admit(&self, number: usize, player: &PlayerSpec, header: &Header) -> Result<(), String>;

    /// Keeps no process of player `number`, which has left, for another game.
    fn dismiss(&self, number: usize);

    /// Lets no game begin any more, nor wait to be played again.
    fn close(&self) {}

    /// Whether other machines play. Then the games of a deal are one job, and a game that fails
    /// does not end the run.
    fn is_elsewhere(&self) -> bool {
        false
    }
}

/// This machine.
#[derive(Debug)]
pub struct ThisMachine<'a> {
    /// The rules that players are started for.
    pub game: &'a dyn AnyGame,
    /// What all games share.
    pub conditions: Arc<JobConditions>,
    /// Their openings.
    pub book: OpeningBook,
    /// The cores that they are played on.
    pub cores: Cores,
    /// The containment of players.
    pub sandbox: Arc<PlayerSandbox>,
    /// Tells the workers from when on no game may begin, by the receiver in the conditions.
    pub closing: watch::Sender<Option<Instant>>,
}

impl Venue for ThisMachine<'_> {
    fn start(
        &self,
        number: usize,
        reports: WorkerReports,
        halt: watch::Receiver<bool>,
    ) -> io::Result<WorkerThread> {
        let (cores, book) = (self.cores.reserve(number), self.book.clone());
        WorkerThread::start(number, cores, book, Arc::clone(&self.conditions), reports, halt)
    }

    fn admit(&self, number: usize, player: &PlayerSpec, _: &Header) -> Result<(), String> {
        let entrant = Entrant::from_spec(player, self.game, &self.sandbox);
        self.conditions.players.admit(number, entrant);
        Ok(())
    }

    fn close(&self) {
        self.closing.send_replace(Some(Instant::now()));
    }

    fn dismiss(&self, number: usize) {
        // One that could not be started was never admitted.
        if let Some(entrant) = self.conditions.players.get(number) {
            entrant.dismiss();
        }
    }
}
