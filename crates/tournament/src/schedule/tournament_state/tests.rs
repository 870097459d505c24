use proptest::prelude::*;

use super::*;
use crate::schedule::formats::FormatMeeting;
use referee_games::SeatMap;
use referee_protocol::Score;
use referee_record::model::fault::FaultCode;
use referee_record::model::player_spec::Out;
use referee_record::model::record::examples::{faulty, game, header};
use referee_record::model::stage::Stage;

const NAMES: [&str; 4] = ["bee", "ant", "dog", "cat"];

fn state(pairs: u32, limit: u32) -> TournamentState {
    ledger_of(&NAMES.map(str::to_owned), &[Stage::round_robin(pairs)], limit)
}

fn ledger_of(names: &[String], stages: &[Stage], quarantine: u32) -> TournamentState {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    TournamentState::new(&Header { quarantine, stages: stages.to_vec(), ..header(&names) })
}

/// The record of the game at `index`, with faults where `faults` says so.
fn record(state: &TournamentState, index: usize, faults: [bool; 2]) -> GameRecord {
    let Fixture { players, pair, game: number } = state.fixture(index);
    let [first, second] = players.two().map(|player| state.name(player));
    let plain = game(first, second, "white");
    let seats = ["white", "black"].into_iter().zip(faults);
    let made: Vec<_> =
        seats.filter(|(_, failed)| *failed).map(|(name, _)| (name, FaultCode::Crash)).collect();
    let plain = GameRecord { id: state.id(index), pair, game: number, ..plain };
    if made.is_empty() { plain } else { faulty(plain, &made) }
}

fn with_result(record: GameRecord, result: &str) -> GameRecord {
    let scores = match result {
        "white" => [1.0, 0.0],
        "black" => [0.0, 1.0],
        _ => [0.5, 0.5],
    };
    let scores = scores.map(Score).into();
    let scores = SeatMap::new(["white", "black"].into(), scores);
    GameRecord { result: result.to_owned(), scores, ..record }
}

/// The players that are out, by which game, and the games that count.
fn shown(state: &TournamentState) -> (Vec<(usize, usize)>, Vec<bool>) {
    let counts = |index| state.is_done(index) && !state.is_void(index);
    (state.taken_out().collect(), (0..state.len()).map(counts).collect())
}

/// Faults by game, and an order in which the games finish.
fn course() -> impl Strategy<Value = (u32, u32, Vec<(bool, bool)>, Vec<usize>)> {
    (1_u32..4, 0_u32..4).prop_flat_map(|(pairs, limit)| {
        let games = state(pairs, limit).len();
        let faults = prop::collection::vec((any::<bool>(), any::<bool>()), games);
        let order = Just((0..games).collect::<Vec<_>>()).prop_shuffle();
        (Just(pairs), Just(limit), faults, order)
    })
}

proptest! {
    #[test]
    fn the_order_of_finishing_does_not_matter((pairs, limit, faults, order) in course()) {
        let of = |state: &TournamentState, index: usize| {
            record(state, index, [faults[index].0, faults[index].1])
        };
        // In the order of the schedule nothing is played that does not count.
        let mut one_by_one = state(pairs, limit);
        let mut from = 0;
        while let Some(index) = one_by_one.next_due(from) {
            prop_assert_eq!(one_by_one.add(&of(&one_by_one, index)), Ok(index));
            from = index + 1;
        }
        prop_assert_eq!(one_by_one.count_due(), 0);

        // All games, and only those still due when their turn comes.
        let (mut all, mut due) = (state(pairs, limit), state(pairs, limit));
        for &index in &order {
            prop_assert_eq!(all.add(&of(&all, index)), Ok(index));
            if !due.is_void(index) {
                prop_assert_eq!(due.add(&of(&due, index)), Ok(index));
            }
        }
        prop_assert_eq!(all.played(), all.len());
        prop_assert_eq!(due.next_due(0), None);
        prop_assert_eq!(shown(&all), shown(&one_by_one));
        prop_assert_eq!(shown(&due), shown(&one_by_one));
        if limit == 0 {
            prop_assert_eq!(all.taken_out().count(), 0);
        }
    }
}

