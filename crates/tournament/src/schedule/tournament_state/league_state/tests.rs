use proptest::prelude::*;

use super::*;
use crate::folder::add_line_or_problem;
use referee_games::SeatMap;
use referee_protocol::Score;
use referee_record::log::{LogScan, LogWriter};
use referee_record::model::fault::FaultCode;
use referee_record::model::league_entry::{Leaving, LeavingReason};
use referee_record::model::record::examples::{faulty, game, header};
use referee_record::model::record::{GameRecord, HeaderPlayer};
use referee_record::model::stage::{Format, Stage};

fn league(quarantine: u32) -> Header {
    let stages = vec![Stage { format: Format::League, pairs: 1, players: None }];
    Header { stages, quarantine, ..header(&["house", "random"]) }
}

fn entered(header: &Header, author: &str, version: u32) -> RosterChange {
    let source = format!("{author} {version}");
    let entry =
        LeagueEntry { author: author.to_owned(), version, at: 0, source, kept: String::new() };
    let name = LeagueEntry::version_name(author, version);
    let player = HeaderPlayer { name, entry: Some(entry), ..header.players[0].clone() };
    RosterChange::Entered { player: Box::new(player), files: [].into() }
}

fn left(player: &str) -> RosterChange {
    let leaving = Leaving { at: 0, why: LeavingReason::Replaced };
    RosterChange::Left { player: player.to_owned(), leaving }
}

/// The record of the game at `index`.
fn record(state: &TournamentState, index: usize, result: u8) -> GameRecord {
    let Fixture { players, pair, game: number } = state.fixture(index);
    let [first, second] = players.two().map(|player| state.name(player));
    let plain = game(first, second, "white");
    let plain = GameRecord { id: state.id(index), pair, game: number, ..plain };
    match result {
        0 => plain,
        1 => {
            let scores = [Score(0.0), Score(1.0)].into();
            let scores = SeatMap::new(["white", "black"].into(), scores);
            GameRecord { result: "black".to_owned(), scores, ..plain }
        }
        _ => faulty(plain, &[("white", FaultCode::Crash)]),
    }
}

/// What a state says of its games and players.
fn shown(state: &TournamentState) -> String {
    let open: Vec<usize> = (0..state.len()).filter(|&at| state.next_due(at) == Some(at)).collect();
    let there: Vec<bool> = (0..state.names().len()).map(|it| state.is_taking_part(it)).collect();
    let counted: Vec<_> = state.counted_games().map(|(fixture, _)| fixture).collect();
    format!("{:?} {open:?} {there:?} {counted:?} {}", state.names(), state.summary())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// After any events in any order, a reader of the log knows what the run knew, except for
    /// games that were chosen and did not begin.
    #[test]
    fn a_league_is_what_its_log_says(steps in prop::collection::vec((0_u8..9, 0_usize..100), 1..120)) {
        let dir = tempfile::tempdir().expect("a folder");
        let header = league(3);
        let mut log = LogWriter::create(dir.path(), &header).expect("a log");
        let mut state = TournamentState::new(&header);
        let mut versions = [0; 3];
        for (step, which) in steps {
            let change = match step {
                0 => {
                    let author = ["ann", "bob", "cat"][which % 3];
                    versions[which % 3] += 1;
                    entered(&header, author, versions[which % 3])
                }
                1 => left(&state.names()[which % state.names().len()].clone()),
                2 => {
                    state.choose_league_deal();
                    continue;
                }
                3 => {
                    let player = state.names()[which % state.names().len()].clone();
                    RosterChange::Returned { player, at: 0 }
                }
                _ => {
                    let due: Vec<usize> =
                        (0..state.len()).filter(|&at| state.next_due(at) == Some(at)).collect();
                    if due.is_empty() {
                        state.choose_league_deal();
                        continue;
                    }
                    let record = record(&state, due[which % due.len()], step % 3);
                    state.add(&record).expect("it was chosen");
                    log.append(&record).expect("written");
                    continue;
                }
            };
            if state.apply_league_roster_change(&change).is_ok() {
                log.append_change(&change).expect("written");
            }
        }
        log.finish().expect("on disk");
        // Pairs without a played game are not in the log.
        let unknown: Vec<usize> = (0..state.len() / 2)
            .filter(|pair| !state.is_done(2 * pair) && !state.is_done(2 * pair + 1))
            .collect();
        let mut scan = LogScan::open(dir.path()).expect("a log");
        let mut read = TournamentState::new(scan.header());
        while let Some(line) = scan.next_line().expect("a line") {
            let (_, problem) = add_line_or_problem(&line, &mut read);
            prop_assert!(problem.is_none(), "{:?}", problem);
        }
        let open = |state: &TournamentState| -> Vec<usize> {
            let due = (0..state.len()).filter(|&at| state.next_due(at) == Some(at));
            due.filter(|at| !unknown.contains(&(at / 2))).collect()
        };
        prop_assert_eq!(open(&read), open(&state));
        prop_assert_eq!(read.outs(), state.outs());
        prop_assert_eq!(read.header(), state.header());
        let there = |state: &TournamentState| -> Vec<bool> {
            (0..state.names().len()).map(|player| state.is_taking_part(player)).collect()
        };
        prop_assert_eq!(there(&read), there(&state));
        let counted = |state: &TournamentState| state.counted_games().collect::<Vec<_>>();
        prop_assert_eq!(counted(&read), counted(&state));
    }
}

