//! Inspects the results of workers, which are not trusted: every record is replayed through the
//! rules before it counts.

use std::error::Error;
use std::fmt;

use crate::model::record::{GameRecord, Header};
use crate::openings::OpeningBook;
use crate::run::job::DueGame;
use crate::seeds::Secret;
use crate::verify::{RecordFinding, audit};
use referee_games::Seat;

/// Why a result cannot be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WrongResult {
    /// It cannot be read.
    Unreadable,
    /// It answers another job.
    OtherJob,
    /// It has another number of games.
    Count {
        /// The number of games of the job.
        expected: usize,
        /// The number of games in the result.
        found: usize,
    },
    /// It has the record of another game.
    Foreign(String),
    /// A record contradicts the rules, or itself.
    Finding(String, Box<RecordFinding>),
}

impl fmt::Display for WrongResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("it cannot be read"),
            Self::OtherJob => f.write_str("it answers another job"),
            Self::Count { expected, found } => {
                write!(f, "it has {found} games instead of {expected}")
            }
            Self::Foreign(id) => write!(f, "it has the record of another game, {id}"),
            Self::Finding(id, finding) => write!(f, "game {id}: {finding}"),
        }
    }
}

impl Error for WrongResult {}

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
    /// Checks that `records` are exactly the games `due`, in this order, and that each follows the
    /// rules.
    ///
    /// # Errors
    /// The first reason why they are not.
    pub fn inspect(&self, due: &[DueGame], records: &[&GameRecord]) -> Result<(), WrongResult> {
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
