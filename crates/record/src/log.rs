//! The append-only log, `games.jsonl`: a header line, then one line per game.
//!
//! A game is done when its line is in the log. A torn last line is dropped and that game played
//! again. Only resuming with a changed configuration, or an explicit repair, rewrites the file, as
//! a whole and in one step.

mod background_sync;
mod error;
mod front;
mod game_line;
pub mod random_access;
mod reader;
mod removed_lines;
mod scan;
mod writer;

use std::io;

use serde::Serialize;

pub use self::error::{InvalidLine, LogError, LogProblem};
pub use self::front::GameFront;
pub use self::game_line::{GameLine, GameLineNames, LinePlace};
pub use self::reader::{LogLine, LogReader, RawLogLine};
pub use self::removed_lines::keep_removed_lines;
pub use self::scan::{LogScan, ScannedLine};
pub use self::writer::{LogWriter, WriteError, write_log_header, write_log_record};
pub use crate::disk::{LOG, write_atomically};

/// The file that keeps the games of replaced players.
pub const SUPERSEDED: &str = "superseded.jsonl";

/// A line that is longer than this many bytes has to move in memory while it is written.
const TYPICAL_LINE: usize = 4096;

const CHECK: &str = ",\"check\":\"";
const CHECK_DIGITS: usize = 16;

/// A line with its checksum: the last field is a hash of everything before it and of the
/// tournament's identity.
fn seal_log_line(value: &impl Serialize, identity: &str) -> io::Result<Vec<u8>> {
    let mut line = Vec::with_capacity(TYPICAL_LINE);
    serde_json::to_writer(&mut line, value)?;
    line.pop();
    line.extend_from_slice(log_line_seal(&line, identity).as_bytes());
    Ok(line)
}

/// The end of a line with this beginning.
fn log_line_seal(body: &[u8], identity: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("referee 2026 log line");
    hasher.update(&(identity.len() as u64).to_le_bytes());
    hasher.update(identity.as_bytes());
    hasher.update(body);
    let hash = &hasher.finalize().to_hex()[..CHECK_DIGITS];
    format!("{CHECK}{hash}\"}}\n")
}

