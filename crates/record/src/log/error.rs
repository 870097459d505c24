//! Errors of a log.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::record::SCHEMA;
use referee_games::safe_one_line;

/// The maximum length of a line, in bytes.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

/// A log cannot be used, or a line of it.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", LogError::place(*line))]
pub struct LogError {
    /// The line number, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The problem.
    #[source]
    pub problem: LogProblem,
}

/// An error of a log or of one of its lines.
#[derive(Debug, thiserror::Error)]
pub enum LogProblem {
    /// The file cannot be opened.
    #[error("{}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(io::Error),
    /// A line cannot be read.
    #[error("cannot read line {number}: {source}")]
    ReadLine {
        /// Its number, from 1.
        number: usize,
        /// Why not.
        source: io::Error,
    },
    /// The header's line has no end.
    #[error("the header is not complete")]
    HeaderIncomplete,
    /// The first line is not the header of a log.
    #[error("not a header: {}", safe_one_line(&.0.to_string()))]
    NotAHeader(#[source] serde_json::Error),
    /// The log has a format that this version does not read.
    #[error(
        "the log has the format {}, but this referee reads {SCHEMA}: read it with the build of \
         referee {} that wrote it, or play the tournament again in another folder",
        safe_one_line(schema),
        safe_one_line(version)
    )]
    Format {
        /// The format.
        schema: String,
        /// The version of the referee that wrote the log.
        version: String,
    },
    /// The header has this version's format, but not its fields.
    #[error("not a header of the format {SCHEMA}: {}", safe_one_line(&.0.to_string()))]
    InvalidHeader(#[source] serde_json::Error),
    /// The line is not a game's record.
    #[error(transparent)]
    Line(InvalidLine),
    /// No game can be read at the place where its line should begin.
    #[error("the game at byte {at}: {source}")]
    Misplaced {
        /// The byte offset in the log.
        at: u64,
        /// Why not.
        source: io::Error,
    },
    /// The game cannot be replayed.
    #[error(transparent)]
    Unplayable(Box<dyn Error + Send + Sync>),
}

/// A line of a log is not a game's record.
#[derive(Debug, Clone, thiserror::Error)]
pub enum InvalidLine {
    /// It is longer than 64 MiB.
    #[error("the line is longer than {LONGEST} bytes")]
    TooLong,
    /// It is not the JSON of a record.
    #[error("not a game record: {}", safe_one_line(&.0.to_string()))]
    NotARecord(#[source] Arc<serde_json::Error>),
    /// It is a change of a league's players.
    #[error("a roster change, not a game")]
    Roster,
}

impl LogError {
    /// A problem of the file as a whole.
    pub(super) fn whole(problem: LogProblem) -> Self {
        Self { line: 0, problem }
    }

    /// What stands before the problem.
    fn place(line: usize) -> String {
        if line == 0 { String::new() } else { format!("line {line}: ") }
    }

    pub(super) fn header(problem: LogProblem) -> Self {
        Self { line: 1, problem }
    }
}
