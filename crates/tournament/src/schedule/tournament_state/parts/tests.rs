use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use referee_games::Places;
use referee_record::model::fault::FaultCode;
use referee_record::model::fixture::Fixture;
use referee_record::model::record::examples::header;

/// A tournament of games of more than two seats in which everyone has some meetings.
#[derive(Debug, Clone)]
struct Cup {
    seats: usize,
    players: usize,
    meetings: usize,
    deals: u32,
    quarantine: u32,
    /// From which deal on each of the first players fails in all its games, by the deal's number.
    fails: Vec<u32>,
    /// The places in a queue of those games that are played at once, again and again.
    turns: Vec<usize>,
    is_checked: bool,
}

fn cup() -> impl Strategy<Value = Cup> {
    let number = prop::sample::select(vec![1, 2, 3, 100_001, 200_001]);
    let fails = prop::collection::vec(number, 0..4);
    let turns = prop::collection::vec(0_usize..4, 16);
    let shape = (3_usize..5, 0_usize..9, 2_usize..5, 1_u32..3, 1_u32..6);
    (shape, fails, turns, any::<bool>()).prop_map(|(shape, fails, turns, is_checked)| {
        let (seats, more, meetings, deals, quarantine) = shape;
        let players = seats + more;
        Cup { seats, players, meetings, deals, quarantine, fails, turns, is_checked }
    })
}