#[test]
fn a_game_without_a_fault_resets_the_quarantine_count() {
    let (pairs, bad) = (6, 0);
    let mut state = state(pairs, 3);
    let games: Vec<usize> =
        (0..state.len()).filter(|&at| state.fixture(at).seat_of(bad).is_some()).collect();
    let faults = [true, true, false, true, true, true];
    for (&index, &fault) in games.iter().zip(&faults) {
        let by = state.fixture(index).players.two().map(|player| player == bad && fault);
        state.add(&record(&state, index, by)).expect("it belongs");
    }
    for index in 0..state.len() {
        if !state.is_done(index) && !state.is_void(index) {
            let clean = record(&state, index, [false, false]);
            state.add(&clean).expect("it belongs");
        }
    }
    assert_eq!(state.taken_out().collect::<Vec<_>>(), [(bad, games[5])]);
}

#[test]
fn records_of_another_tournament_are_recognised() {
    let mut state = state(1, 5);
    let one = record(&state, 0, [false, false]);
    assert_eq!(state.add(&one), Ok(0));
    assert_eq!(state.add(&one), Err(RecordError::Double));
    for foreign in [
        GameRecord { id: "3f9a1c07be52-1".into(), ..one.clone() },
        GameRecord { pair: 2, ..one.clone() },
        GameRecord { game: 3, ..one.clone() },
        game("ant", "stranger", "white"),
    ] {
        assert_eq!(state.add(&foreign), Err(RecordError::Foreign));
    }
    assert_eq!((state.played(), state.count_due()), (1, state.len() - 1));
}

fn of(stages: &[Stage], players: usize, limit: u32) -> TournamentState {
    let names: Vec<_> = (0..players).map(|player| format!("player {player}")).collect();
    ledger_of(&names, stages, limit)
}

#[test]
fn the_best_play_a_later_gauntlet_besides_its_anchors() {
    let anchors = vec!["player 0".to_owned(), "player 3".to_owned()];
    let gauntlet = Format::Gauntlet { anchors, same_luck: false };
    let last = Stage { format: gauntlet, pairs: 1, players: Some(2) };
    let mut state = of(&[Stage::round_robin(1), last], 5, 0);
    let first = state.len();
    while let Some(index) = state.next_due(0) {
        let [white, black] = state.fixture(index).players.two();
        let result = if white < black { "white" } else { "black" };
        let game = with_result(record(&state, index, [false, false]), result);
        state.add(&game).expect("it belongs");
    }
    let players = (first..state.len()).map(|index| {
        let mut players = state.fixture(index).players.two();
        players.sort_unstable();
        players
    });
    let mut pairings: Vec<_> = players.collect();
    pairings.sort_unstable();
    pairings.dedup();
    assert_eq!(pairings, [[0, 1], [0, 2], [1, 3], [2, 3]]);
}

