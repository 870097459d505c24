use std::fs;

use super::*;
use crate::log::{LOG, LogWriter};
use crate::model::fault::FaultCode;
use crate::model::record::GameRecord;
use crate::model::record::examples::{faulty, game, header};
use crate::seeds::derive_game_id;

/// The lines of the log in `dir`, as a scan sees them, and whether a torn line follows.
fn scan(dir: &Path) -> (Vec<ScannedLine>, bool) {
    let mut scan = LogScan::open(dir).expect("a log");
    let mut lines = Vec::new();
    while let Some(line) = scan.next_line().expect("readable") {
        lines.push(line);
    }
    (lines, scan.torn())
}

/// The same by parsing every line whole.
fn wholly(dir: &Path) -> (Vec<ScannedLine>, bool) {
    let mut log = LogReader::open(dir).expect("a log");
    let names = GameLineNames::of(log.header());
    let mut lines = Vec::new();
    while let Some(line) = log.next_line().expect("readable") {
        lines.push(ScannedLine::from_line(line, &names));
    }
    (lines, log.torn())
}

/// A game with the id that belongs to it.
fn named(pair: u32, record: GameRecord) -> GameRecord {
    GameRecord { id: derive_game_id(&["ant", "bee"], pair, 1), pair, ..record }
}

/// A log with games of every kind.
fn log(dir: &Path) {
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
}

#[test]
fn the_front_of_a_line_says_what_the_whole_line_says() {
    let dir = tempfile::tempdir().expect("a folder");
    log(dir.path());
    let (lines, torn) = scan(dir.path());
    assert_eq!(format!("{:?}", (&lines, torn)), format!("{:?}", wholly(dir.path())));
    let games = lines.iter().filter(|line| matches!(line, ScannedLine::Game(_))).count();
    assert_eq!((lines.len(), games), (4, 3));
}

#[test]
fn changed_logs_read_as_if_parsed_whole() {
    let dir = tempfile::tempdir().expect("a folder");
    log(dir.path());
    let path = dir.path().join(LOG);
    let whole = fs::read_to_string(&path).expect("a log");
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let changes = [
        whole.replace("\"plies\":2", "\"plies\":3"),
        // After the front fields, which makes it no record.
        whole.replacen("\"rolls\":", "\"rolls\":7", 1),
        whole.replacen("\"actions\":", "\"result\":\"black\",\"actions\":", 1),
        whole.replacen("{\"fingerprint\":\"", "{\"fingerprint\":\"x", 1),
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
        let (found, expected) = (scan(dir.path()), wholly(dir.path()));
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{number}");
    }
}