#[test]
fn a_log_cannot_claim_endless_numbers_of_pairs() {
    let mut state = TournamentState::new(&league(0));
    state.choose_league_deal();
    let plain = record(&state, 0, 0);
    let id = referee_record::seeds::derive_game_id(&["house", "random"], u32::MAX, 1);
    let far = GameRecord { id, pair: u32::MAX, ..plain };
    assert_eq!(state.add(&far), Err(RecordError::Foreign));
    assert_eq!(state.len(), 2, "{}", shown(&state));
}

#[test]
fn only_who_came_plays_and_only_who_is_there_leaves() {
    let header = league(0);
    let mut state = TournamentState::new(&header);
    state.apply_league_roster_change(&entered(&header, "ann", 1)).expect("it comes");
    assert_eq!(
        state.apply_league_roster_change(&entered(&header, "ann", 1)),
        Err(RecordError::Foreign)
    );
    state.apply_league_roster_change(&left("ann v1")).expect("it goes");
    assert_eq!(state.apply_league_roster_change(&left("ann v1")), Err(RecordError::Foreign));
    assert_eq!(state.apply_league_roster_change(&left("nobody")), Err(RecordError::Foreign));
    let back = |player: &str| RosterChange::Returned { player: player.to_owned(), at: 0 };
    assert_eq!(state.apply_league_roster_change(&back("house")), Err(RecordError::Foreign));
    assert_eq!(state.apply_league_roster_change(&back("nobody")), Err(RecordError::Foreign));
    state.apply_league_roster_change(&back("ann v1")).expect("it is back");
    assert!(state.is_taking_part(2), "{}", shown(&state));
    state.apply_league_roster_change(&left("ann v1")).expect("it goes again");
    let mut misnamed = entered(&header, "bob", 1);
    if let RosterChange::Entered { player, .. } = &mut misnamed {
        player.name = "house v9".to_owned();
    }
    assert_eq!(state.apply_league_roster_change(&misnamed), Err(RecordError::Foreign));
    // Names that would lead out of the folder of the entrants.
    for author in ["../ann", ".ann", "a/b", "a\\b", ""] {
        assert_eq!(
            state.apply_league_roster_change(&entered(&header, author, 1)),
            Err(RecordError::Foreign),
            "{author}"
        );
    }
    for version in [0, u32::MAX] {
        assert_eq!(
            state.apply_league_roster_change(&entered(&header, "bob", version)),
            Err(RecordError::Foreign)
        );
    }
    for _ in 0..10 {
        state.choose_league_deal();
    }
    let players: Vec<_> = (0..state.len()).map(|index| state.fixture(index).players).collect();
    assert!(players.iter().all(|players| players.players().max() == Some(1)), "{players:?}");
}