#[test]
fn further_games_are_due_only_if_there_is_time() {
    let stages = [Stage::round_robin(1), Stage::extra_games()];
    let result = |state: &TournamentState, index: usize| {
        let plain = record(state, index, [false, false]);
        let plain = GameRecord { actions: vec![state.id(index)], ..plain };
        with_result(
            plain,
            if state.fixture(index).players.two()[0] == 0 { "white" } else { "draw" },
        )
    };
    let (mut state, mut log) = (of(&stages, 4, 0), Vec::new());
    while let Some(index) = state.next_due(0) {
        log.push(result(&state, index));
        state.add(&log[log.len() - 1]).expect("it belongs");
    }
    assert_eq!((state.summary().total_games(), state.count_due()), (12, 0));
    assert_eq!(state.further_played(), 0);
    state.allow_further();
    let mut rounds = Vec::new();
    for _ in 0..50 {
        rounds.push(state.count_due());
        let index = state.next_due(0).expect("there are always more");
        log.push(result(&state, index));
        state.add(&log[log.len() - 1]).expect("it belongs");
    }
    assert_eq!(rounds[0], 4, "one pair each, to see whether they play different games");
    assert!(rounds.iter().any(|&due| due >= 32), "{rounds:?}");
    // Read again without time for more, nothing is due; with time, the rest of the round is.
    let mut again = of(&stages, 4, 0);
    for game in &log {
        again.add(game).expect("it belongs");
    }
    assert_eq!((again.summary().total_games(), again.count_due()), (62, 0));
    assert_eq!((again.next_due(0), again.further_played()), (None, 50));
    again.allow_further();
    assert_eq!((again.next_due(0), again.count_due()), (state.next_due(0), state.count_due()));
}

#[test]
fn players_are_not_paired_to_repeat_games() {
    // Player 3 alone plays a new game every time.
    let result = |state: &TournamentState, index: usize| {
        let players = state.fixture(index).players;
        let varies = players.players().any(|player| player == 3);
        let action = if varies { state.id(index) } else { "e4".to_owned() };
        let plain = record(state, index, [false, false]);
        with_result(GameRecord { actions: vec![action], ..plain }, "draw")
    };
    let ladder = Format::Ladder { games: 400, margin: None };
    let ladder = Stage { format: ladder, pairs: 1, players: None };
    for stages in [[Stage::round_robin(1), Stage::extra_games()], [Stage::round_robin(1), ladder]] {
        let mut state = of(&stages, 4, 0);
        state.allow_further();
        for _ in 0..200 {
            let index = state.next_due(0).expect("player 3 brings new games");
            state.add(&result(&state, index)).expect("it belongs");
        }
        let copies: u32 = state.results_for_section().copies().values().sum();
        assert!(copies <= 20, "{copies} copies of 200 games");
    }
    // Without new games, it is over.
    let mut state = of(&[Stage::round_robin(1), Stage::extra_games()], 3, 0);
    state.allow_further();
    while let Some(index) = state.next_due(0) {
        state.add(&result(&state, index)).expect("it belongs");
    }
    assert_eq!(state.played(), 3 * 2 + 3 * 4);
}

#[test]
fn opponents_of_a_withdrawn_player_keep_their_points() {
    let swiss = Stage { format: Format::Swiss { rounds: 2 }, pairs: 2, players: None };
    let mut state = of(&[swiss], 5, 1);
    // Player 0 fails in its first game; player 4 sits out.
    for index in 0..state.len() {
        let bad = state.fixture(index).players.two().map(|player| player == 0);
        if !state.is_void(index) {
            let plain = record(&state, index, bad);
            let result = match (bad[0], bad[1]) {
                (true, _) => "black",
                (_, true) => "white",
                _ => "draw",
            };
            state.add(&with_result(plain, result)).expect("it belongs");
        }
    }
    assert_eq!(state.outs()[0], Some(Out::Quarantined));
    let score = |meeting: FormatMeeting| (meeting.players.two(), meeting.halves);
    let scores: Vec<_> = state.section_results(0).into_iter().map(score).collect();
    assert_eq!(scores, [([0, 2], vec![0, 8]), ([1, 3], vec![4, 4])], "as much as who sits out");
}

fn stages() -> impl Strategy<Value = Vec<Stage>> {
    let format = prop_oneof![
        Just(Format::Check),
        Just(Format::RoundRobin),
        any::<bool>().prop_map(|same_luck| Format::Gauntlet {
            anchors: vec!["player 0".into(), "player 3".into()],
            same_luck,
        }),
        (1_u32..4).prop_map(|rounds| Format::Swiss { rounds }),
        (0_u32..3).prop_map(|tie_breaks| Format::Knockout { tie_breaks }),
        (2_u32..60).prop_map(|games| Format::Ladder { games, margin: Some(100) }),
    ];
    let stage = (format, 1_u32..3, prop::option::of(2_usize..6))
        .prop_map(|(format, pairs, players)| Stage { format, pairs, players });
    prop::collection::vec(stage, 1..4)
}

