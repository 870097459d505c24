//! Inspects the results of workers, which are not trusted: every record is replayed through the
//! rules before it counts.

use referee_match::openings::OpeningBook;
use referee_record::model::bounds::HasBounds;
use referee_record::model::record::{GameRecord, Header};
use referee_record::seeds::TournamentSecret;
use referee_tournament::run::job::{DueGame, FinishedGame, Job, JobOutcome};
use referee_tournament::run::job_failure::JobFailure;
use referee_tournament::verify_record::{RecordFinding, verify_record};

/// Why a result cannot be true.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WrongResult {
    /// It cannot be read.
    #[error("it cannot be read")]
    Unreadable,
    /// It answers another job.
    #[error("it is for another job")]
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
    #[error("it contains a different game's record, {0}")]
    Foreign(String),
    /// A record contradicts the rules, or itself.
    #[error("game {0}: {1}")]
    Finding(String, Box<RecordFinding>),
}

/// What an inspector knows of the tournament.
#[derive(Debug)]
pub struct Inspector {
    /// The openings and rules.
    pub book: OpeningBook,
    /// The header of the log.
    pub header: Header,
    /// The tournament's secret.
    pub secret: TournamentSecret,
    /// The names of the players, by number.
    pub names: Vec<String>,
}

impl Inspector {
    /// A player has come; `header` has it.
    pub(crate) fn admit(&mut self, header: Header) {
        self.names = header.players.iter().map(|player| player.name.clone()).collect();
        self.header = header;
    }

    /// The outcome of a job on `worker`, if it can be true. It `may_be_part` of the job if no game
    /// may begin any more.
    ///
    /// # Errors
    /// The first reason why it cannot be true.
    pub(crate) fn inspect(
        &self,
        job: &Job,
        outcome: JobOutcome,
        worker: &str,
        may_be_part: bool,
    ) -> Result<JobOutcome, WrongResult> {
        let on_worker = |mut message: String| {
            message.cut();
            format!("{message} (worker {worker})")
        };
        Ok(match (job, outcome) {
            (Job::Play(due), JobOutcome::Played(mut games)) => {
                // An earlier coordinator may have kept one game of the pair.
                if games.len() > due.len() {
                    games.retain(|game| due.iter().any(|due| due.id == game.record.id));
                }
                // When the time is up, a worker begins no second game of a pair.
                let is_part = may_be_part && !games.is_empty() && games.len() < due.len();
                let due = if is_part { &due[..games.len()] } else { due };
                self.inspect_games(due, &games)?;
                JobOutcome::Played(games)
            }
            (_, JobOutcome::Failed(failure)) => JobOutcome::Failed(match failure {
                JobFailure::Panic(message) => JobFailure::Panic(on_worker(message)),
                JobFailure::Game(error) => JobFailure::Game(on_worker(error)),
                abandoned @ JobFailure::Abandoned { .. } => abandoned,
            }),
            (Job::Probe(_), JobOutcome::Probed(mut fault)) => {
                fault.cut();
                JobOutcome::Probed(fault)
            }
            _ => return Err(WrongResult::OtherJob),
        })
    }

    /// Checks that `games` are exactly those that are `due`, in this order, and that each follows the
    /// rules.
    fn inspect_games(&self, due: &[DueGame], games: &[FinishedGame]) -> Result<(), WrongResult> {
        if due.len() != games.len() {
            return Err(WrongResult::Count { expected: due.len(), found: games.len() });
        }
        due.iter().zip(games).try_for_each(|(due, game)| self.inspect_game(due, &game.record))
    }

    fn inspect_game(&self, due: &DueGame, record: &GameRecord) -> Result<(), WrongResult> {
        let id = || record.id.chars().take(32).collect::<String>();
        let fixture = due.fixture;
        let named = fixture.players.players().map(|player| self.names.get(player));
        let recorded = record.players.values.values().iter().map(Some);
        let is_it = record.id == due.id
            && (record.pair, record.game) == (fixture.pair, fixture.game)
            && named.eq(recorded);
        if !is_it {
            return Err(WrongResult::Foreign(id()));
        }
        let findings = verify_record(&self.book, &self.header, Some(&self.secret), record);
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

    use referee_match::referee::scripted_game;
    use referee_record::model::fixture::Fixture;
    use referee_record::model::record::examples::header;

    /// The record of a game of one move.
    fn fine() -> Value {
        let seed = |player: &str, opponent: &str| {
            TournamentSecret::from_seed(1).player_seed(player, &[opponent], 1, 1)
        };
        json!({
            "id": "1-1", "pair": 1, "game": 1, "players": {"white": "ant", "black": "bee"},
            "seed": {"white": seed("ant", "bee"), "black": seed("bee", "ant")},
            "rolls": [], "opening": [], "actions": ["go"],
            "clock": {
                "began": 0, "wall_ns": 0,
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
            book: OpeningBook::empty(scripted_game::scripted_game_rules("w")),
            header: header(&["ant", "bee"]),
            secret: TournamentSecret::from_seed(1),
            names: ["ant", "bee"].map(str::to_owned).to_vec(),
        };
        let fixture = Fixture { players: [0, 1].into(), pair: 1, game: 1 };
        let due = [DueGame { id: "1-1".to_owned(), fixture }];
        let games: Vec<FinishedGame> = records
            .iter()
            .map(|record| serde_json::from_value(json!({ "record": record })).expect("a game"))
            .collect();
        inspector.inspect_games(&due, &games).map_err(|wrong| wrong.to_string())
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
            ("/id", json!("1-2"), "it contains a different game's record, 1-2"),
            ("/pair", json!(2), "it contains a different game's record, 1-1"),
            ("/players/black", json!("cat"), "it contains a different game's record, 1-1"),
            ("/seed/white", json!(7), "game 1-1: ant's seed does not match the secret"),
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
