//! Reading a log from its beginning, one line at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::Path;
use std::sync::Arc;

use serde::de::Error as _;

use super::error::{InvalidLine, LONGEST, LogError, LogProblem};
use super::game_line::LinePlace;
use super::{LOG, TYPICAL_LINE, is_sealed_log_line};
use crate::model::bounds::HasBounds;
use crate::model::record::{GameRecord, Header, SCHEMA};
use crate::model::roster_change::RosterChange;
use crate::plain_files::open_plain_nofollow;

/// The bytes that are read at once.
const BUFFER: usize = 256 * 1024;
/// The bytes of a batch of lines.
const BATCH: usize = 4 * 1024 * 1024;

/// A line of a log, unchanged.
#[derive(Debug)]
pub struct LogLine {
    /// Its number, from 1.
    pub number: usize,
    /// The byte offset in the log where it begins.
    pub at: u64,
    /// Its bytes, newline included. A line that is too long comes in several pieces.
    pub raw: Vec<u8>,
    /// The record, or the reason why the line is not one.
    pub record: Result<GameRecord, InvalidLine>,
    /// The change of a league's players, if the line is one instead of a record.
    pub change: Option<Box<RosterChange>>,
    /// Whether the line is exactly as the referee wrote it.
    pub intact: bool,
}

/// A line of a log that was not parsed yet.
#[derive(Debug)]
pub struct RawLogLine {
    number: usize,
    at: u64,
    /// Its bytes, newline included.
    pub bytes: Vec<u8>,
    /// Whether it is a piece of a line that is too long.
    pub(super) is_piece: bool,
}

impl RawLogLine {
    /// The place of the line, which belongs to the log with this identity.
    pub(super) fn place(&self, identity: &str) -> LinePlace {
        let intact = !self.is_piece && is_sealed_log_line(&self.bytes, identity);
        LinePlace { line: self.number, at: self.at, intact }
    }

    /// Parses the line, which belongs to the log with this identity.
    pub fn parse(self, identity: &str) -> LogLine {
        let Self { number, at, bytes: raw, is_piece } = self;
        let invalid = |error| InvalidLine::NotARecord(Arc::new(error));
        let mut change = None;
        let record = if is_piece {
            Err(InvalidLine::TooLong)
        } else if raw.starts_with(RosterChange::BEGIN.as_bytes()) {
            match serde_json::from_slice(&raw) {
                Ok(mut read) => {
                    RosterChange::cut(&mut read);
                    change = Some(Box::new(read));
                    Err(InvalidLine::Roster)
                }
                Err(error) => Err(invalid(error)),
            }
        } else {
            serde_json::from_slice(&raw).map_err(invalid)
        };
        let intact = (record.is_ok() || change.is_some()) && is_sealed_log_line(&raw, identity);
        LogLine { number, at, raw, record, change, intact }
    }
}

impl LogLine {
    pub(super) fn place(&self) -> LinePlace {
        LinePlace { line: self.number, at: self.at, intact: self.intact }
    }
}

/// Reads a log from its beginning, one line at a time.
#[derive(Debug)]
pub struct LogReader {
    input: BufReader<Take<File>>,
    header: Header,
    header_line: Vec<u8>,
    header_intact: bool,
    line: usize,
    /// Where the last line begins, if it was too long and has not ended yet.
    inside: Option<u64>,
    whole: u64,
    /// An error after the lines of a batch.
    failed: Option<LogError>,
    torn: bool,
}