fn knockout() -> impl Strategy<Value = Vec<Stage>> {
    (0_u32..3, 1_u32..3).prop_map(|(tie_breaks, pairs)| {
        vec![Stage { format: Format::Knockout { tie_breaks }, pairs, players: None }]
    })
}

/// The record of the game at `index`. Its half points and faults depend on the game alone.
fn drawn(state: &TournamentState, index: usize, results: &[(u8, bool)]) -> GameRecord {
    let sum: usize = state.id(index).bytes().map(usize::from).sum();
    let (result, fault) = results[sum % results.len()];
    let plain = record(state, index, [fault, false]);
    if fault { plain } else { with_result(plain, ["white", "black", "draw"][usize::from(result)]) }
}

/// The format of the stage that a section belongs to.
fn format_of(state: &TournamentState, section: usize) -> &Format {
    let start = state.schedule.games(section).start;
    let at = state.begins.partition_point(|&begin| begin <= start) - 1;
    &state.header.stages[at].format
}

/// Whether a player was out before the game at `index`.
fn is_out_before(state: &TournamentState, player: usize, index: usize) -> bool {
    state.out[player].is_some_and(|by| by < index)
}

/// The players that lost the match of `one` and `other`, from the games that they played. Their
/// match takes up these sections of a knockout; `seeds` are its players, the best first.
fn losers(
    state: &TournamentState,
    (one, other): (usize, usize),
    sections: &[usize],
    seeds: &[usize],
) -> Vec<usize> {
    let end = sections.iter().map(|&at| state.schedule.games(at).end).max().expect("they met");
    let is_out = |&player: &usize| is_out_before(state, player, end);
    if is_out(&one) || is_out(&other) {
        return [one, other].into_iter().filter(is_out).collect();
    }
    let mut lead = 0;
    for index in sections.iter().flat_map(|&at| state.schedule.games(at)) {
        let fixture = state.fixture(index);
        if let (Some(own), Some(theirs)) = (fixture.seat_of(one), fixture.seat_of(other)) {
            let halves = state.games[index].expect("nobody was out").halves();
            lead += halves[own].cast_signed() - halves[theirs].cast_signed();
        }
    }
    let seed = |player: usize| seeds.iter().position(|&known| known == player);
    let is_won_by_one = if lead == 0 { seed(one) < seed(other) } else { lead > 0 };
    vec![if is_won_by_one { other } else { one }]
}

#[test]
fn a_player_that_is_quarantined_later_keeps_the_match_that_it_won() {
    let knockout = Stage { format: Format::Knockout { tie_breaks: 1 }, pairs: 1, players: None };
    // The final of a knockout in which p7 beats p0, and then makes faults against p3.
    let mut state = TournamentState::new(&Header {
        stages: vec![knockout],
        quarantine: 2,
        ..header(&["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"])
    });
    let mut last = (0, 0);
    while let Some(index) = state.next_due(0) {
        let [first, second] = state.fixture(index).players.two();
        last = (first.min(second), first.max(second));
        let bad = state.fixture(index).players.two().map(|player| player == 7 && last == (3, 7));
        let winner = if last == (0, 7) { 7 } else { last.0 };
        let result = if winner == first { "white" } else { "black" };
        let game = with_result(record(&state, index, bad), result);
        state.add(&game).expect("it belongs");
    }
    assert_eq!(state.outs()[7], Some(Out::Quarantined));
    assert_eq!(last, (1, 3));
}