/// Whether a line is as the referee wrote it.
fn is_sealed_log_line(raw: &[u8], identity: &str) -> bool {
    let tail = CHECK.len() + CHECK_DIGITS + 3;
    let parts = raw.len().checked_sub(tail).map(|at| raw.split_at(at));
    parts.is_some_and(|(body, seal)| seal == log_line_seal(body, identity).as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::disk;
    use crate::model::record::examples::{self, game};
    use crate::model::record::{GameRecord, Header};

    fn header(identity: &str) -> Header {
        Header { identity: identity.to_owned(), ..examples::header(&["ant", "bee"]) }
    }

    fn log_in(dir: &Path) -> Vec<u8> {
        fs::read(dir.join(LOG)).expect("a log")
    }

    /// All records of a log, and whether a torn line follows.
    fn records(dir: &Path) -> (Vec<GameRecord>, bool) {
        let mut reader = LogReader::open(dir).expect("a log");
        let mut found = Vec::new();
        while let Some(line) = reader.next_line().expect("readable") {
            if let Ok(record) = line.record {
                assert!(line.intact, "line {}", line.number);
                found.push(record);
            }
        }
        (found, reader.torn())
    }

    /// A log of two games, and its length.
    fn two_games(dir: &Path) -> (LogWriter, [GameRecord; 2]) {
        let mut log = LogWriter::create(dir, &header("one")).expect("created");
        let games = [game("ant", "bee", "white"), game("bee", "ant", "draw")];
        for game in &games {
            log.append(game).expect("appended");
        }
        (log, games)
    }

    #[test]
    fn appended_records_are_read_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let (mut log, games) = two_games(dir.path());
        log.finish().expect("synced");
        assert_eq!(records(dir.path()), (games.to_vec(), false));
        let reader = LogReader::open(dir.path()).expect("a log");
        assert!(reader.header_intact());
        assert_eq!(*reader.header(), header("one"));
    }

    #[test]
    fn an_existing_log_is_not_overwritten() {
        let dir = tempfile::tempdir().expect("a folder");
        drop(two_games(dir.path()));
        let before = log_in(dir.path());
        let refused = LogWriter::create(dir.path(), &header("two")).expect_err("there is one");
        let WriteError::Failed { source, .. } = refused else { panic!("{refused}") };
        assert_eq!(source.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(log_in(dir.path()), before);
    }

    #[test]
    fn a_log_continues_after_a_torn_line_of_any_length() {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, [first, second]) = two_games(dir.path());
        let whole = log_in(dir.path());
        let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n');
        let last = last.expect("three lines") + 1;
        for cut in last + 1..whole.len() {
            fs::write(dir.path().join(LOG), &whole[..cut]).expect("written");
            let mut reader = LogReader::open(dir.path()).expect("a log");
            while reader.next_record().expect("readable").is_some() {}
            assert_eq!((reader.torn(), reader.whole()), (true, last as u64));
            let mut log = LogWriter::open_locked(dir.path()).expect("opened");
            log.continue_at(&header("one"), reader.whole()).expect("cut");
            log.append(&second).expect("appended");
            assert_eq!(log_in(dir.path()), whole);
        }
        assert_eq!(records(dir.path()), (vec![first, second], false));
    }

    #[test]
    fn the_writer_refuses_a_log_that_was_moved_or_replaced() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(LOG);
        let aside = dir.path().join("aside");
        let harms: [&dyn Fn(); 3] = [
            &|| fs::rename(&path, &aside).expect("moved"),
            &|| fs::remove_file(&path).expect("removed"),
            &|| {
                fs::copy(&path, &aside).expect("copied");
                fs::rename(&aside, &path).expect("replaced");
            },
        ];
        for harm in harms {
            disk::remove_if_there(&path).expect("a fresh start");
            let (mut log, games) = two_games(dir.path());
            harm();
            let left = fs::read(&path).ok();
            let refused = log.append(&games[0]).expect_err("it is another file");
            assert!(matches!(refused, WriteError::Moved(_)), "{refused}");
            assert!(matches!(log.finish(), Err(WriteError::Moved(_))), "nor is it finished");
            assert_eq!(fs::read(&path).ok(), left);
        }
    }

    #[test]
    fn the_writer_refuses_a_log_of_unexpected_length() {
        let dir = tempfile::tempdir().expect("a folder");
        let (mut log, games) = two_games(dir.path());
        let whole = log_in(dir.path());
        for changed in [&whole[..whole.len() / 2], &[&whole[..], b"more\n"].concat()] {
            fs::write(dir.path().join(LOG), changed).expect("written");
            let refused = log.append(&games[0]).expect_err("it was changed");
            assert!(matches!(refused, WriteError::Changed { .. }), "{refused}");
            assert!(matches!(log.finish(), Err(WriteError::Changed { .. })));
            assert_eq!(log_in(dir.path()), changed);
        }
        fs::write(dir.path().join(LOG), whole).expect("written");
        log.append(&games[0]).expect("it is as it was");
    }

    #[test]
    fn logs_are_replaced_atomically() {
        let dir = tempfile::tempdir().expect("a folder");
        let (mut log, [game, _]) = two_games(dir.path());
        let before = log_in(dir.path());
        log.replace(&header("two"), |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("full"))
        })
        .expect_err("it failed half way");
        assert_eq!(log_in(dir.path()), before);
        let files = fs::read_dir(dir.path()).expect("a folder").count();
        assert_eq!(files, 1, "nothing else is left");
        log.replace(&header("two"), |out| write_log_header(out, &header("two"))).expect("replaced");
        assert_eq!(records(dir.path()), (Vec::new(), false));
        assert_eq!(LogReader::open(dir.path()).expect("a log").header().identity, "two");
        log.append(&game).expect("it goes on in the new one");
        assert_eq!(records(dir.path()), (vec![game], false));
    }

    #[test]
    fn bad_lines_are_reported_and_skipped() {
        let dir = tempfile::tempdir().expect("a folder");
        let (_, [first, second]) = two_games(dir.path());
        let text = String::from_utf8(log_in(dir.path())).expect("UTF-8");
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        lines.insert(2, "garbage\n");
        fs::write(dir.path().join(LOG), lines.concat()).expect("written");
        let mut reader = LogReader::open(dir.path()).expect("a log");
        let mut next = || reader.next_line().expect("readable");
        assert_eq!(next().and_then(|line| line.record.ok()), Some(first.clone()));
        let bad = next().expect("a line");
        assert_eq!((bad.number, bad.record.is_err(), bad.intact), (3, true, false));
        assert_eq!(bad.raw, b"garbage\n");
        let good = next().expect("a line");
        assert_eq!((good.number, good.record.ok()), (4, Some(second.clone())));
        assert!(next().is_none());
        assert_eq!(records(dir.path()), (vec![first, second], false));
    }

    #[test]
    fn a_seal_is_bound_to_the_tournament() {
        let line = seal_log_line(&game("ant", "bee", "white"), "one").expect("JSON");
        assert!(is_sealed_log_line(&line, "one"));
        assert!(!is_sealed_log_line(&line, "two"));
        assert!(!is_sealed_log_line(b"", "one") && !is_sealed_log_line(b"\n", "one"));
    }

    proptest! {
        #[test]
        fn no_byte_of_a_sealed_line_can_be_changed(at in any::<prop::sample::Index>(), by in 1_u8..) {
            let mut line = seal_log_line(&game("ant", "bee", "white"), "one").expect("JSON");
            let at = at.index(line.len());
            line[at] ^= by;
            prop_assert!(!is_sealed_log_line(&line, "one"));
        }
    }
}
