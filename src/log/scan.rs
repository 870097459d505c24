//! Reads a log through its index, and the rest from the log itself.

use std::io;
use std::path::{Path, PathBuf};

use super::error::{LogError, LogProblem};
use super::game_line::{GameLine, GameNames};
use super::index::{Chain, INDEX, IndexEntry, IndexReader, Look};
use super::index_writer::NewIndex;
use super::reader::RawLine;
use super::{LogLine, LogReader, hash_line};
use crate::disk::is_locked_by_another;
use crate::model::record::Header;

/// Reads every line of a log, one at a time, but parses only lines that its index lacks. If the
/// index is missing or does not fit, the scan writes a new one at its end.
#[derive(Debug)]
pub struct LogScan {
    dir: PathBuf,
    log: LogReader,
    names: GameNames,
    index: Option<IndexReader>,
    /// The look of the log at the beginning.
    look: Look,
    /// Whether the log has not changed since its last entry in the index.
    is_unchanged: bool,
    /// The length and the hash of the entries of the index that fit.
    kept: (u64, Chain),
    renewal: Renewal,
    /// A hash of the header and of all lines so far.
    digest: LogDigest,
}

/// A line of a log.
#[derive(Debug)]
pub enum Scanned {
    /// A game between players of the log's header.
    Game(GameLine),
    /// Any other line.
    Other(Box<LogLine>),
}

impl Scanned {
    /// The line of a log with these players.
    pub fn of(line: LogLine, names: &GameNames) -> Self {
        let record = line.record.as_ref().ok();
        let game = record.and_then(|record| names.line(record, line.place()));
        game.map_or_else(|| Self::Other(line.into()), Self::Game)
    }

    /// Its number, from 1.
    pub fn number(&self) -> usize {
        match self {
            Self::Game(game) => game.place.line,
            Self::Other(line) => line.number,
        }
    }

    /// The id of its game, if it is a record.
    pub fn id(&self) -> Option<String> {
        match self {
            Self::Game(game) => Some(game.id()),
            Self::Other(line) => line.record.as_ref().ok().map(|record| record.id.clone()),
        }
    }

    /// Whether it is a record that was edited after it was written.
    pub fn is_edited(&self) -> bool {
        match self {
            Self::Game(game) => !game.place.intact,
            Self::Other(line) => line.record.is_ok() && !line.intact,
        }
    }

    /// A hash of the line.
    pub fn hash(&self) -> u64 {
        match self {
            Self::Game(game) => game.place.hash,
            Self::Other(line) => line.hash,
        }
    }
}

/// A hash of a log's header and lines.
#[derive(Debug, Clone)]
pub struct LogDigest(blake3::Hasher);

impl LogDigest {
    /// The hash of a log with this header line and no other lines.
    pub fn new(header_line: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("referee 2026 digest of a log");
        hasher.update(header_line);
        Self(hasher)
    }

    /// Adds a line with this hash.
    pub fn add(&mut self, hash: u64) {
        self.0.update(&hash.to_le_bytes());
    }

    /// The hash.
    pub fn finish(&self) -> blake3::Hash {
        self.0.finalize()
    }
}

/// The fate of the index.
#[derive(Debug)]
enum Renewal {
    /// It fits so far.
    Unneeded,
    /// A new one is written.
    Begun(NewIndex),
    /// It stays as it is, because it cannot be written.
    Impossible,
}