/// Plays what is due, at most this many games, some of them at once, and adds them to the log.
fn play_on(
    state: &mut TournamentState,
    most: usize,
    results: &[(u8, bool)],
    log: &mut Vec<GameRecord>,
) {
    for turn in 0..most {
        let Some(mut index) = state.next_due(0) else { return };
        for _ in 0..turn % 3 {
            index = state.next_due(index + 1).unwrap_or(index);
        }
        let game = drawn(state, index, results);
        assert_eq!(state.add(&game), Ok(index));
        log.push(game);
    }
}

fn read(header: &Header, log: &[GameRecord]) -> TournamentState {
    let mut state = TournamentState::new(header);
    for game in log {
        state.add(game).expect("it belongs");
    }
    state
}

/// What counts and what is due.
fn picture(state: &TournamentState) -> Vec<(String, bool, bool)> {
    let is_due = |index| !state.is_done(index) && !state.is_passed_over(index);
    (0..state.len()).map(|it| (state.id(it), state.is_counted(it), is_due(it))).collect()
}

/// A round-robin, and further games.
fn further() -> impl Strategy<Value = Vec<Stage>> {
    Just(vec![Stage::round_robin(1), Stage::extra_games()])
}

proptest! {
    /// Whenever a player is disqualified, the games of others stay, and it plays no more.
    #[test]
    fn a_disqualification_makes_no_game_foreign(
        stages in prop_oneof![stages(), knockout(), further()],
        players in 4_usize..9,
        limit in 0_u32..3,
        results in prop::collection::vec((0_u8..3, prop::bool::weighted(0.3)), 64),
        (begun, barred) in (0_usize..60, 0_usize..4),
    ) {
        let old = of(&stages, players, limit).header;
        let (mut state, mut log) = (TournamentState::new(&old), Vec::new());
        state.allow_further();
        play_on(&mut state, begun, &results, &mut log);
        let mut new = old.clone();
        new.players[barred].disqualified = Some("it copied".to_owned());
        new.players[barred].drawn_before =
            Some(u32::try_from(state.begun_sections()).expect("few"));
        let mut state = read(&new, &log);
        let before = log.len();
        play_on(&mut state, 10_000, &results, &mut log);
        prop_assert_eq!(state.count_due(), 0);
        for game in &log[before..] {
            prop_assert!(!game.players.values.iter().any(|(_, name)| *name == new.players[barred].name));
        }
        prop_assert_eq!(picture(&read(&new, &log)), picture(&state));
    }

    /// The header of a stranger need not say when a player was disqualified.
    #[test]
    fn a_tournament_with_a_disqualified_player_ends(
        stages in prop_oneof![stages(), knockout(), further()],
        players in 3_usize..8,
        results in prop::collection::vec((0_u8..3, prop::bool::weighted(0.3)), 64),
        (barred, before) in (0_usize..3, prop::option::of(0_u32..3)),
    ) {
        let mut header = of(&stages, players, 2).header;
        header.players[barred].disqualified = Some("it copied".to_owned());
        header.players[barred].drawn_before = before;
        let mut state = TournamentState::new(&header);
        state.allow_further();
        play_on(&mut state, 400, &results, &mut Vec::new());
    }
}

