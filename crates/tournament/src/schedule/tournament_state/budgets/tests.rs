use super::*;
use referee_protocol::ReportedCost;
use referee_record::model::record::examples::{game, header};
use referee_record::model::record::{GameRecord, Header};
use referee_record::model::seat_usage::UsageLimit;
use referee_record::model::stage::{Format, Stage};

/// A tournament of ant, bee and cat, in which ant may use 10 tokens.
fn state(stages: Vec<Stage>) -> TournamentState {
    let mut header = Header { stages, ..header(&["ant", "bee", "cat"]) };
    header.players[0].usage = UsageLimit { tokens: Some(10), cost: None };
    TournamentState::new(&header)
}

/// Marks a game as played in which ant, if it played, used so many tokens.
fn play(state: &mut TournamentState, index: usize, tokens: u64) {
    let fixture = state.fixture(index);
    let names = fixture.players.two().map(|player| state.name(player).to_owned());
    let mut record = GameRecord {
        id: state.id(index),
        pair: fixture.pair,
        game: fixture.game,
        ..game(&names[0], &names[1], "white")
    };
    let usage = Usage { tokens, cost: ReportedCost::from_units(0.5).expect("a cost") };
    if let Some(seat) = fixture.seat_of(0) {
        record.usage.add(&record.players.names[seat], usage);
    }
    state.add(&record).expect("it belongs");
}

fn has_ant(state: &TournamentState, index: usize) -> bool {
    state.fixture(index).seat_of(0).is_some()
}

#[test]
fn the_games_of_a_player_wait_when_its_budget_is_used_up() {
    let mut state = state(vec![Stage::round_robin(2)]);
    let own: Vec<usize> = (0..state.len()).filter(|&index| has_ant(&state, index)).collect();
    play(&mut state, own[0], 6);
    assert_eq!(
        (state.next_due_in_budget(own[1]), state.games_awaiting_budget().count()),
        (Some(own[1]), 0)
    );
    play(&mut state, own[1], 4);
    assert_eq!(state.players_over_budget().collect::<Vec<_>>(), [0]);
    assert_eq!(state.describe_spent_budget(0).as_deref(), Some("tokens: 10 of 10"));
    assert_eq!(
        state.budget_spent(0),
        Usage { tokens: 10, cost: ReportedCost::from_units(1.0).expect("a cost") }
    );
    assert_eq!(
        (state.games_awaiting_budget().count(), state.count_due()),
        (own.len() - 2, state.len() - 2)
    );
    while let Some(index) = state.next_due_in_budget(0) {
        assert!(!has_ant(&state, index));
        play(&mut state, index, 0);
    }
    assert_eq!(
        (state.games_awaiting_budget().count(), state.count_due()),
        (own.len() - 2, own.len() - 2)
    );
}

#[test]
fn a_higher_limit_lets_the_same_games_begin() {
    let mut before = state(vec![Stage::round_robin(1)]);
    let first = (0..before.len()).find(|&index| has_ant(&before, index)).expect("a game");
    play(&mut before, first, 12);
    let waiting = before.games_awaiting_budget().count();
    let mut header = before.header().clone();
    header.players[0].usage.tokens = Some(13);
    let mut after = TournamentState::new(&header);
    play(&mut after, first, 12);
    assert_eq!(
        (waiting, after.games_awaiting_budget().count(), after.describe_spent_budget(0)),
        (3, 0, None)
    );
}

#[test]
fn in_a_league_the_player_rests() {
    let mut state = state(vec![Stage { format: Format::League, pairs: 1, players: None }]);
    while state.budget_spent(0).is_zero() {
        state.choose_league_deal();
        let index = state.next_due_in_budget(0).expect("a game");
        play(&mut state, index, 10);
    }
    assert!(state.is_budget_used_up(0) && state.is_taking_part(0));
    state.rest_league_player(0);
    assert!(!state.is_taking_part(0) && state.is_taking_part(1));
    for _ in 0..5 {
        state.choose_league_deal();
        let index = state.next_due_in_budget(0).expect("a game of the others");
        assert!(!has_ant(&state, index));
        play(&mut state, index, 0);
    }
    assert_eq!(state.games_awaiting_budget().count(), 0);
}
