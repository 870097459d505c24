//! The messages between a coordinator and its workers, as JSON.

use std::fmt;
use std::time::Duration;

use async_nats::HeaderMap;
use serde::{Deserialize, Serialize};

use referee_games::BySeat;
use referee_record::model::fault::Fault;
use referee_record::model::record::GameRecord;
use referee_record::seeds::{NoRandomNumbers, random_bytes};
use referee_tournament::run::job::{DueGame, Job};
use referee_tournament::schedule::Fixture;

/// The version of these messages. A worker only plays for a coordinator of the same version.
pub const PROTOCOL: u32 = 4;

/// How often the coordinator announces its run, and workers send heartbeats.
pub const HEARTBEAT: Duration = Duration::from_secs(2);

/// A job of the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobMessage {
    /// Start the player with this number, and let it quit.
    Probe(usize),
    /// Play these games, one after the other.
    Play(Vec<GameMessage>),
}

/// A game that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameMessage {
    /// Its identity.
    pub id: String,
    /// The numbers of its players, first seat first.
    pub players: [usize; 2],
    /// The number of its pair.
    pub pair: u32,
    /// Its number in the pair: 1 or 2.
    pub game: u8,
}

impl JobMessage {
    /// The message for a job.
    pub fn of(job: &Job) -> Self {
        let game = |due: &DueGame| GameMessage {
            id: due.id.clone(),
            players: [due.fixture.players.first, due.fixture.players.second],
            pair: due.fixture.pair,
            game: due.fixture.game,
        };
        match job {
            Job::Probe(player) => Self::Probe(*player),
            Job::Play(games) => Self::Play(games.iter().map(game).collect()),
        }
    }

    /// The steps of the job, each of them a job for a worker of this process.
    pub fn steps(self) -> Vec<Job> {
        match self {
            Self::Probe(player) => vec![Job::Probe(player)],
            Self::Play(games) => {
                games.into_iter().map(|game| Job::Play(vec![game.due()])).collect()
            }
        }
    }

    /// Whether all players of the job are among the first `players`.
    pub fn is_within(&self, players: usize) -> bool {
        match self {
            Self::Probe(player) => *player < players,
            Self::Play(games) => games.iter().flat_map(|game| game.players).all(|it| it < players),
        }
    }
}

impl GameMessage {
    fn due(self) -> DueGame {
        let Self { id, players: [first, second], pair, game } = self;
        DueGame { id, fixture: Fixture { players: BySeat::new(first, second), pair, game } }
    }
}

/// The name of a job, which is part of its subject: that of its pair, or of the player it starts.
pub fn job_name(job: &Job) -> String {
    match job {
        Job::Probe(player) => format!("start-{player}"),
        Job::Play(games) => {
            games.first().and_then(|game| game.id.split('-').next()).unwrap_or_default().to_owned()
        }
    }
}

/// The outcome of a job, as a worker reports it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemoteOutcome {
    /// A player was started, or failed with this fault.
    Probed(Option<Fault>),
    /// The games were played.
    Played(Vec<RemoteGame>),
    /// The referee panicked with this message.
    Panicked(String),
    /// The game's implementation failed with this error.
    Broken(String),
}

/// A game that was played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteGame {
    /// Its record.
    pub record: GameRecord,
    /// Its transcript as JSON lines, if it ended in a fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
}

/// A worker, as others know it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorkerId {
    /// The name of its machine, which any worker can choose.
    pub name: String,
    /// The hash of its secret. Only the worker with this secret can have it.
    pub key: String,
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (key {})", self.name, self.key)
    }
}

/// A worker, as it shows itself to the coordinator in each message, and to nobody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerIdentity {
    name: String,
    /// Drawn at random when the worker starts.
    secret: String,
}

/// The header with the identity of the worker that sent a message.
const IDENTITY: &str = "Referee-Worker";
/// The length of a secret, in hexadecimal digits.
const SECRET_LENGTH: usize = 32;
/// The maximum length of a worker's name, in bytes.
const LONGEST_NAME: usize = 64;

