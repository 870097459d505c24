//! Errors of a log.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::record::SCHEMA;

/// The maximum length of a line, in bytes.
pub(super) const LONGEST: u64 = 64 * 1024 * 1024;

/// A log cannot be used, or a line of it.
#[derive(Debug)]
pub struct LogError {
    /// The line number, from 1; 0 for the file as a whole.
    pub line: usize,
    /// The problem.
    pub problem: LogProblem,
}

/// An error of a log or of one of its lines.
#[derive(Debug)]
pub enum LogProblem {
    /// The file cannot be opened.
    Open {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file cannot be read.
    Read(io::Error),
    /// A line cannot be read.
    ReadLine {
        /// Its number, from 1.
        number: usize,
        /// Why not.
        source: io::Error,
    },
    /// The header's line has no end.
    HeaderIncomplete,
    /// The first line is not the header of a log.
    NotAHeader(serde_json::Error),
    /// The log has a format that this version does not read.
    Format {
        /// The format.
        schema: String,
        /// The version of the referee that wrote the log.
        version: String,
    },
    /// The header has this version's format, but not its fields.
    InvalidHeader(serde_json::Error),
    /// The line is not a game's record.
    Line(InvalidLine),
    /// No game can be read at the place where its line should begin.
    Misplaced {
        /// The byte offset in the log.
        at: u64,
        /// Why not.
        source: io::Error,
    },
    /// The game cannot be replayed.
    Unplayable(Box<dyn Error + Send + Sync>),
}

/// A line of a log is not a game's record.
#[derive(Debug, Clone)]
pub enum InvalidLine {
    /// It is longer than 64 MiB.
    TooLong,
    /// It is not the JSON of a record.
    NotARecord(Arc<serde_json::Error>),
}

impl LogError {
    /// A problem of the file as a whole.
    pub(super) fn whole(problem: LogProblem) -> Self {
        Self { line: 0, problem }
    }

    /// A problem of the header.
    pub(super) fn header(problem: LogProblem) -> Self {
        Self { line: 1, problem }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => self.problem.fmt(f),
            line => write!(f, "line {line}: {}", self.problem),
        }
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.problem)
    }
}

impl fmt::Display for LogProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Read(source) => source.fmt(f),
            Self::ReadLine { number, source } => {
                write!(f, "line {number} cannot be read: {source}")
            }
            Self::HeaderIncomplete => f.write_str("the header is not complete"),
            Self::NotAHeader(error) => write!(f, "not a header: {error}"),
            Self::Format { schema, version } => write!(
                f,
                "the log has the format {schema}, this referee reads {SCHEMA}; referee {version}, \
                 which wrote it, reads it"
            ),
            Self::InvalidHeader(error) => write!(
                f,
                "not a header of the format {SCHEMA}: {error}; a log from before that format was \
                 settled is read by the build of the referee that wrote it"
            ),
            Self::Line(error) => error.fmt(f),
            Self::Misplaced { at, source } => write!(f, "the game at byte {at}: {source}"),
            Self::Unplayable(error) => error.fmt(f),
        }
    }
}

impl Error for LogProblem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::HeaderIncomplete | Self::Format { .. } => None,
            Self::Open { source, .. }
            | Self::Read(source)
            | Self::ReadLine { source, .. }
            | Self::Misplaced { source, .. } => Some(source),
            Self::NotAHeader(error) | Self::InvalidHeader(error) => Some(error),
            Self::Line(error) => Some(error),
            Self::Unplayable(error) => Some(&**error),
        }
    }
}

impl fmt::Display for InvalidLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the line is longer than {LONGEST} bytes"),
            Self::NotARecord(error) => write!(f, "not a game record: {error}"),
        }
    }
}

impl Error for InvalidLine {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TooLong => None,
            Self::NotARecord(error) => Some(&**error),
        }
    }
}
