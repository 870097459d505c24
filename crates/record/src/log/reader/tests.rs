use std::fs;

use super::*;
use crate::log::random_access::RandomAccessLog;
use crate::log::{LogWriter, write_log_header};
use crate::model::clock;
use crate::model::opening_source::Openings;
use crate::model::record::examples::{game, header, program};
use crate::model::record::{Anchor, FaultPolicy};
use crate::model::stage::Format;

/// Why a log with this text cannot be opened.
fn refused(text: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join(LOG), text).expect("written");
    LogReader::open(dir.path()).expect_err("refused").to_string()
}

#[test]
fn a_log_of_another_format_names_the_version_that_reads_it() {
    let said = refused("{\"schema\":\"referee-log-9\",\"version\":\"7.3\"}\n");
    let expected = format!(
        "the log has the format referee-log-9, but this referee reads {SCHEMA}: read it with the \
         build of referee 7.3 that wrote it, or play the tournament again in another folder"
    );
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn a_file_that_is_not_a_log_is_refused() {
    for text in ["hello\n", "{}\n", "[]\n", "\n"] {
        let said = refused(text);
        assert!(said.contains("not a header"), "{text}: {said}");
    }
    let half = format!("{{\"schema\":\"{SCHEMA}\",\"version\":\"0\"}}\n");
    let said = refused(&half);
    assert!(said.contains(&format!("not a header of the format {SCHEMA}")), "{said}");
}

#[test]
fn empty_lines_take_no_more_memory_at_once_than_others() {
    let dir = tempfile::tempdir().expect("a folder");
    drop(LogWriter::create(dir.path(), &header(&["ant", "bee"])).expect("created"));
    let path = dir.path().join(LOG);
    let text = fs::read_to_string(&path).expect("a log") + &"\n".repeat(5000);
    fs::write(&path, text).expect("written");
    let mut log = LogReader::open(dir.path()).expect("a log");
    let mut lines = 0;
    loop {
        let batch = log.next_batch().expect("readable");
        if batch.is_empty() {
            break;
        }
        let taken: usize = batch.iter().map(|line| line.bytes.capacity()).sum();
        assert!(taken <= BATCH + TYPICAL_LINE, "{taken}");
        lines += batch.len();
    }
    assert_eq!(lines, 5000);
}

fn listed(meeting: &[&str]) -> Format {
    let meeting = meeting.iter().map(|&name| name.to_owned()).collect();
    Format::Listed { meetings: vec![meeting], late: 0 }
}

#[test]
fn a_header_with_values_that_no_configuration_allows_is_refused() {
    type Change = fn(&mut Header);
    let changes: [(Change, &str); 18] = [
        (
            |header| header.stages[0].pairs = 0,
            r#"invalid stage in the log header: {"format":"round-robin","pairs":0}"#,
        ),
        (
            |header| header.stages[0].pairs = u32::MAX,
            r#"invalid stage in the log header: {"format":"round-robin","pairs":4294967295}"#,
        ),
        (|header| header.created = u64::MAX, "after the year 9999"),
        (|header| header.program = Some(program(&[])), "the command of the rules program is empty"),
        (|header| header.stages[0].format = Format::Swiss { rounds: 1001 }, "invalid stage"),
        (|header| header.stages[0].format = Format::Knockout { tie_breaks: 101 }, "invalid stage"),
        (
            |header| header.stages[0].format = Format::Ladder { games: 2, margin: Some(0) },
            "invalid stage",
        ),
        (|header| header.stages[0].format = listed(&["ant"]), "does not name 2 different"),
        (|header| header.stages[0].format = listed(&["ant", "ant"]), "does not name 2 different"),
        (|header| header.stages[0].format = listed(&["ant", "cat"]), "does not name 2 different"),
        (|header| header.clock.per_move = Some(2 * clock::LONGEST), "longer than a day"),
        (|header| header.containment.limits.sandbox.processes = u64::MAX, "a resource limit"),
        (|header| header.fault_policy = FaultPolicy::Retry(0), "1 to 10 retries"),
        (|header| header.openings = Some(Openings::Random { plies: 101 }), "1 to 100 plies"),
        (|header| header.openings = Some(Openings::Listed(Vec::new())), "1 to 100 plies"),
        (|header| header.players[0].name = "a\u{7}".to_owned(), "a control character"),
        (|header| header.players[0].name = "bee".to_owned(), "two players have the name bee"),
        (
            |header| header.anchors.push(Anchor { player: "cat".to_owned(), rating: 0.0 }),
            "\"cat\" has a fixed rating, but is not one of the players",
        ),
    ];
    for (change, why) in changes {
        let mut edited = header(&["ant", "bee"]);
        change(&mut edited);
        let mut line = Vec::new();
        write_log_header(&mut line, &edited).expect("memory");
        let said = refused(&String::from_utf8(line).expect("UTF-8"));
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_torn_line_longer_than_any_record_is_torn_from_its_beginning() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut line = Vec::new();
    write_log_header(&mut line, &header(&["ant", "bee"])).expect("memory");
    let whole = line.len() as u64;
    for torn in [LONGEST, LONGEST + 5] {
        fs::write(dir.path().join(LOG), &line).expect("written");
        let log = File::options().write(true).open(dir.path().join(LOG)).expect("a log");
        log.set_len(whole + torn).expect("room");
        let mut reader = LogReader::open(dir.path()).expect("a log");
        while reader.next_line().expect("readable").is_some() {}
        assert!(reader.torn());
        assert_eq!(reader.whole(), whole);
    }
}

#[test]
fn a_header_that_was_edited_is_read_and_noticed() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut line = Vec::new();
    write_log_header(&mut line, &header(&["ant"])).expect("memory");
    fs::write(dir.path().join(LOG), &line).expect("written");
    let reader = LogReader::open(dir.path()).expect("a log");
    assert!(reader.header_intact());
    assert_eq!(reader.header_line(), line);
    let text = String::from_utf8(line).expect("UTF-8").replace("\"ant\"", "\"bee\"");
    fs::write(dir.path().join(LOG), text).expect("written");
    let reader = LogReader::open(dir.path()).expect("a log");
    assert!(!reader.header_intact());
    assert_eq!(reader.header().players[0].name, "bee");
}

#[test]
fn every_line_says_where_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let games = [game("ant", "bee", "white"), game("bee", "ant", "draw")];
    let mut log = LogWriter::create(dir.path(), &header(&["ant", "bee"])).expect("created");
    games.iter().try_for_each(|game| log.append(game)).expect("appended");
    let text = fs::read(dir.path().join(LOG)).expect("a log");
    let mut reader = LogReader::open(dir.path()).expect("a log");
    let mut places = RandomAccessLog::open(dir.path()).expect("a log");
    for (number, game) in (2..).zip(games) {
        let line = reader.next_line().expect("readable").expect("a line");
        let at = usize::try_from(line.at).expect("a small file");
        assert_eq!((line.number, &text[at..at + line.raw.len()]), (number, &line.raw[..]));
        assert_eq!(places.record(line.at).expect("a record"), game);
        assert!(line.record.is_ok() && line.intact, "line {number}");
    }
    assert_eq!(reader.whole(), text.len() as u64);
    let within = places.record(5).expect_err("no line begins there").to_string();
    assert!(within.starts_with("the game at byte 5: "), "{within}");
}

#[test]
fn an_error_names_its_line_if_it_has_one() {
    let incomplete = LogError::header(LogProblem::HeaderIncomplete);
    assert_eq!(incomplete.to_string(), "line 1: the header is not complete");
    let unread = LogError::whole(LogProblem::Read(io::Error::other("no disk")));
    assert_eq!(unread.to_string(), "no disk");
}
