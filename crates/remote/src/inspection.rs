//! Inspects the results of workers, which are not trusted: every record is replayed through the
//! rules before it counts.

use super::messages::{RemoteGame, RemoteOutcome};
use referee_games::Seat;
use referee_match::openings::OpeningBook;
use referee_record::model::record::{GameRecord, Header};
use referee_record::seeds::Secret;
use referee_tournament::run::failure::JobFailure;
use referee_tournament::run::job::{DueGame, Job, JobOutcome};
use referee_tournament::verify::{RecordFinding, audit};

/// Why a result cannot be true.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongResult {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// It answers another job.
    #[error("it answers another job")]
    OtherJob,
    /// It has another number of games.
    #[error("it has {found} games instead of {expected}")]
    Count {
        /// The number of games of the job.
        expected: usize,
        /// The number of games in the result.
        found: usize,
    },
    /// It has the record of another game.
    #[error("it has the record of another game, {0}")]
    Foreign(String),
    /// A record contradicts the rules, or itself.
    #[error("game {0}: {1}")]
    Finding(String, Box<RecordFinding>),
}

/// What follows from a result that may be true.
#[derive(Debug)]
pub enum PossibleResult {
    /// These games were played.
    Played(Vec<RemoteGame>),
    /// Forwarded to the runner.
    Other(JobOutcome),
}

/// What an inspector knows of the tournament.
#[derive(Debug)]
pub struct Inspector {
    /// The openings and rules.
    pub book: OpeningBook,
    /// The header of the log.
    pub header: Header,
    /// The tournament's secret.
    pub secret: Secret,
    /// The names of the players, by number.
    pub names: Vec<String>,
}

impl Inspector {
    /// What the outcome of a job on `worker` means for the runner. It `may_be_part` of the job if no
    /// game may begin any more.
    ///
    /// # Errors
    /// The first reason why it cannot be true.
    pub fn inspect(
        &self,
        job: &Job,
        outcome: RemoteOutcome,
        worker: &str,
        may_be_part: bool,
    ) -> Result<PossibleResult, WrongResult> {
        let on_worker = |message| format!("{message} (worker {worker})");
        let failed = |failure| PossibleResult::Other(JobOutcome::Failed(failure));
        Ok(match (job, outcome) {
            (Job::Probe(player), RemoteOutcome::Probed(fault)) => {
                PossibleResult::Other(JobOutcome::Probed(*player, fault))
            }
            (Job::Play(due), RemoteOutcome::Played(games)) => {
                // An earlier coordinator may have kept one game of the pair.
                let is_due = |game: &RemoteGame| due.iter().any(|due| due.id == game.record.id);
                let several = games.len() > due.len();
                let games: Vec<RemoteGame> =
                    games.into_iter().filter(|game| !several || is_due(game)).collect();
                let records: Vec<_> = games.iter().map(|game| &game.record).collect();
                // When the time is up, a worker begins no second game of a pair.
                let is_part = may_be_part && !records.is_empty() && records.len() < due.len();
                let due = if is_part { &due[..records.len()] } else { due };
                self.inspect_games(due, &records)?;
                PossibleResult::Played(games)
            }
            (_, RemoteOutcome::Panicked(message)) => failed(JobFailure::Panic(on_worker(message))),
            (_, RemoteOutcome::Broken(error)) => failed(JobFailure::Game(on_worker(error))),
            (_, RemoteOutcome::Probed(_) | RemoteOutcome::Played(_)) => {
                return Err(WrongResult::OtherJob);
            }
        })
    }

    /// Checks that `records` are exactly the games `due`, in this order, and that each follows the
    /// rules.
    fn inspect_games(&self, due: &[DueGame], records: &[&GameRecord]) -> Result<(), WrongResult> {
        if due.len() != records.len() {
            return Err(WrongResult::Count { expected: due.len(), found: records.len() });
        }
        due.iter().zip(records).try_for_each(|(due, record)| self.inspect_game(due, record))
    }

