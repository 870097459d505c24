//! The jobs of workers, and their reports.

use std::error::Error;
use std::future;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::entrant::{Entrant, Entrants};
use super::job_failure::JobFailure;
use super::run_event::WorkerPool;
use super::spectators::Spectators;
use referee_games::BySeat;
use referee_match::referee::Unplayable;
use referee_record::model::adjudication::Adjudication;
use referee_record::model::clock::TimeControl;
use referee_record::model::fault::Fault;
use referee_record::model::fixture::Fixture;
use referee_record::model::record::{FaultPolicy, GameRecord};
use referee_record::model::warning::GameWarning;
use referee_record::seeds::TournamentSecret;
use referee_sandbox::Shortage;

/// The conditions that all games of a tournament share.
#[derive(Debug)]
pub struct JobConditions {
    /// The time limits of players without a clock of their own.
    pub control: TimeControl,
    /// The policy after a rejected action.
    pub policy: FaultPolicy,
    /// When games end before their rules say so; if absent, never.
    pub adjudication: Option<Adjudication>,
    /// The programs of the players.
    pub players: Entrants,
    /// The tournament's secret.
    pub secret: TournamentSecret,
    /// Whether the memory of players is read after each game, which takes a while.
    pub reads_memory: bool,
    /// The people who look at the games.
    pub spectators: Arc<Spectators>,
    /// From when on no game may begin, if a coordinator says so.
    pub closes: watch::Receiver<Option<Instant>>,
}

impl JobConditions {
    /// The player with this number, whose program is known here.
    ///
    /// # Panics
    /// It is not.
    pub fn player(&self, number: usize) -> Arc<Entrant> {
        self.players.get(number).expect("whoever plays was admitted")
    }

    /// The players of a job whose programs are not known here.
    pub fn unknown_players(&self, job: &Job) -> Vec<usize> {
        job.players().filter(|&player| self.players.get(player).is_none()).collect()
    }

    /// Whether a game may begin now.
    pub fn may_begin_games(&self) -> bool {
        self.closes.borrow().is_none_or(|closes| Instant::now() < closes)
    }

    /// Waits until no game may begin any more.
    pub(crate) async fn wait_until_closed(&self) {
        let mut closes = self.closes.clone();
        loop {
            let at = *closes.borrow_and_update();
            let over = async {
                match at {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => future::pending().await,
                }
            };
            tokio::select! {
                () = over => return,
                // It fails when nobody is left who could change it.
                Ok(()) = closes.changed() => {}
            }
        }
    }
}

/// A job for a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Start a player, wait for its greeting, and let it quit.
    Probe(usize),
    /// Play these games, one after the other: one game, or those of a deal.
    Play(Vec<DueGame>),
}

impl Job {
    /// Its name: that of its deal, or of the player it starts.
    pub fn name(&self) -> String {
        match self {
            Self::Probe(player) => format!("start-{player}"),
            Self::Play(games) => {
                let id = games.first().and_then(|game| game.id.split('-').next());
                id.unwrap_or_default().to_owned()
            }
        }
    }

    /// The numbers of its players.
    pub fn players(&self) -> impl Iterator<Item = usize> {
        let (probed, games) = match self {
            Self::Probe(player) => (Some(*player), &[][..]),
            Self::Play(games) => (None, &games[..]),
        };
        let seated = games.iter().flat_map(|game| game.fixture.players.players());
        probed.into_iter().chain(seated)
    }
}

/// A game that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueGame {
    /// The identity.
    pub id: String,
    /// Its place in the schedule.
    pub fixture: Fixture,
}

/// The outcome of a job, here or on another machine.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobOutcome {
    /// A player was started, or failed with this fault.
    Probed(Option<Fault>),
    /// The games were played.
    Played(Vec<FinishedGame>),
    /// The job failed, and no player did.
    Failed(JobFailure),
    /// The job could not be done: the referee lacks resources, and no player failed.
    #[serde(skip)]
    Shortage(Shortage),
    /// The job was abandoned because the run was asked to stop, or time is up.
    #[serde(skip)]
    Stopped,
}

impl From<Unplayable> for JobOutcome {
    fn from(why: Unplayable) -> Self {
        match why {
            Unplayable::Shortage(shortage) => Self::Shortage(shortage),
            Unplayable::Game(error) => Self::Failed(JobFailure::Game(error.to_string())),
        }
    }
}

/// A message from a worker.
#[derive(Debug)]
pub enum WorkerReport {
    /// The worker with this number has done its job, or cannot do it.
    Done(usize, JobOutcome),
    /// Something went wrong that no player caused: a sentence that is safe to show.
    Warning(String),
    /// The set of worker machines changed.
    WorkerPool(WorkerPool),
    /// Nothing more can be played.
    Failed(Box<dyn Error + Send + Sync>),
}

/// A finished game.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedGame {
    /// The record.
    pub record: GameRecord,
    /// The warnings of the record.
    #[serde(skip)]
    pub warnings: Vec<GameWarning>,
    /// The transcript of a game that ended in a fault, as JSON lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The peak memory of each player's processes that were alive when the game ended, in bytes, if
    /// the system reports it.
    #[serde(skip)]
    pub memory: Option<BySeat<Option<u64>>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_and_outcomes_travel_without_what_no_worker_may_say() {
        let game = |id: &str, players: (usize, usize), game| DueGame {
            id: id.to_owned(),
            fixture: Fixture { players: [players.0, players.1].into(), pair: 3, game },
        };
        let job = Job::Play(vec![game("aa-1", (0, 2), 1), game("aa-2", (2, 0), 2)]);
        assert_eq!((job.name(), Job::Probe(7).name()), ("aa".to_owned(), "start-7".to_owned()));
        assert_eq!(job.players().collect::<Vec<_>>(), [0, 2, 2, 0]);
        let text = serde_json::to_string(&job).expect("JSON");
        assert_eq!(serde_json::from_str::<Job>(&text).expect("the job"), job);
        for text in [r#""stopped""#, r#"{"failed":{"abandoned":{"workers":[]}}}"#] {
            assert!(serde_json::from_str::<JobOutcome>(text).is_err(), "{text}");
        }
    }
}
