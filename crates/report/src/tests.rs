//! In any format, no player that fails ranks above or level with one
//! that plays.

use proptest::prelude::*;

use super::graded_players::GradedPlayers;
use super::{Standings, StandingsRow};
use referee_games::{BySeat, Seat};
use referee_record::model::fault::{Fault, FaultCode};
use referee_record::model::grades::{Grades, RankMark};
use referee_record::model::record::examples::{game, header};
use referee_record::model::record::{Anchor, GameRecord, Header};
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::schedule::tournament_state::TournamentState;

/// The behaviour of a player in each game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    NeverStarts,
    /// It fails on its turn of this number, from 1.
    FailsAt(u32),
    /// It plays; a larger number means stronger.
    Plays(u32),
}

impl Kind {
    fn fails(self) -> bool {
        !matches!(self, Self::Plays(_))
    }

    /// The ply at which it fails. In a simultaneous game both seats move at once.
    fn fails_at(self, seat: Seat, simultaneous: bool) -> Option<u32> {
        let later = u32::from(seat == Seat::SECOND && !simultaneous);
        match self {
            Self::NeverStarts => Some(0),
            Self::FailsAt(turn) => Some(2 * turn + later),
            Self::Plays(_) => None,
        }
    }
}

/// A simulated tournament.
#[derive(Debug, Clone)]
struct Case {
    kinds: Vec<Kind>,
    stages: Vec<Stage>,
    quarantine: u32,
    /// The players whose ratings are given.
    anchors: Vec<bool>,
    simultaneous: bool,
    /// Deterministic players repeat their games.
    deterministic: bool,
    /// The most games to play.
    games: usize,
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        1 => Just(Kind::NeverStarts),
        1 => Just(Kind::FailsAt(1)),
        1 => (2_u32..40).prop_map(Kind::FailsAt),
        3 => (0_u32..4).prop_map(Kind::Plays),
    ]
}

fn stage() -> impl Strategy<Value = Stage> {
    let format = prop_oneof![
        Just(Format::RoundRobin),
        (2_usize..4).prop_map(|opponents| {
            Format::PartialRoundRobin { opponents, late: vec!["p3".into()], corrected: Vec::new() }
        }),
        Just(Format::Gauntlet { anchors: vec!["p0".into(), "p3".into()], same_luck: false }),
        (1_u32..4).prop_map(|rounds| Format::Swiss { rounds }),
        (0_u32..3).prop_map(|tie_breaks| Format::Knockout { tie_breaks }),
        (20_u32..80).prop_map(|games| Format::Ladder { games, margin: None }),
    ];
    let parts = (format, 1_u32..3, prop::option::of(2_usize..6));
    parts.prop_map(|(format, pairs, players)| Stage { format, pairs, players })
}

fn case() -> impl Strategy<Value = Case> {
    let stages = (any::<bool>(), prop::collection::vec(stage(), 1..3), any::<bool>());
    let stages = stages.prop_map(|(check, mut stages, further)| {
        if check {
            stages.insert(0, Stage { format: Format::Check, pairs: 1, players: None });
        }
        stages.extend(further.then(Stage::extra_games));
        stages
    });
    let kinds = prop::collection::vec(kind(), 4..9);
    let anchors = prop::collection::vec(prop::bool::weighted(0.2), 9);
    let flags = (any::<bool>(), prop::bool::weighted(0.2));
    let games = prop_oneof![0_usize..60, Just(240)];
    (kinds, stages, 0_u32..4, anchors, flags, games).prop_map(
        |(kinds, stages, quarantine, anchors, (simultaneous, deterministic), games)| Case {
            kinds,
            stages,
            quarantine,
            anchors,
            simultaneous,
            deterministic,
            games,
        },
    )
}

impl Case {
    /// The state of the tournament after the games of this case.
    fn play(&self) -> TournamentState {
        let names: Vec<String> = (0..self.kinds.len()).map(|n| format!("p{n}")).collect();
        let given = (0..names.len()).filter(|&player| self.anchors[player]);
        let anchors = given.map(|player| Anchor { player: names[player].clone(), rating: 1000.0 });
        let mut state = TournamentState::new(&Header {
            anchors: anchors.collect(),
            stages: self.stages.clone(),
            quarantine: self.quarantine,
            ..header(&names.iter().map(String::as_str).collect::<Vec<_>>())
        });
        state.allow_further();
        for _ in 0..self.games {
            let Some(index) = state.next_due(0) else { break };
            let record = self.record(&state, index);
            state.add(&record).expect("it is due");
        }
        state
    }