impl LogScan {
    /// Opens the log of the results folder `dir` and reads its header.
    pub fn open(dir: &Path) -> Result<Self, LogError> {
        let log = LogReader::open(dir)?;
        let failed = |error| LogError::whole(LogProblem::Read(error));
        let look = Look::of(&log.file().metadata().map_err(failed)?);
        let chain = Chain::new(log.header_line());
        // The log contains everything that an index does.
        let index = IndexReader::open(&dir.join(INDEX), chain).ok().flatten();
        Ok(Self {
            digest: LogDigest::new(log.header_line()),
            dir: dir.to_owned(),
            names: GameNames::of(log.header()),
            is_unchanged: index.as_ref().is_some_and(|index| index.ends_with(look)),
            log,
            index,
            look,
            kept: (0, chain),
            renewal: Renewal::Unneeded,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        self.log.header()
    }

    /// Whether the last line is torn: it has no newline. All lines before it are complete.
    pub fn torn(&self) -> bool {
        self.log.torn()
    }

    /// The length of the complete lines read so far, in bytes.
    pub fn whole(&self) -> u64 {
        self.log.whole()
    }

    /// A hash of the header and of all lines so far. Two logs with the same hash have the same
    /// lines.
    pub fn digest(&self) -> &LogDigest {
        &self.digest
    }

    /// Returns the next line, or `None` at the end of the log or at a torn last line.
    pub fn next_line(&mut self) -> Result<Option<Scanned>, LogError> {
        let line = self.next()?;
        if let Some(line) = &line {
            self.digest.add(line.hash());
        }
        Ok(line)
    }

    fn next(&mut self) -> Result<Option<Scanned>, LogError> {
        while let Some(entry) = self.next_entry() {
            match entry {
                IndexEntry::Game(game) if self.is_unchanged => {
                    self.log.pass_over(game.place.length);
                    self.keep();
                    return Ok(Some(Scanned::Game(game)));
                }
                IndexEntry::Game(GameLine { place, .. }) | IndexEntry::Other(place) => {
                    let Some(raw) = self.log.next_raw()? else { break };
                    if self.hash(&raw) != place.hash {
                        self.index = None;
                        return Ok(Some(self.take_in(raw)));
                    }
                    self.keep();
                    return Ok(Some(match entry {
                        IndexEntry::Game(game) => Scanned::Game(game),
                        _ => Scanned::Other(raw.parse(&self.header().identity).into()),
                    }));
                }
                IndexEntry::Compared => self.keep(),
            }
        }
        self.index = None;
        let line = self.log.next_raw()?.map(|raw| self.take_in(raw));
        if line.is_none() {
            self.end();
        }
        Ok(line)
    }

    /// The next entry of the index.
    fn next_entry(&mut self) -> Option<IndexEntry> {
        self.index.as_mut()?.next(self.log.whole(), self.log.line() + 1)
    }

    /// Keeps the entries of the index so far.
    fn keep(&mut self) {
        if let Some(index) = &self.index {
            self.kept = (index.whole(), index.chain());
        }
    }

    fn hash(&self, line: &RawLine) -> u64 {
        hash_line(&line.bytes, &self.header().identity).0
    }

    /// Adds a line that the index lacks.
    fn take_in(&mut self, raw: RawLine) -> Scanned {
        if raw.is_piece {
            self.renewal = Renewal::Impossible;
        }
        let line = Scanned::of(raw.parse(&self.header().identity), &self.names);
        let entry = match &line {
            Scanned::Game(game) => IndexEntry::Game(game.clone()),
            Scanned::Other(line) => IndexEntry::Other(line.place()),
        };
        self.renew();
        if let Renewal::Begun(new) = &mut self.renewal
            && let Err(error) = new.add(&entry)
        {
            self.give_up(&error);
        }
        line
    }

    /// Begins a new index, unless a run is writing to the present one.
    fn renew(&mut self) {
        if matches!(self.renewal, Renewal::Unneeded) {
            let (kept, chain) = self.kept;
            self.renewal = match is_locked_by_another(self.log.file()) {
                Ok(false) => Renewal::Begun(NewIndex::new(&self.dir, kept, chain)),
                _ => Renewal::Impossible,
            };
        }
    }

    /// Puts the new index in its place, if there is one.
    fn end(&mut self) {
        if !self.is_unchanged {
            self.renew();
        }
        if let Renewal::Begun(new) = std::mem::replace(&mut self.renewal, Renewal::Impossible)
            && let Err(error) = new.finish(self.look)
        {
            self.give_up(&error);
        }
    }

    /// Continues without a new index, which is not required.
    fn give_up(&mut self, error: &io::Error) {
        tracing::debug!(%error, "the index cannot be written");
        self.renewal = Renewal::Impossible;
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::log::{LOG, LogWriter};
    use crate::model::fault::FaultCode;
    use crate::model::record::GameRecord;
    use crate::model::record::examples::{faulty, game, header};
    use crate::seeds::game_id;

    /// The lines of the log in `dir`, as a scan sees them, and whether a torn line follows.
    fn scan(dir: &Path) -> (Vec<Scanned>, bool) {
        let mut scan = LogScan::open(dir).expect("a log");
        let mut lines = Vec::new();
        while let Some(line) = scan.next_line().expect("readable") {
            lines.push(line);
        }
        (lines, scan.torn())
    }

    /// The result of a scan without an index.
    fn plainly(dir: &Path) -> String {
        let index = fs::read(dir.join(INDEX));
        fs::remove_file(dir.join(INDEX)).ok();
        let plain = format!("{:?}", scan(dir));
        if let Ok(index) = index {
            fs::write(dir.join(INDEX), index).expect("written");
        }
        plain
    }

    /// A game with the id that belongs to it.
    fn named(pair: u32, record: GameRecord) -> GameRecord {
        GameRecord { id: game_id("ant", "bee", pair, 1), pair, ..record }
    }

    /// A log with games of every kind.
    fn log(dir: &Path) -> LogWriter {
        let mut log = LogWriter::create(dir, &header(&["ant", "bee"])).expect("created");
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Containment)];
        for record in [
            named(1, game("ant", "bee", "white")),
            named(2, faulty(game("bee", "ant", "draw"), &both)),
            game("ant", "stranger", "black"),
            named(3, game("ant", "bee", "draw")),
        ] {
            log.append(&record).expect("appended");
        }
        log
    }

    fn is_renewed(dir: &Path) -> bool {
        let mut scan = LogScan::open(dir).expect("a log");
        while scan.next_line().expect("readable").is_some() {}
        !scan.is_unchanged
    }

    #[test]
    fn a_scan_is_the_same_with_and_without_an_index() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(log(dir.path()));
        assert!(!is_renewed(dir.path()), "the writer has kept it");
        assert_eq!(format!("{:?}", scan(dir.path())), plainly(dir.path()));
        fs::remove_file(dir.path().join(INDEX)).expect("removed");
        assert!(is_renewed(dir.path()), "it was gone");
        assert!(!is_renewed(dir.path()), "it is there again");
        assert_eq!(format!("{:?}", scan(dir.path())), plainly(dir.path()));
        let (lines, _) = scan(dir.path());
        let games = lines.iter().filter(|line| matches!(line, Scanned::Game(_))).count();
        assert_eq!((lines.len(), games), (4, 3));
    }

