use super::*;
use crate::model::record::GameRecord;
use crate::model::record::examples::{game, header};

fn names() -> GameLineNames {
    GameLineNames::of(&header(&["ant", "bee"]))
}

/// A game of the tournament, with the id that belongs to it.
fn record(first: &str, second: &str, result: &str) -> GameRecord {
    GameRecord { id: derive_game_id(&[first, second], 1, 1), ..game(first, second, result) }
}

fn line(record: &GameRecord) -> Option<GameLine> {
    names().line(&GameFront::of(record), LinePlace::default())
}

#[test]
fn a_line_says_what_results_need() {
    let record = record("bee", "ant", "black");
    let line = line(&record).expect("a game of the tournament");
    assert_eq!(line.fixture, Fixture { players: [1, 0].into(), pair: 1, game: 1 });
    assert_eq!((line.id(), line.plies), (record.id.clone(), 2));
    assert_eq!((line.winner(), line.reason.as_str()), (Some(Seat::SECOND), "elimination"));
    let names = names();
    assert_eq!(names.player(&line, Seat::FIRST), "bee");
    assert_eq!((names.result(&line), names.winner(&line)), ("black", Some("ant")));
    assert_eq!(line.used_ms, BySeat::from([2, 0]), "2.1 ms and 0.999999 ms, rounded down");
}

#[test]
fn a_draw_has_no_winner() {
    let line = line(&record("ant", "bee", "draw")).expect("a game of the tournament");
    let names = names();
    assert_eq!((line.winner(), names.winner(&line), names.result(&line)), (None, None, "draw"));
}

#[test]
fn a_record_that_cannot_belong_to_the_tournament_is_no_game_of_it() {
    let fine = record("ant", "bee", "white");
    assert!(line(&fine).is_some());
    for foreign in [
        record("ant", "cat", "white"),
        game("ant", "bee", "white"),
        GameRecord { pair: 2, ..fine.clone() },
        GameRecord { game: 2, ..fine.clone() },
        GameRecord { result: "red".to_owned(), ..fine.clone() },
        GameRecord { id: fine.id.to_uppercase() + "0", ..fine.clone() },
    ] {
        assert_eq!(line(&foreign), None, "{}", foreign.id);
    }
}

#[test]
fn times_that_are_too_long_are_capped() {
    let mut record = record("ant", "bee", "white");
    record.clock.used_ns.values[Seat::FIRST] = vec![u64::MAX, u64::MAX];
    let line = line(&record).expect("a game of the tournament");
    assert_eq!(line.used_ms[Seat::FIRST], u64::MAX / 1_000_000);
}
