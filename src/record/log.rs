//! The append-only log, `games.jsonl`: a header line, then a line a game.
//!
//! A game is done when its line is on disk. A torn last line is dropped and that game played
//! again; only a change between a stop and its continuation rewrites the file, as a whole and
//! in one step.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{GameRecord, Header, SCHEMA};

/// The name of the log in a results folder.
pub const LOG: &str = "games.jsonl";
/// Where the games of replaced players go.
pub const SUPERSEDED: &str = "superseded.jsonl";
/// The longest line that is read back, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What is wrong with a log.
#[derive(Debug)]
pub struct LogError {
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl LogError {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A line read from a log.
#[derive(Debug)]
pub struct Entry {
    /// Its number, from 1.
    pub line: usize,
    /// The record.
    pub record: GameRecord,
    /// The line's bytes, newline included.
    pub raw: Vec<u8>,
    /// The line is just as the referee wrote it.
    pub intact: bool,
}

/// Reads a log from its beginning, a line at a time.
#[derive(Debug)]
pub struct LogReader {
    input: BufReader<File>,
    header: Header,
    header_intact: bool,
    line: usize,
    whole: u64,
    torn: bool,
}

impl LogReader {
    /// Opens the log of the results folder `dir` and reads its header.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let path = dir.join(LOG);
        let file = File::open(&path)
            .map_err(|error| LogError::new(0, format!("{}: {error}", path.display())))?;
        let mut input = BufReader::new(file);
        let raw = read_line(&mut input).map_err(|error| LogError::new(1, error.to_string()))?;
        if !raw.ends_with(b"\n") {
            return Err(LogError::new(1, "the header is not complete"));
        }
        let header: Header = serde_json::from_slice(&raw)
            .map_err(|error| LogError::new(1, format!("not a header: {error}")))?;
        if header.schema != SCHEMA {
            let message = format!("the schema is {}, this referee reads {SCHEMA}", header.schema);
            return Err(LogError::new(1, message));
        }
        let header_intact = is_intact(&raw, &header.identity);
        let whole = raw.len() as u64;
        Ok(Self { input, header, header_intact, line: 1, whole, torn: false })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The header is just as the referee wrote it.
    pub fn header_intact(&self) -> bool {
        self.header_intact
    }

    /// The last line had no newline: what was read up to there is whole.
    pub fn torn(&self) -> bool {
        self.torn
    }

    /// How many bytes of whole lines were read.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The next record; none at the end of the log or at a torn last line. After an error that
    /// names its line the next call goes on with the line after it.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, LogError> {
        let line = self.line + 1;
        let raw = read_line(&mut self.input)
            .map_err(|error| LogError::new(0, format!("line {line} cannot be read: {error}")))?;
        if raw.len() as u64 == LONGEST {
            return Err(LogError::new(0, format!("line {line} is longer than {LONGEST} bytes")));
        }
        if !raw.ends_with(b"\n") {
            self.torn = !raw.is_empty();
            return Ok(None);
        }
        self.line = line;
        self.whole += raw.len() as u64;
        let record = serde_json::from_slice(&raw)
            .map_err(|error| LogError::new(line, format!("not a game record: {error}")))?;
        let intact = is_intact(&raw, &self.header.identity);
        Ok(Some(Entry { line, record, raw, intact }))
    }
}

fn read_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    input.take(LONGEST).read_until(b'\n', &mut raw)?;
    Ok(raw)
}

/// Writes a log at its end.
#[derive(Debug)]
pub struct LogWriter {
    file: File,
    path: PathBuf,
    identity: String,
    length: u64,
}

impl LogWriter {
    /// Begins a log with its header. Fails when there is one already.
    pub fn create(dir: &Path, header: &Header) -> io::Result<Self> {
        let path = dir.join(LOG);
        replace(&path, header, |_| Ok(()))?;
        let length = fs::metadata(&path)?.len();
        Self::open(dir, &header.identity, length)
    }

    /// Goes on after the first `length` bytes, which are whole lines; what follows is dropped.
    pub fn open(dir: &Path, identity: &str, length: u64) -> io::Result<Self> {
        let path = dir.join(LOG);
        let mut file = OpenOptions::new().write(true).open(&path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, path, identity: identity.to_owned(), length })
    }

    /// Appends a record. When it cannot be written in whole, none of it stays.
    pub fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        let line = seal(record, &self.identity)?;
        let written = self.file.write_all(&line).and_then(|()| self.file.flush());
        if let Err(error) = written {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::End(0))?;
            return Err(io::Error::new(
                error.kind(),
                format!("cannot write {}: {error}", self.path.display()),
            ));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Makes sure that everything appended is on disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Writes a log anew beside the old one and puts it in its place in one step: `header`, then
/// what `rest` writes.
pub fn replace(
    path: &Path,
    header: &Header,
    rest: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write_whole(path, |out| {
        out.write_all(&seal(header, &header.identity)?)?;
        rest(out)
    })
}

/// Writes a file beside its place and puts it there in one step, so that readers see the old
/// one or the new one and nothing between.
pub fn write_whole(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let written = (|| {
        let mut out = io::BufWriter::new(File::create(&beside)?);
        content(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&beside, path)
    })();
    written.inspect_err(|_| {
        // The unfinished file is of no use to anyone.
        let _ = fs::remove_file(&beside);
    })
}

const CHECK: &str = ",\"check\":\"";
const CHECK_DIGITS: usize = 16;

/// A line with its check: the last field, a hash of everything before it and of the tournament's
/// identity.
fn seal(value: &impl Serialize, identity: &str) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.pop();
    let check = check(&line, identity);
    line.extend_from_slice(CHECK.as_bytes());
    line.extend_from_slice(check.as_bytes());
    line.extend_from_slice(b"\"}\n");
    Ok(line)
}

fn check(body: &[u8], identity: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026 log line");
    hasher.update(&(identity.len() as u64).to_le_bytes());
    hasher.update(identity.as_bytes());
    hasher.update(body);
    hasher.finalize().to_hex()[..CHECK_DIGITS].to_owned()
}

fn is_intact(raw: &[u8], identity: &str) -> bool {
    let tail = CHECK.len() + CHECK_DIGITS + 3;
    let Some(at) = raw.len().checked_sub(tail) else { return false };
    let (body, seal) = raw.split_at(at);
    seal == format!("{CHECK}{}\"}}\n", check(body, identity)).as_bytes()
}
