use super::*;
use crate::schedule::tournament_state::TournamentState;
use referee_games::Seat;
use referee_record::log::{GameFront, GameLineNames, LinePlace, LogWriter};
use referee_record::model::record::Header;
use referee_record::model::record::examples::{game, header};
use referee_record::model::stage::Stage;

const NAMES: [&str; 3] = ["ant", "bee", "cat"];

fn tournament() -> Header {
    Header { stages: vec![Stage::round_robin(2)], ..header(&NAMES) }
}

/// All games of the tournament, in the order of its schedule.
fn games() -> Vec<GameRecord> {
    let state = TournamentState::new(&tournament());
    let record = |index: usize| {
        let fixture = state.fixture(index);
        let [first, second] =
            [Seat::FIRST, Seat::SECOND].map(|seat| state.name(fixture.players.at(seat)));
        let plain = game(first, second, "white");
        GameRecord { id: state.id(index), pair: fixture.pair, game: fixture.game, ..plain }
    };
    (0..state.len()).map(record).collect()
}

/// The published form of a log with these games.
fn published(records: &[GameRecord]) -> Vec<(String, String, u32, u8)> {
    let dir = tempfile::tempdir().expect("a folder");
    let mut log = LogWriter::create(dir.path(), &tournament()).expect("created");
    records.iter().try_for_each(|record| log.append(record)).expect("appended");
    let (published, _) = PublishedGames::read(dir.path()).expect("a log");
    let mut seen = Vec::new();
    let each = |game: &LoggedGame| {
        let record = &game.record;
        assert!(game.counts && !game.in_check);
        let [first, second] = [Seat::FIRST, Seat::SECOND]
            .map(|seat| published.names.shown_name(&record.players[seat]));
        seen.push((first.to_owned(), second.to_owned(), record.pair, record.game));
        Ok::<(), PassError>(())
    };
    published.each_game(dir.path(), each).expect("a log");
    seen
}

#[test]
fn the_order_of_the_log_is_not_published() {
    let mut records = games();
    let in_order = published(&records);
    assert_eq!(in_order.len(), 12);
    records.reverse();
    assert_eq!(published(&records), in_order);
    records.rotate_left(5);
    assert_eq!(published(&records), in_order);
}

#[test]
fn pairs_are_counted_by_what_was_played_of_two_players() {
    let later: Vec<GameRecord> = games().into_iter().filter(|game| game.pair > 1).collect();
    let seen = published(&later);
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().all(|(.., pair, _)| *pair == 1), "{seen:?}");
}

#[test]
fn the_first_game_of_a_pair_is_the_one_with_the_lower_pseudonym_first() {
    for (first, second, _, number) in published(&games()) {
        assert_eq!(number, if first < second { 1 } else { 2 }, "{first} – {second}");
    }
}

#[test]
fn a_player_without_a_pseudonym_is_not_published() {
    let names = GameLineNames::of(&tournament());
    let front = GameFront::of(&games()[0]);
    let line = names.line(&front, LinePlace::default()).expect("a game");
    assert!(published_place(&[Some(3), Some(1), Some(2)], &line).is_some());
    assert!(published_place(&[None, None, None], &line).is_none());
    assert!(published_place(&[], &line).is_none());
}