impl Cup {
    fn header(&self, late: usize) -> Header {
        let names: Vec<String> = (0..self.players).map(|player| format!("p{player}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let late = names[self.players - late..].iter().map(|&name| name.to_owned()).collect();
        let all = Format::PartialRoundRobin { opponents: self.meetings, late, corrected: vec![] };
        let formats = [Format::Check, all];
        let formats = formats.into_iter().skip(usize::from(!self.is_checked));
        let stage = |format| Stage { format, pairs: self.deals, players: None };
        Header {
            seats: (0..self.seats).map(|seat| format!("s{seat}")).collect(),
            quarantine: self.quarantine,
            stages: formats.map(stage).collect(),
            ..header(&names)
        }
    }

    fn game(&self, game: Fixture, replaced: &[usize]) -> GameSummary {
        let fails = |player: usize| {
            let from = self.fails.get(player).filter(|_| !replaced.contains(&player));
            from.is_some_and(|&from| from <= game.pair)
        };
        let failed = game.players.seats().filter(|&seat| fails(game.players.at(seat)));
        let faults = failed.map(|seat| (seat, FaultCode::Crash)).collect();
        GameSummary { faults, ..GameSummary::from_places(Places::level(self.seats)) }
    }

    /// Plays what is due, up to four games at once, and adds it to the log.
    fn play(&self, state: &mut TournamentState, log: &mut Vec<Fixture>, replaced: &[usize]) {
        let mut turns = self.turns.iter().cycle();
        for _ in 0..100_000 {
            let mut running: Vec<usize> = Vec::new();
            while let Some(index) = state.next_due(running.last().map_or(0, |last| last + 1))
                && running.len() < 4
            {
                running.push(index);
            }
            if running.is_empty() {
                return;
            }
            let index = running[turns.next().expect("a cycle") % running.len()];
            let fixture = state.fixture(index);
            state.add_fixture(fixture, self.game(fixture, replaced)).expect("it is due");
            log.push(fixture);
        }
        panic!("it does not end");
    }

    /// Reads a log again.
    fn read(&self, header: &Header, log: &[Fixture], replaced: &[usize]) -> TournamentState {
        let mut state = TournamentState::new(header);
        for &game in log {
            state.add_fixture(game, self.game(game, replaced)).expect("it belongs");
        }
        state
    }
}

/// Everyone who is left has enough deals, without a game that is played twice.
fn is_made_up(cup: &Cup, state: &TournamentState) -> Result<(), TestCaseError> {
    let ids: BTreeSet<String> = (0..state.len()).map(|index| state.id(index)).collect();
    prop_assert_eq!(ids.len(), state.len());
    let mut had: BTreeMap<usize, u32> = BTreeMap::new();
    for deal in (0..state.len()).step_by(cup.seats) {
        if !state.is_check(deal) && state.is_part_deal_complete(deal) {
            state.fixture(deal).players.players().for_each(|it| *had.entry(it).or_default() += 1);
        }
    }
    let there = state.remaining_for_section();
    let least = there.iter().map(|player| had.get(player).copied().unwrap_or(0)).min();
    let most = u32::try_from(cup.meetings).expect("few") * cup.deals;
    prop_assert!(there.len() < cup.seats || least >= Some(most), "{had:?} of {there:?}");
    Ok(())
}

/// The games that are due or done, and those that count.
fn shown(state: &TournamentState) -> Vec<(String, bool, bool)> {
    (0..state.len()).map(|it| (state.id(it), state.is_done(it), state.is_counted(it))).collect()
}

proptest! {
    #[test]
    fn whoever_stays_has_enough_deals_whoever_is_removed(cup in cup()) {
        let header = cup.header(0);
        let (mut state, mut log) = (TournamentState::new(&header), Vec::new());
        cup.play(&mut state, &mut log, &[]);
        is_made_up(&cup, &state)?;
        prop_assert_eq!(state.count_due(), 0);
        // Killed after any game, it goes on with the same ones.
        let middle = log.len() * 2 / 3;
        let mut again = cup.read(&header, &log[..middle], &[]);
        let mut rest = log[..middle].to_vec();
        cup.play(&mut again, &mut rest, &[]);
        let counts = |game: (String, bool, bool)| game.2.then_some(game.0);
        let counted = |state| shown(state).into_iter().filter_map(counts).collect::<Vec<_>>();
        prop_assert_eq!(counted(&again), counted(&state));
        prop_assert_eq!(shown(&cup.read(&header, &log, &[])), shown(&state));
    }

    #[test]
    fn listed_meetings_stay_when_a_removed_player_is_corrected(cup in cup()) {
        let cup = Cup { is_checked: false, ..cup };
        let mut header = cup.header(0);
        let (mut state, mut log) = (TournamentState::new(&header), Vec::new());
        cup.play(&mut state, &mut log, &[]);
        // Its games are set aside, and others have more deals than at the start.
        header.stages.extend(state.listed_part_stages());
        header.stages[0].pairs += 1;
        let cup = Cup { deals: cup.deals + 1, ..cup };
        log.retain(|game| game.seat_of(0).is_none());
        let mut state = cup.read(&header, &log, &[0]);
        cup.play(&mut state, &mut log, &[0]);
        is_made_up(&cup, &state)?;
        prop_assert_eq!(shown(&cup.read(&header, &log, &[0])), shown(&state));
    }

    #[test]
    fn a_player_that_is_disqualified_after_a_check_is_made_up_for(
        cup in cup(),
        begun in 0_usize..80,
        barred in 0_usize..3,
        has_final in any::<bool>(),
    ) {
        let cup = Cup { is_checked: true, ..cup };
        let mut header = cup.header(0);
        if has_final {
            header.stages.push(Stage { players: Some(cup.seats), ..Stage::round_robin(1) });
        }
        let (mut state, mut log) = (TournamentState::new(&header), Vec::new());
        cup.play(&mut state, &mut log, &[]);
        log.truncate(begun);
        let state = cup.read(&header, &log, &[]);
        header.stages.extend(state.listed_part_stages());
        header.players[barred].disqualified = Some("it copied".to_owned());
        header.players[barred].drawn_before =
            Some(u32::try_from(state.begun_sections()).expect("few"));
        let mut state = cup.read(&header, &log, &[]);
        let before = log.len();
        cup.play(&mut state, &mut log, &[]);
        if !has_final {
            is_made_up(&cup, &state)?;
        }
        for game in &log[before..] {
            prop_assert!(game.seat_of(barred).is_none(), "{game:?}");
        }
        prop_assert_eq!(shown(&cup.read(&header, &log, &[])), shown(&state));
    }

    #[test]
    fn late_players_have_enough_deals_without_removed_ones(cup in cup(), late in 1_usize..3) {
        let early = cup.clone();
        let cup = Cup { players: cup.players + late, ..cup };
        let (mut state, mut log) = (TournamentState::new(&early.header(0)), Vec::new());
        early.play(&mut state, &mut log, &[]);
        let (before, out, listed) = (log.len(), state.outs(), state.listed_part_stages());
        let mut header = cup.header(late);
        header.stages.extend(listed);
        let mut state = cup.read(&header, &log, &[]);
        cup.play(&mut state, &mut log, &[]);
        is_made_up(&cup, &state)?;
        for game in &log[before..] {
            let is_out = |player: usize| out.get(player).copied().flatten().is_some();
            prop_assert!(!game.players.players().any(is_out), "{game:?}");
        }
        prop_assert_eq!(shown(&cup.read(&header, &log, &[])), shown(&state));
    }
}

#[test]
fn games_of_two_are_not_made_up() {
    let all = Format::PartialRoundRobin { opponents: 3, late: vec![], corrected: vec![] };
    let stages = vec![Stage { format: all, pairs: 1, players: None }];
    let header = Header { quarantine: 1, stages, ..header(&["a", "b", "c", "d", "e", "f"]) };
    let mut state = TournamentState::new(&header);
    let all = state.len();
    while let Some(index) = state.next_due(0) {
        let game = state.fixture(index);
        let seat = game.seat_of(0).map(|seat| (seat, FaultCode::Crash));
        let faults = seat.into_iter().collect();
        let summary = GameSummary { faults, ..GameSummary::from_places(Places::level(2)) };
        state.add_fixture(game, summary).expect("it is due");
    }
    assert_eq!((state.len(), state.summary().quarantined), (all, 1));
}