proptest! {
    #[test]
    fn what_was_decided_stays_decided(
        stages in stages(),
        players in 4_usize..9,
        limit in 1_u32..3,
        results in prop::collection::vec((0_u8..3, prop::bool::weighted(0.3)), 64),
    ) {
        let mut state = of(&stages, players, limit);
        let mut decided: Vec<Vec<FormatMeeting>> = Vec::new();
        loop {
            let next = state.next_due(0);
            // Every section is over except the one that is being played.
            let current = usize::from(next.is_some());
            for section in 0..state.schedule.sections() - current {
                let now = state.section_results(section);
                if let Some(known) = decided.get(section) {
                    prop_assert_eq!(&now, known, "section {}", section);
                } else {
                    decided.push(now);
                }
            }
            let Some(index) = next else { break };
            let game = drawn(&state, index, &results);
            prop_assert_eq!(state.add(&game), Ok(index));
        }
    }

    #[test]
    fn nobody_plays_after_a_lost_match_or_a_removal(
        stages in prop_oneof![stages(), knockout()],
        players in 4_usize..13,
        limit in 1_u32..3,
        results in prop::collection::vec((0_u8..3, prop::bool::weighted(0.3)), 64),
    ) {
        let mut state = of(&stages, players, limit);
        let mut seeds = vec![state.entrants.clone(); state.schedule.sections()];
        while let Some(index) = state.next_due(0) {
            let game = drawn(&state, index, &results);
            prop_assert_eq!(state.add(&game), Ok(index));
            seeds.resize(state.schedule.sections(), state.entrants.clone());
        }
        for (section, seeds) in seeds.iter().enumerate() {
            let games = state.schedule.games(section);
            if games.is_empty() {
                continue;
            }
            let pairings =
                state.section_results(section).into_iter().map(|meeting| meeting.players.two());
            match format_of(&state, section) {
                Format::RoundRobin | Format::Gauntlet { .. } => {}
                Format::Knockout { .. } => for [one, other] in pairings {
                    let begin = state.begins.iter().rfind(|&&begin| begin <= games.start);
                    let end = state.begins.iter().find(|&&begin| begin > games.start);
                    let end = end.copied().unwrap_or(state.len());
                    let of_match: Vec<usize> = (0..state.schedule.sections())
                        .filter(|&at| state.schedule.games(at).start >= *begin.expect("begun"))
                        .filter(|&at| state.schedule.games(at).start < end)
                        .filter(|&at| {
                            state.schedule.meetings(at).any(|players| players.two() == [one, other])
                        })
                        .collect();
                    let over = of_match.iter().map(|&at| state.schedule.games(at).end).max();
                    for player in losers(&state, (one, other), &of_match, seeds) {
                        let later = (over.expect("they met")..end).find(|&index| {
                            state.is_done(index) && state.fixture(index).seat_of(player).is_some()
                        });
                        prop_assert_eq!(later, None, "{} lost in section {}", player, section);
                    }
                },
                _ => for player in pairings.flatten() {
                    prop_assert!(!is_out_before(&state, player, games.start));
                },
            }
        }
    }

    #[test]
    fn the_games_due_do_not_depend_on_the_order_of_finishing(
        stages in stages(),
        players in 4_usize..8,
        limit in 0_u32..3,
        results in prop::collection::vec((0_u8..3, any::<bool>()), 64),
        turns in prop::collection::vec(0_usize..4, 64),
    ) {
        let of_game = |state: &TournamentState, index: usize| drawn(state, index, &results);
        let mut one_by_one = of(&stages, players, limit);
        while let Some(index) = one_by_one.next_due(0) {
            prop_assert!(one_by_one.count_due() > 0);
            let game = of_game(&one_by_one, index);
            prop_assert_eq!(one_by_one.add(&game), Ok(index));
        }
        prop_assert_eq!(one_by_one.count_due(), 0);
        let ProgressSummary { played, due, never, .. } = one_by_one.summary();
        prop_assert_eq!(played + due + never, one_by_one.len());

        // Up to four games at once, finished in another order.
        let mut parallel = of(&stages, players, limit);
        let mut log = Vec::new();
        let mut turns = turns.into_iter().cycle();
        loop {
            let mut running: Vec<usize> = Vec::new();
            while let Some(index) = parallel.next_due(running.last().map_or(0, |last| last + 1))
                && running.len() < 4
            {
                running.push(index);
            }
            if running.is_empty() {
                break;
            }
            let index = running[turns.next().expect("a cycle") % running.len()];
            let game = of_game(&parallel, index);
            parallel.add(&game).expect("it belongs");
            log.push(game);
        }
        prop_assert_eq!(shown(&parallel), shown(&one_by_one));

        // The log read again.
        let mut again = of(&stages, players, limit);
        for game in &log {
            again.add(game).expect("it belongs");
        }
        prop_assert_eq!(shown(&again), shown(&one_by_one));
        prop_assert_eq!(again.count_due(), 0);
    }
}