impl LogReader {
    /// Opens the log of the results folder `dir` and reads its header.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        Self::open_file(&dir.join(LOG))
    }

    /// Opens the log at `path`, under any name, and reads its header.
    pub fn open_file(path: &Path) -> Result<Self, LogError> {
        let whole_file = |file: File| BufReader::with_capacity(BUFFER, file.take(u64::MAX));
        let mut input = whole_file(open_log_file(path)?);
        let (raw, mut header) = read_log_header(&mut input).map_err(LogError::header)?;
        if header.is_league() {
            let look = |source| LogError::whole(LogProblem::Read(source));
            let seen = read_roster_changes_ahead(&mut input, &mut header).map_err(look)?;
            let mut file = input.into_inner().into_inner();
            file.seek(SeekFrom::Start(raw.len() as u64)).map_err(look)?;
            input = BufReader::with_capacity(BUFFER, file.take(seen));
        }
        let header_intact = is_sealed_log_line(&raw, &header.identity);
        let whole = raw.len() as u64;
        Ok(Self {
            input,
            header,
            header_line: raw,
            header_intact,
            line: 1,
            inside: None,
            whole,
            failed: None,
            torn: false,
        })
    }

    /// The header. That of a league has all players of the log, those that came later too, as they
    /// were when the log was opened; nothing that was written after that is read.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The header's line, unchanged, newline included.
    pub fn header_line(&self) -> &[u8] {
        &self.header_line
    }

    /// Whether the header is exactly as the referee wrote it.
    pub fn header_intact(&self) -> bool {
        self.header_intact
    }

    /// Whether the last line is torn: it has no newline. All lines before it are complete.
    pub fn torn(&self) -> bool {
        self.torn
    }

    /// The length of the complete lines read so far, in bytes.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// Returns the next record, or `None` at the end of the log or at a torn last line. Skips lines
    /// that are not records.
    pub fn next_record(&mut self) -> Result<Option<GameRecord>, LogError> {
        while let Some(line) = self.next_line()? {
            if let Ok(record) = line.record {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Returns the next line, valid or not, or `None` at the end of the log or at a torn last line.
    pub fn next_line(&mut self) -> Result<Option<LogLine>, LogError> {
        Ok(self.next_raw()?.map(|line| line.parse(&self.header.identity)))
    }

    /// Like [`next_line`](Self::next_line), but without parsing it.
    pub(crate) fn next_raw(&mut self) -> Result<Option<RawLogLine>, LogError> {
        let number = if self.inside.is_some() { self.line } else { self.line + 1 };
        let failed = |source| LogError::whole(LogProblem::ReadLine { number, source });
        let raw = read_log_line(&mut self.input).map_err(failed)?;
        let is_whole = raw.ends_with(b"\n");
        if !is_whole && raw.len() as u64 != LONGEST {
            self.torn |= !raw.is_empty() || self.inside.is_some();
            self.whole = self.inside.take().unwrap_or(self.whole);
            return Ok(None);
        }
        self.line = number;
        let at = self.whole;
        self.whole += raw.len() as u64;
        let is_piece = self.inside.is_some() || !is_whole;
        self.inside = if is_whole { None } else { self.inside.or(Some(at)) };
        Ok(Some(RawLogLine { number, at, bytes: raw, is_piece }))
    }

    /// The next lines without parsing them, some megabytes together; none at the end of the log or
    /// at a torn last line.
    ///
    /// # Errors
    ///
    /// When a line cannot be read; after the lines before it.
    pub fn next_batch(&mut self) -> Result<Vec<RawLogLine>, LogError> {
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH && self.failed.is_none() {
            match self.next_raw() {
                Ok(Some(line)) => {
                    // A short line takes the space of a usual one.
                    bytes += line.bytes.capacity();
                    lines.push(line);
                }
                Ok(None) => break,
                Err(error) => self.failed = Some(error),
            }
        }
        if lines.is_empty() { self.failed.take().map_or(Ok(lines), Err) } else { Ok(lines) }
    }
}

/// Reads to the end of a league's log, and adds entries and departures to the header. Returns how
/// many bytes were read. Lines that change nothing are left for those who read line by line.
fn read_roster_changes_ahead(input: &mut impl BufRead, header: &mut Header) -> io::Result<u64> {
    let (mut seen, mut line, mut is_inside) = (0, Vec::with_capacity(TYPICAL_LINE), false);
    loop {
        line.clear();
        let length = read_log_line_into(input, &mut line)?;
        if length == 0 {
            return Ok(seen);
        }
        seen += length as u64;
        let is_whole = line.ends_with(b"\n");
        let is_change = line.starts_with(RosterChange::BEGIN.as_bytes());
        if is_whole
            && !is_inside
            && is_change
            && let Ok(mut change) = serde_json::from_slice::<RosterChange>(&line)
        {
            change.cut();
            let _ = header.apply_roster_change(&change);
        }
        is_inside = !is_whole;
    }
}

/// Opens the log at `path`.
pub(super) fn open_log_file(path: &Path) -> Result<File, LogError> {
    open_plain_nofollow(path)
        .map_err(|source| LogError::whole(LogProblem::Open { path: path.to_owned(), source }))
}

pub(super) fn read_log_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut raw = Vec::with_capacity(TYPICAL_LINE);
    read_log_line_into(input, &mut raw)?;
    Ok(raw)
}

/// Appends a line, newline included, and returns its length.
pub(super) fn read_log_line_into(input: &mut impl BufRead, raw: &mut Vec<u8>) -> io::Result<usize> {
    input.take(LONGEST).read_until(b'\n', raw)
}

/// The part of the header that every format of the log has.
#[derive(serde::Deserialize)]
struct HeaderStart {
    schema: String,
    version: String,
}

/// Reads the header's line and parses it.
fn read_log_header(input: &mut impl BufRead) -> Result<(Vec<u8>, Header), LogProblem> {
    let raw = read_log_line(input).map_err(LogProblem::Read)?;
    if !raw.ends_with(b"\n") {
        return Err(LogProblem::HeaderIncomplete);
    }
    let HeaderStart { schema, version } =
        serde_json::from_slice(&raw).map_err(LogProblem::NotAHeader)?;
    if schema != SCHEMA {
        return Err(LogProblem::Format { schema, version });
    }
    let mut header: Header = serde_json::from_slice(&raw).map_err(LogProblem::InvalidHeader)?;
    let invalid = |why| LogProblem::InvalidHeader(serde_json::Error::custom(why));
    header.check().map_err(invalid)?;
    header.cut();
    Ok((raw, header))
}

#[cfg(test)]
mod tests;
