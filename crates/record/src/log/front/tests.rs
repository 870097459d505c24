use super::*;
use crate::log::{LOG, LogReader, seal};
use crate::model::record::examples::{faulty, game, header};

fn line(record: &GameRecord) -> Vec<u8> {
    seal(&StoredGame::new(record), "one").expect("JSON")
}

fn examples() -> [GameRecord; 3] {
    let both = [("white", FaultCode::Crash), ("black", FaultCode::Containment)];
    let won = game("ant", "bee", "white");
    [
        faulty(game("bee", "ant", "draw"), &both),
        GameRecord { actions: Vec::new(), ..won.clone() },
        // A name that looks like the rest of a line.
        GameRecord { reason: ",\"seed\":{".to_owned(), ..won },
    ]
}

#[test]
fn the_front_of_a_line_is_that_of_its_record() {
    for record in examples() {
        let line = line(&record);
        assert_eq!(GameFront::read(&line), Some(GameFront::of(&record)), "{record:?}");
        let whole: GameRecord = serde_json::from_slice(&line).expect("a record");
        assert_eq!(whole, record);
    }
}

#[test]
fn nothing_behind_the_front_is_read() {
    let line = line(&examples()[0]);
    let at = memchr::memmem::find(&line, REST).expect("the rest");
    let cut = [&line[..at + REST.len()], b"garbage"].concat();
    assert_eq!(GameFront::read(&cut), Some(GameFront::of(&examples()[0])));
    for length in 0..at {
        assert_eq!(GameFront::read(&line[..length]), None, "{length}");
    }
}

#[test]
fn lines_of_older_logs_are_read_whole() {
    let record = game("ant", "bee", "white");
    let old = serde_json::json!({
        "id": record.id, "pair": record.pair, "game": record.game, "players": record.players,
        "seed": record.seed, "rolls": record.rolls, "opening": record.opening,
        "actions": record.actions, "clock": record.clock, "result": record.result,
        "reason": record.reason, "fault": null, "scores": record.scores, "plies": record.plies,
    });
    let dir = tempfile::tempdir().expect("a folder");
    let mut log = seal(&header(&["ant", "bee"]), "one").expect("JSON");
    let old = seal(&old, "one").expect("JSON");
    assert_eq!(GameFront::read(&old), None);
    log.extend(old);
    std::fs::write(dir.path().join(LOG), log).expect("written");
    let read = LogReader::open(dir.path()).and_then(|mut log| log.next_record());
    assert_eq!(read.expect("readable").expect("a game"), record);
}
