use super::*;
use crate::log::{LOG, LogReader, seal_log_line};
use crate::model::record::examples::{faulty, game, header};

fn line(record: &GameRecord) -> Vec<u8> {
    seal_log_line(&StoredGame::new(record), "one").expect("JSON")
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
fn nothing_else_behind_the_front_is_read() {
    let line = line(&examples()[0]);
    let at = memchr::memmem::find(&line, REST).expect("the rest");
    let cut = [&line[..at + REST.len()], b"garbage"].concat();
    assert_eq!(GameFront::read(&cut), Some(GameFront::of(&examples()[0])));
    for length in 0..at {
        assert_eq!(GameFront::read(&line[..length]), None, "{length}");
    }
}

#[test]
fn final_scores_of_two_seats_are_found_behind_the_front() {
    let plain = game("ant", "bee", "white");
    // A text that looks like them.
    let rolls = vec![",\"final_scores\":{\"white\":1,\"black\":2}".to_owned()];
    let values = [41.into(), Number::from_f64(40.5).expect("finite")];
    let final_scores = Some(SeatMap::new(plain.players.names.clone(), BySeat::from(values)));
    let scored = GameRecord { final_scores, rolls: rolls.clone(), ..plain.clone() };
    let front = GameFront::read(&line(&scored)).expect("a front");
    assert_eq!(front, GameFront::of(&scored));
    assert_eq!(
        front.points().map(|points| points.map_seats(|seat| points[seat].to_string())),
        Some(["41".to_owned(), "40.5".to_owned()].into())
    );
    let text = String::from_utf8(line(&scored)).expect("UTF-8");
    assert!(!text.contains("\"points\""), "logs of two seats stay as they are: {text}");
    let without = GameRecord { rolls, ..plain };
    assert_eq!(GameFront::read(&line(&without)).expect("a front").points(), None);
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
    let mut log = seal_log_line(&header(&["ant", "bee"]), "one").expect("JSON");
    let old = seal_log_line(&old, "one").expect("JSON");
    assert_eq!(GameFront::read(&old), None);
    log.extend(old);
    std::fs::write(dir.path().join(LOG), log).expect("written");
    let read = LogReader::open(dir.path()).and_then(|mut log| log.next_record());
    assert_eq!(read.expect("readable").expect("a game"), record);
}