impl WorkerIdentity {
    /// A new worker of this name.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn new(name: &str) -> Result<Self, NoRandomNumbers> {
        let secret = format!("{:032x}", u128::from_le_bytes(random_bytes()?));
        Ok(Self { name: name.to_owned(), secret })
    }

    /// What others may know of it.
    pub fn id(&self) -> WorkerId {
        let hash = blake3::hash(self.secret.as_bytes()).to_hex();
        WorkerId { name: self.name.clone(), key: hash[..16].to_owned() }
    }

    /// The headers of its messages.
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(IDENTITY, format!("{} {}", self.name, self.secret));
        headers
    }

    /// The worker that sent a message with these headers, if it says so in a valid form.
    pub fn sender(headers: Option<&HeaderMap>) -> Option<WorkerId> {
        let (name, secret) = headers?.get(IDENTITY)?.as_str().split_once(' ')?;
        (is_worker_name(name) && secret.len() == SECRET_LENGTH)
            .then(|| Self { name: name.to_owned(), secret: secret.to_owned() }.id())
    }
}

/// Whether `name` can be a worker's name: up to 64 letters, digits, `.`, `_` and `-`.
pub fn is_worker_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_plain)
}

/// What a coordinator repeats every few seconds, for workers that look for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAnnouncement {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The coordinator's version of the referee.
    pub version: String,
    /// The run.
    pub run: String,
    /// The coordinator: the time at which it started, and a random number. The later one goes on.
    pub coordinator: String,
    /// The keys of workers from which nothing is accepted.
    pub excluded: Vec<String>,
    /// For how many more milliseconds games may begin, if the run has an end time.
    pub open_for_ms: Option<u64>,
    /// Whether the run is over.
    pub over: bool,
}

/// What a worker repeats every few seconds, and whenever it takes a job.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkerHeartbeat {
    /// How many games it plays at once; 0 if it plays none.
    pub slots: usize,
    /// How many cores it may use.
    pub cores: usize,
    /// How many jobs it has done for this run.
    pub played: u64,
    /// The names of the jobs that it has taken.
    pub jobs: Vec<String>,
    /// How long a fixed computation took on one core when it started, in microseconds.
    pub calibration_us: u64,
    /// The containment in force.
    pub containment: String,
    /// Why it cannot play, if it cannot.
    pub problem: Option<String>,
    /// Whether it leaves now.
    pub leaves: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(id: &str, players: [usize; 2], game: u8) -> DueGame {
        let players = BySeat::new(players[0], players[1]);
        DueGame { id: id.to_owned(), fixture: Fixture { players, pair: 3, game } }
    }

    #[test]
    fn the_games_of_a_pair_travel_together_and_are_played_one_by_one() {
        let games = [due("aa-1", [0, 2], 1), due("aa-2", [2, 0], 2)];
        let job = Job::Play(games.to_vec());
        let message = JobMessage::of(&job);
        assert_eq!(job_name(&job), "aa");
        assert!(message.is_within(3) && !message.is_within(2));
        let text = serde_json::to_string(&message).expect("JSON");
        let read: JobMessage = serde_json::from_str(&text).expect("the message");
        let steps: Vec<Vec<DueGame>> = read
            .steps()
            .into_iter()
            .map(|job| if let Job::Play(games) = job { games } else { panic!("{job:?}") })
            .collect();
        assert_eq!(steps, games.map(|game| vec![game]));
    }

    #[test]
    fn names_of_workers_are_plain() {
        assert!(is_worker_name("lab-3.example") && !is_worker_name("") && !is_worker_name("a b"));
        assert!(!is_worker_name(&"x".repeat(65)));
    }
    #[test]
    fn a_worker_is_known_by_its_secret_and_not_by_its_name() {
        let [one, other] = ["ant", "ant"].map(|name| WorkerIdentity::new(name).expect("random"));
        let id = WorkerIdentity::sender(Some(&one.headers())).expect("a worker");
        assert_eq!(id, one.id());
        assert_ne!(id.key, other.id().key);
        assert!(!one.secret.contains(&id.key));
        for text in ["", "ant", "ant short", &format!("a b {}", one.secret)] {
            let mut headers = HeaderMap::new();
            headers.insert(IDENTITY, text);
            assert_eq!(WorkerIdentity::sender(Some(&headers)), None, "{text}");
        }
        assert_eq!(WorkerIdentity::sender(None), None);
    }
}