/// Plays a check and a round-robin with two opponents each, which players of these names joined
/// late. `fails` says whether the first of two players makes a fault against the other.
fn with_late(late: &[&str], fails: impl Fn(&str, &str) -> bool) -> TournamentState {
    let names: Vec<String> = (0..6).map(|n| format!("p{n}")).collect();
    let there = names.iter().filter(|name| *name < &"p4".to_owned() || late.contains(&&***name));
    let late = late.iter().map(|&name| name.to_owned()).collect();
    let format = Format::PartialRoundRobin { opponents: 2, late, corrected: vec!["p3".to_owned()] };
    let stages = [Format::Check, format].map(|format| Stage { format, pairs: 1, players: None });
    let mut state = ledger_of(&there.cloned().collect::<Vec<_>>(), &stages, 2);
    while let Some(index) = state.next_due(0) {
        let [first, second] = state.fixture(index).players.two().map(|it| state.name(it));
        let faults = [fails(first, second), fails(second, first)];
        state.add(&record(&state, index, faults)).expect("it is due");
    }
    assert_eq!(state.count_due(), 0);
    state
}

fn ids(state: &TournamentState) -> Vec<String> {
    (0..state.len()).map(|index| state.id(index)).collect()
}

#[test]
fn late_players_are_checked_after_all_others() {
    let fine = |_: &str, _: &str| false;
    let (none, one, two) =
        (with_late(&[], fine), with_late(&["p4"], fine), with_late(&["p4", "p5"], fine));
    assert!(ids(&two).starts_with(&ids(&one)) && ids(&one).starts_with(&ids(&none)));
    for (state, before, player) in [(&one, &none, "p4"), (&two, &one, "p5")] {
        let own: Vec<usize> = (before.len()..state.len()).collect();
        let number = state.player_number(player).expect("it is there");
        assert!(own.iter().all(|&index| state.fixture(index).seat_of(number).is_some()));
        let checks: Vec<bool> = own.iter().map(|&index| state.is_check(index)).collect();
        assert_eq!(checks, [true, true, false, false, false, false]);
    }
}

#[test]
fn a_fault_in_the_check_of_a_late_player_does_not_take_its_partner_out() {
    let fine = with_late(&["p4"], |_, _| false);
    let players = fine.fixture(fine.len() - 6).players;
    let [first, second] = players.two().map(|it| fine.name(it));
    let partner = if first == "p4" { second } else { first };
    // The partner fails in both games: two faults in a row are too many, as in other games.
    let state = with_late(&["p4"], |one, other| one == partner && other == "p4");
    let number = state.player_number(partner).expect("it is there");
    assert_eq!(state.outs()[number], Some(Out::Quarantined));
    let checks = (0..state.len()).filter(|&index| state.is_check(index)).count();
    assert_eq!(checks, 4 + 4, "two meetings of all, and two of the late player");
    assert_eq!(state.taken_out().count(), 1);
}

#[test]
fn a_corrected_player_counts_from_its_return() {
    let fails = |one: &str, _: &str| one == "p3";
    let failed = with_late(&[], fails);
    assert_eq!(failed.outs()[3], Some(Out::Unchecked));
    let again = with_late(&["p3"], fails);
    assert_eq!(again.outs()[3], Some(Out::Unchecked), "it fails again");
    assert!(ids(&again).starts_with(&ids(&failed)));
    let summary = again.summary();
    assert_eq!(
        (summary.corrected, summary.counted, summary.played),
        (1, again.played() - 1, again.played())
    );
}