    #[test]
    fn a_log_can_be_appended_to_with_or_without_an_index() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut writer = log(dir.path());
        let more = named(4, game("bee", "ant", "white"));
        writer.append(&more).expect("appended");
        assert!(!is_renewed(dir.path()));
        drop(writer);
        let length = fs::metadata(dir.path().join(LOG)).expect("a log").len();
        let names = header(&["ant", "bee"]);
        let mut writer = LogWriter::open(dir.path(), &names, length).expect("opened");
        writer.append(&named(5, more.clone())).expect("appended");
        assert!(!is_renewed(dir.path()), "it goes on where it ended");
        fs::remove_file(dir.path().join(INDEX)).expect("removed");
        writer.append(&named(6, more)).expect("it needs no index");
        drop(writer);
        assert!(is_renewed(dir.path()));
        assert_eq!(scan(dir.path()).0.len(), 7);
    }

    /// Whatever happens to the index, the log read is the same.
    #[test]
    fn torn_or_edited_indexes_are_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(log(dir.path()));
        let (path, plain) = (dir.path().join(INDEX), plainly(dir.path()));
        let whole = fs::read(&path).expect("an index");
        for length in (0..whole.len()).step_by(7) {
            fs::write(&path, &whole[..length]).expect("written");
            assert_eq!(format!("{:?}", scan(dir.path())), plain, "{length} bytes");
            assert_eq!(format!("{:?}", scan(dir.path())), plain, "{length} bytes, again");
        }
        for at in (0..whole.len()).step_by(5) {
            let mut edited = whole.clone();
            edited[at] ^= 1 << (at % 8);
            fs::write(&path, edited).expect("written");
            assert_eq!(format!("{:?}", scan(dir.path())), plain, "byte {at}");
        }
        let twice = [&whole[..], &whole[16..]].concat();
        fs::write(&path, twice).expect("written");
        assert_eq!(format!("{:?}", scan(dir.path())), plain);
    }

    #[test]
    fn changes_of_the_log_are_noticed_through_the_index() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(log(dir.path()));
        let path = dir.path().join(LOG);
        let whole = fs::read_to_string(&path).expect("a log");
        let index = fs::read(dir.path().join(INDEX)).expect("an index");
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let changes = [
            whole.replace("\"plies\":2", "\"plies\":3"),
            whole.replacen("\"plies\":2", "\"plies\":7", 1),
            whole[..whole.len() - 9].to_owned(),
            lines[..3].concat(),
            [lines[0], lines[2], lines[1], lines[3], lines[4]].concat(),
            [lines[0], lines[1], "garbage\n", lines[2], lines[3], lines[4]].concat(),
            whole.clone() + lines[4],
            whole.replacen("\"created\":0", "\"created\":1", 1),
            whole.replacen("[{\"name\":\"ant\"", "[{\"name\":\"cat\"", 1),
        ];
        for (number, changed) in changes.iter().enumerate() {
            assert_ne!(*changed, whole, "{number}");
            fs::write(&path, changed).expect("written");
            fs::write(dir.path().join(INDEX), &index).expect("written");
            assert_eq!(format!("{:?}", scan(dir.path())), plainly(dir.path()), "{number}");
            assert_eq!(format!("{:?}", scan(dir.path())), plainly(dir.path()), "{number}, again");
        }
    }
}
