//! What the intervals are worth in games of more than two seats: tournaments between players of
//! known strength, scheduled and evaluated as `run` does. Prints its figures
//! (`cargo test -p referee-tournament --test simulations -- --ignored --nocapture seats`).

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::{BySeat, Places, Seat};
use referee_record::model::fault::FaultCode;
use referee_record::model::fixture::Lineup;
use referee_record::model::game_summary::{GameSummary, SummaryFaults};
use referee_record::model::record::{Header, examples};
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::TournamentEvaluation;
use referee_tournament::analysis::named_results::Faulted;
use referee_tournament::schedule::tournament_state::TournamentState;

use crate::cases;

/// Tournaments per scenario.
const TOURNAMENTS: u64 = cases(50, 25);
/// Elo points of a unit of the logistic distribution.
const LOGISTIC: f64 = 400.0 / std::f64::consts::LN_10;

/// A tournament, and the players who play it.
struct Scenario {
    name: &'static str,
    seats: usize,
    players: usize,
    stages: Vec<Stage>,
    /// What the first seat is worth more than the last, in Elo.
    advantage: f64,
    /// Performances are rounded to this many Elo, so that players can be level.
    step: f64,
    /// The chance that the last player fails in a game.
    fails: f64,
    /// This many of the last players come late.
    late: usize,
}

fn meetings(name: &'static str, seats: usize, players: usize, meetings: usize) -> Scenario {
    let (late, corrected) = (Vec::new(), Vec::new());
    let format = Format::PartialRoundRobin { opponents: meetings, late, corrected };
    let stages = vec![Stage { format, pairs: 1, players: None }];
    Scenario { name, seats, players, stages, advantage: 0.0, step: 1.0, fails: 0.0, late: 0 }
}

fn scenarios() -> Vec<Scenario> {
    vec![
        meetings("3 seats, 24 players, 6 meetings", 3, 24, 6),
        meetings("4 seats, 30 players, 4 meetings", 4, 30, 4),
        meetings("6 seats, 30 players, 3 meetings", 6, 30, 3),
        meetings("4 seats, 30 players, 2 meetings", 4, 30, 2),
        Scenario { advantage: 100.0, ..meetings("seats of 100 Elo", 4, 24, 4) },
        Scenario { step: 150.0, ..meetings("ties from equal scores", 4, 24, 4) },
        Scenario { fails: 0.1, ..meetings("a player fails in a tenth", 4, 24, 4) },
        Scenario { late: 4, ..meetings("four late players", 4, 24, 4) },
        Scenario {
            stages: vec![Stage::round_robin(1)],
            ..meetings("8 players, all groups of 4", 4, 8, 2)
        },
    ]
}