    fn inspect_game(&self, due: &DueGame, record: &GameRecord) -> Result<(), WrongResult> {
        let id = || record.id.chars().take(32).collect::<String>();
        let fixture = due.fixture;
        let is_seated =
            |seat: Seat| self.names.get(fixture.players[seat]) == Some(&record.players[seat]);
        let is_it = record.id == due.id
            && (record.pair, record.game) == (fixture.pair, fixture.game)
            && Seat::BOTH.into_iter().all(is_seated);
        if !is_it {
            return Err(WrongResult::Foreign(id()));
        }
        let findings = audit(&self.book, &self.header, Some(&self.secret), record);
        match findings.into_iter().next() {
            Some(finding) => Err(WrongResult::Finding(id(), Box::new(finding))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use referee_games::BySeat;
    use referee_match::referee::plan;
    use referee_record::model::record::examples::header;
    use referee_tournament::schedule::Fixture;

    /// The record of a game of one move.
    fn fine() -> Value {
        let seed =
            |player: &str, opponent: &str| Secret::from_seed(1).player_seed(player, opponent, 1);
        json!({
            "id": "1-1", "pair": 1, "game": 1, "players": {"white": "ant", "black": "bee"},
            "seed": {"white": seed("ant", "bee"), "black": seed("bee", "ant")},
            "rolls": [], "opening": [], "actions": ["go"],
            "clock": {
                "startup_ns": {"white": 0, "black": 0}, "cpu_ns": {"white": null, "black": null},
                "used_ns": {"white": [1], "black": []}
            },
            "result": "draw", "reason": "done", "fault": null,
            "scores": {"white": 0.5, "black": 0.5}, "plies": 1
        })
    }

    fn changed(pointer: &str, new: Value) -> Value {
        let mut value = fine();
        *value.pointer_mut(pointer).expect("a field") = new;
        value
    }

    /// Inspects the records that answer a job of one game.
    fn inspected(records: &[Value]) -> Result<(), String> {
        let inspector = Inspector {
            book: OpeningBook::empty(plan::rules("w")),
            header: header(&["ant", "bee"]),
            secret: Secret::from_seed(1),
            names: ["ant", "bee"].map(str::to_owned).to_vec(),
        };
        let fixture = Fixture { players: BySeat::new(0, 1), pair: 1, game: 1 };
        let due = [DueGame { id: "1-1".to_owned(), fixture }];
        let records: Vec<GameRecord> = records
            .iter()
            .map(|record| serde_json::from_value(record.clone()).expect("a record"))
            .collect();
        let records: Vec<&GameRecord> = records.iter().collect();
        inspector.inspect_games(&due, &records).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn a_true_record_is_accepted() {
        assert_eq!(inspected(&[fine()]), Ok(()));
    }

    #[test]
    fn lies_are_found() {
        let lies = [
            ("/result", json!("white"), "game 1-1: the result is white, the replay says draw"),
            ("/plies", json!(2), "game 1-1: the number of plies is 2, the replay says 1"),
            ("/id", json!("1-2"), "it has the record of another game, 1-2"),
            ("/pair", json!(2), "it has the record of another game, 1-1"),
            ("/players/black", json!("cat"), "it has the record of another game, 1-1"),
            ("/seed/white", json!(7), "game 1-1: the seed of ant does not follow from the secret"),
        ];
        for (pointer, value, why) in lies {
            assert_eq!(inspected(&[changed(pointer, value)]), Err(why.to_owned()), "{pointer}");
        }
        let longer = inspected(&[changed("/actions", json!(["go", "go"]))]);
        assert!(longer.expect_err("too many").starts_with("game 1-1: "));
    }

    #[test]
    fn each_game_of_a_job_has_one_record() {
        let wrong = |found| Err(format!("it has {found} games instead of 1"));
        assert_eq!(inspected(&[]), wrong(0));
        assert_eq!(inspected(&[fine(), fine()]), wrong(2));
    }
}
