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

impl Entry {
    /// The check at the end of the line: it differs when anything in the line does. Empty where
    /// there is none.
    pub fn check(&self) -> &str {
        let end = self.raw.len().saturating_sub(3);
        let check = self.raw.get(end.saturating_sub(CHECK_DIGITS)..end).unwrap_or_default();
        std::str::from_utf8(check).unwrap_or_default()
    }
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
        Self::open_file(&dir.join(LOG))
    }

    /// Opens the log at `path`, whatever its name, and reads its header.
    pub fn open_file(path: &Path) -> Result<Self, LogError> {
        let file = File::open(path)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::clock::{Measure, TimeControl};
    use crate::containment::{Level, Limits};
    use crate::rating::tally::tests::game;
    use crate::record::{Containment, FaultPolicy};

    fn header(identity: &str) -> Header {
        Header {
            schema: SCHEMA.to_owned(),
            version: "0".to_owned(),
            tournament: "cup".to_owned(),
            identity: identity.to_owned(),
            created: 0,
            game: "watch-your-back".to_owned(),
            seats: ["white", "black"].map(str::to_owned),
            options: serde_json::Map::new(),
            clock: TimeControl {
                startup: Duration::from_secs(10),
                budget: None,
                increment: Duration::ZERO,
                per_move: None,
                measure: Measure::Wall,
                count_startup: false,
                ponder: false,
            },
            fault_policy: FaultPolicy::Lose,
            quarantine: 5,
            stages: vec![crate::tournament::format::Stage::round_robin(1)],
            openings: None,
            containment: Containment {
                level: Level::Off,
                in_force: Vec::new(),
                limits: Limits::default(),
            },
            seed: None,
            anchors: Vec::new(),
            players: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn log_in(dir: &Path) -> Vec<u8> {
        fs::read(dir.join(LOG)).expect("a log")
    }

    /// Every record of a log, and whether a torn line follows.
    fn records(dir: &Path) -> (Vec<GameRecord>, bool) {
        let mut reader = LogReader::open(dir).expect("a log");
        let mut found = Vec::new();
        while let Some(entry) = reader.next_entry().expect("whole lines") {
            assert!(entry.intact, "line {}", entry.line);
            found.push(entry.record);
        }
        (found, reader.torn())
    }

    /// A log of two games, and how long it is.
    fn two_games(dir: &Path) -> (LogWriter, [GameRecord; 2]) {
        let mut log = LogWriter::create(dir, &header("one")).expect("created");
        let games = [game("ant", "bee", "white"), game("bee", "ant", "draw")];
        for game in &games {
            log.append(game).expect("appended");
        }
        (log, games)
    }

    #[test]
    fn what_is_appended_is_read_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let (log, games) = two_games(dir.path());
        log.sync().expect("synced");
        assert_eq!(records(dir.path()), (games.to_vec(), false));
        let reader = LogReader::open(dir.path()).expect("a log");
        assert!(reader.header_intact());
        assert_eq!(*reader.header(), header("one"));
    }

    #[test]
    fn a_log_goes_on_after_every_torn_line() {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, [first, second]) = two_games(dir.path());
        let whole = log_in(dir.path());
        let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n');
        let last = last.expect("three lines") + 1;
        for cut in last + 1..whole.len() {
            fs::write(dir.path().join(LOG), &whole[..cut]).expect("written");
            let mut reader = LogReader::open(dir.path()).expect("a log");
            while reader.next_entry().expect("whole lines").is_some() {}
            assert_eq!((reader.torn(), reader.whole()), (true, last as u64));
            let mut log = LogWriter::open(dir.path(), "one", reader.whole()).expect("opened");
            log.append(&second).expect("appended");
            assert_eq!(log_in(dir.path()), whole);
        }
        assert_eq!(records(dir.path()), (vec![first, second], false));
    }

    #[test]
    fn after_a_failed_write_the_lines_are_whole() {
        let dir = tempfile::tempdir().expect("a folder");
        let (mut log, games) = two_games(dir.path());
        let whole = log_in(dir.path());
        let good = std::mem::replace(&mut log.file, File::open("/dev/null").expect("readable"));
        log.append(&games[0]).expect_err("it cannot be written to");
        // As if the failing write had left a part of its line.
        log.file = good;
        log.file.write_all(b"{\"id\":\"torn").expect("written");
        let mut log = LogWriter::open(dir.path(), "one", log.length).expect("opened");
        assert_eq!(log_in(dir.path()), whole);
        log.append(&games[0]).expect("appended");
        assert_eq!(records(dir.path()).0.len(), 3);
    }

    #[test]
    fn a_log_is_replaced_in_one_step_or_not_at_all() {
        let dir = tempfile::tempdir().expect("a folder");
        two_games(dir.path());
        let (path, before) = (dir.path().join(LOG), log_in(dir.path()));
        replace(&path, &header("two"), |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("full"))
        })
        .expect_err("it failed half way");
        assert_eq!(log_in(dir.path()), before);
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is left");
        replace(&path, &header("two"), |_| Ok(())).expect("replaced");
        assert_eq!(records(dir.path()), (Vec::new(), false));
        assert_eq!(LogReader::open(dir.path()).expect("a log").header().identity, "two");
    }

    #[test]
    fn after_a_bad_line_the_next_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, [first, second]) = two_games(dir.path());
        let text = String::from_utf8(log_in(dir.path())).expect("UTF-8");
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.insert(2, "garbage\n");
        fs::write(dir.path().join(LOG), lines.concat()).expect("written");
        let mut reader = LogReader::open(dir.path()).expect("a log");
        assert_eq!(reader.next_entry().expect("good").map(|entry| entry.record), Some(first));
        assert_eq!(reader.next_entry().expect_err("bad").line, 3);
        let entry = reader.next_entry().expect("good").expect("a record");
        assert_eq!((entry.line, entry.record), (4, second));
        assert!(reader.next_entry().expect("the end").is_none());
    }

    #[test]
    fn a_seal_is_bound_to_the_tournament() {
        let line = seal(&game("ant", "bee", "white"), "one").expect("JSON");
        assert!(is_intact(&line, "one"));
        assert!(!is_intact(&line, "two"));
        assert!(!is_intact(b"", "one") && !is_intact(b"\n", "one"));
    }

    proptest! {
        #[test]
        fn no_byte_of_a_sealed_line_can_be_changed(at in any::<prop::sample::Index>(), by in 1_u8..) {
            let mut line = seal(&game("ant", "bee", "white"), "one").expect("JSON");
            let at = at.index(line.len());
            line[at] ^= by;
            prop_assert!(!is_intact(&line, "one"));
        }
    }
}