impl Scenario {
    fn header(&self, seed: u64) -> Header {
        let names: Vec<String> = (0..self.players).map(|player| format!("p{player}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut stages = self.stages.clone();
        if let [Stage { format: Format::PartialRoundRobin { late, .. }, .. }] = &mut stages[..] {
            late.extend(names[self.players - self.late..].iter().map(|&name| name.to_owned()));
        }
        Header {
            stages,
            seats: seat_names(self.seats),
            drawn: true,
            identity: seed.to_string(),
            quarantine: 0,
            ..examples::header(&names)
        }
    }

    /// The strengths in Elo: with a standard deviation of 200, and their mean is 0.
    fn truth(&self, luck: &mut impl Rng) -> Vec<f64> {
        let normal = |luck: &mut ChaCha8Rng| {
            let [radius, angle] = [luck.random::<f64>(), luck.random::<f64>()];
            (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
        };
        let mut luck = ChaCha8Rng::from_rng(luck);
        let drawn: Vec<f64> = (0..self.players).map(|_| 200.0 * normal(&mut luck)).collect();
        let mean = drawn.iter().sum::<f64>() / count(self.players);
        drawn.into_iter().map(|strength| strength - mean).collect()
    }

    fn game(&self, players: Lineup, truth: &[f64], luck: &mut impl Rng) -> GameSummary {
        let fails = players
            .seats()
            .find(|&seat| players.at(seat) == self.players - 1)
            .filter(|_| luck.random::<f64>() < self.fails);
        let at_seat = |seat: Seat| {
            let share = count(seat.index()) / count(self.seats - 1);
            truth[players.at(seat)] - self.advantage * share
        };
        let strengths: Vec<f64> = players.seats().map(at_seat).collect();
        let places = match fails {
            Some(loser) => Places::lost_by(loser.into(), self.seats),
            None => places(&strengths, self.step, luck),
        };
        let faults: SummaryFaults =
            fails.map(|seat| (seat, FaultCode::Crash)).into_iter().collect();
        GameSummary { faults, ..GameSummary::from_places(places) }
    }

    fn play(&self, truth: &[f64], seed: u64, luck: &mut impl Rng) -> TournamentState {
        let (mut state, mut next) = (TournamentState::new(&self.header(seed)), 0);
        while let Some(index) = state.next_due(next) {
            let fixture = state.fixture(index);
            let game = self.game(fixture.players, truth, luck);
            state.add_fixture(fixture, game).expect("due");
            next = index + 1;
        }
        state
    }

    /// The shares of ratings and of ranks that their intervals hold, and the error of ratings.
    fn coverage(&self) -> [f64; 3] {
        let (mut held, mut ranked, mut squares, mut all) = (0, 0, 0.0, 0);
        for seed in 0..TOURNAMENTS {
            let mut luck = ChaCha8Rng::seed_from_u64(seed);
            let truth = self.truth(&mut luck);
            let state = self.play(&truth, seed, &mut luck);
            let evaluation =
                TournamentEvaluation::from_state(&state, Faulted::Count).expect("a fit");
            let ranks = evaluation.ranking.ranks_among(|_| true);
            for player in 0..self.players {
                let rating = evaluation.ranking.fit.ratings[player];
                let place = 1 + truth.iter().filter(|&&other| other > truth[player]).count();
                let interval = ranks[player].expect("it plays").interval;
                held += usize::from((rating.low..=rating.high).contains(&truth[player]));
                ranked += usize::from((interval.low..=interval.high).contains(&place));
                squares += (rating.value - truth[player]).powi(2);
                all += 1;
            }
        }
        [count(held) / count(all), count(ranked) / count(all), (squares / count(all)).sqrt()]
    }
}

pub(super) fn seat_names(seats: usize) -> BySeat<String> {
    (0..seats).map(|seat| format!("seat-{seat}")).collect()
}

/// The places of a game by seat, for players of these strengths: performances are rounded to `step`
/// Elo.
pub(super) fn places(strengths: &[f64], step: f64, luck: &mut impl Rng) -> Places {
    let perform = |&strength: &f64| {
        let chance = -(-(1.0 - luck.random::<f64>()).ln()).ln();
        ((strength + LOGISTIC * chance) / step).round()
    };
    let performed: Vec<f64> = strengths.iter().map(perform).collect();
    Places::ordered(strengths.len(), |one: Seat, other: Seat| {
        performed[other.index()].total_cmp(&performed[one.index()])
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts of players")]
pub(super) fn count(number: usize) -> f64 {
    number as f64
}

#[test]
#[ignore = "slow"]
fn intervals_hold_with_more_seats() {
    println!("| tournament | ratings held | ranks held | error |");
    for scenario in scenarios() {
        let [held, ranked, error] = scenario.coverage();
        let name = scenario.name;
        println!("| {name} | {:.1}% | {:.1}% | {error:.0} |", 100.0 * held, 100.0 * ranked);
        assert!((0.92..0.98).contains(&held), "{name}: {held}");
        assert!(ranked >= 0.93, "{name}: {ranked}");
    }
}