    /// The record of the game at `index`.
    fn record(&self, state: &TournamentState, index: usize) -> GameRecord {
        let fixture = state.fixture(index);
        let kinds = BySeat::from_fn(2, |seat| self.kinds[fixture.players.at(seat)]);
        let ends = BySeat::from_fn(2, |seat| kinds[seat].fails_at(seat, self.simultaneous));
        let first = ends.values().iter().flatten().min().copied();
        let fails = [Seat::FIRST, Seat::SECOND].map(|seat| first.is_some() && ends[seat] == first);
        let id = state.id(index);
        let result = match fails {
            [true, true] => "draw",
            [true, false] => "black",
            [false, true] => "white",
            [false, false] => self.on_the_board(&kinds, &id),
        };
        let name = |seat: Seat| state.name(fixture.players.at(seat));
        let plain = game(name(Seat::FIRST), name(Seat::SECOND), result);
        let fault = [(fails[0], "white"), (fails[1], "black")]
            .into_iter()
            .filter(|(fails, _)| *fails)
            .map(|(_, seat)| (seat.to_owned(), Fault::new(FaultCode::Crash, "it fails")));
        let fault: std::collections::BTreeMap<String, Fault> = fault.collect();
        let actions = match first {
            Some(0) => Vec::new(),
            _ if self.deterministic => plain.actions.clone(),
            _ => vec![id.clone()],
        };
        GameRecord {
            id,
            pair: fixture.pair,
            game: fixture.game,
            fault: (!fault.is_empty()).then_some(fault),
            actions,
            ..plain
        }
    }

    /// The stronger player wins most games.
    fn on_the_board(&self, kinds: &BySeat<Kind>, id: &str) -> &'static str {
        let strength = |kind: Kind| if let Kind::Plays(strength) = kind { strength } else { 0 };
        let sum: u32 = id.bytes().map(u32::from).sum();
        let luck = if self.deterministic { 0 } else { sum % 5 };
        match (strength(kinds[Seat::FIRST]) + luck).cmp(&(strength(kinds[Seat::SECOND]) + 2)) {
            std::cmp::Ordering::Less => "black",
            std::cmp::Ordering::Equal => "draw",
            std::cmp::Ordering::Greater => "white",
        }
    }
}

/// The marks by player name.
fn marks(standings: &Standings, evaluation: &TournamentEvaluation) -> Vec<(String, Option<f64>)> {
    let line = |rank, marks| RankMark { rank, marks };
    let grades =
        Grades { ranks: vec![line(1, 10.0), line(3, 8.0), line(200, 5.0)], ..Grades::default() };
    let table = GradedPlayers::new(&grades, standings, evaluation).to_csv().expect("memory");
    let mut table = csv::Reader::from_reader(table.as_slice());
    let row = |record: csv::StringRecord| (record[0].to_owned(), record[1].parse().ok());
    table.records().map(|record| row(record.expect("a row"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn failing_players_rank_below_playing_ones(case in case()) {
        let state = case.play();
        let evaluation = TournamentEvaluation::from_state(&state, Faulted::Count).expect("known anchors");
        let standings = Standings::new(&evaluation);
        let marks = marks(&standings, &evaluation);
        for (at, row) in standings.rows.iter().enumerate() {
            let completion = evaluation.results.counts.completion(row.number);
            let kind = case.kinds[row.number];
            if !kind.fails() {
                prop_assert!(!row.rank.is_err_and(|why| why.is_failure()), "{row:?}");
                continue;
            }
            // Some players only met players that failed before they would have; nothing is known
            // about those.
            let has_failed = completion.forfeited > 0;
            prop_assert_eq!(has_failed, row.rank.is_err_and(|why| why.is_failure()), "{:?}", row);
            let no_rating = row.shown_rating().is_none();
            prop_assert!(!has_failed || no_rating, "{row:?}");
            for (below, other) in standings.rows.iter().enumerate() {
                let plays = !case.kinds[other.number].fails() && other.outcomes.games() > 0;
                let was_seen = evaluation.results.counts.completion(other.number).finished > 0;
                if plays && has_failed {
                    prop_assert!(below < at, "{other:?} stands below {row:?}");
                    let (own, others) = (marks[at].1, marks[below].1);
                    let is_less = if was_seen { own < others } else { own == others };
                    prop_assert!(others.is_none() || is_less, "{marks:?}");
                }
                if plays && was_seen && let (Some(own), Some(others)) = (row.place(), other.place()) {
                    prop_assert!(others < own, "{other:?} stands below {row:?}");
                }
            }
        }
        // Ranks run from 1 without gaps and lie in their rank intervals.
        let ranks: Vec<_> = standings.rows.iter().filter_map(|row| row.rank.ok()).collect();
        for (rank, place) in ranks.iter().zip(1..) {
            let interval = rank.interval;
            prop_assert_eq!(rank.place, place);
            prop_assert!(1 <= interval.low && interval.low <= place && place <= interval.high);
            prop_assert!(interval.high <= ranks.len());
        }
        prop_assert!(standings.rows[..ranks.len()].iter().all(|row: &StandingsRow| row.rank.is_ok()));
    }
}
