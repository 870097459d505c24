use std::time::Instant;

use super::*;
use crate::run::deadline::DeadlineTime;
use referee_games::Seat;
use referee_record::model::record::GameRecord;
use referee_record::model::record::examples::{game, header};

const NAMES: [&str; 3] = ["ant", "bee", "cat"];

fn state() -> TournamentState {
    TournamentState::new(&header(&NAMES))
}

/// Marks a game as played.
fn play(state: &mut TournamentState, index: usize) {
    let fixture = state.fixture(index);
    let [first, second] =
        [Seat::FIRST, Seat::SECOND].map(|seat| state.name(fixture.players.at(seat)).to_owned());
    let plain = game(&first, &second, "white");
    let record =
        GameRecord { id: state.id(index), pair: fixture.pair, game: fixture.game, ..plain };
    state.add(&record).expect("it belongs");
}

/// The next jobs, until none is left for now.
fn next(agenda: &mut Agenda, state: &mut TournamentState) -> Vec<String> {
    std::iter::from_fn(|| Some(agenda.next_job(state)?.describe(state))).collect()
}

#[test]
fn every_player_is_started_before_the_first_game() {
    let mut state = state();
    let mut agenda = Agenda::new(&state, None, false);
    assert_eq!(next(&mut agenda, &mut state), NAMES.map(|name| format!("the start of {name}")));
    agenda.note_probe_done();
    agenda.note_probe_done();
    assert!(!agenda.may_play());
    assert_eq!(next(&mut agenda, &mut state), [""; 0], "one has not started yet");
    agenda.note_probe_done();
    let games = next(&mut agenda, &mut state);
    assert_eq!(games.len(), 6);
    let in_order = games.iter().zip(0..).all(|(game, at)| game.contains(&state.id(at)));
    assert!(in_order, "in the order of the schedule: {games:?}");
}

#[test]
fn only_players_with_games_left_are_started() {
    let mut state = state();
    let with_cat = |state: &TournamentState, index: usize| {
        let players = state.fixture(index).players;
        players.players().any(|player| player == 2)
    };
    for index in 0..state.len() {
        if with_cat(&state, index) {
            play(&mut state, index);
        }
    }
    let mut agenda = Agenda::new(&state, None, false);
    assert_eq!(next(&mut agenda, &mut state), ["the start of ant", "the start of bee"]);
    for index in 0..state.len() {
        if !with_cat(&state, index) {
            play(&mut state, index);
        }
    }
    let mut agenda = Agenda::new(&state, None, false);
    assert!(agenda.may_play() && agenda.next_job(&mut state).is_none());
}

#[test]
fn a_job_that_was_put_back_comes_first() {
    let mut state = state();
    let mut agenda = Agenda::new(&state, None, false);
    for _ in NAMES {
        agenda.next_job(&mut state).expect("a start");
        agenda.note_probe_done();
    }
    let first = agenda.next_job(&mut state).expect("a game");
    let expected = first.describe(&state);
    agenda.next_job(&mut state).expect("another game");
    agenda.put_back(AgendaJob { failed: true, ..first });
    let again = agenda.next_job(&mut state).expect("the first game");
    assert_eq!((again.describe(&state), again.failed), (expected, true));
}

#[test]
fn nothing_starts_after_the_end_time_not_even_what_was_put_back() {
    let mut state = state();
    let soon = DeadlineTime::After(Instant::now() + Duration::from_secs(20));
    let mut agenda = Agenda::new(&state, Some(RunDeadline::new(soon)), false);
    for _ in NAMES {
        agenda.next_job(&mut state).expect("a start");
        agenda.note_probe_done();
    }
    let game = agenda.next_job(&mut state).expect("there is time");
    agenda.put_back(game);
    // It counts for 30 seconds in a run that has just begun.
    agenda.note_game_time(Duration::from_secs(3600));
    assert!(agenda.next_job(&mut state).is_none() && agenda.is_time_up);

    let over = RunDeadline::new(DeadlineTime::After(Instant::now()));
    let mut agenda = Agenda::new(&state, Some(over), false);
    assert!(
        agenda.next_job(&mut state).is_none() && agenda.is_time_up,
        "no player is started either"
    );
}
