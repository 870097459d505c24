//! How often the 95% intervals hold the truth in each format: tournaments between players of known
//! strength, paired and evaluated as `run` does. Slow, with fixed seeds; prints its figures
//! (`cargo test -p referee-tournament --test coverage -- --ignored --nocapture`).

#![expect(clippy::print_stdout, reason = "the figures are for people")]

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_games::BySeat;
use referee_ratings::GameOutcome;
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::{Header, examples};
use referee_record::model::stage::{Format, Stage};
use referee_tournament::analysis::Evaluation;
use referee_tournament::analysis::results::Faulted;
use referee_tournament::schedule::state::TournamentState;

/// Elo points of a natural unit where a fifth of the games between equals is drawn.
const ELO: f64 = 400.0 / std::f64::consts::LN_10 * 2.0 / (2.0 + DRAWS);
const DRAWS: f64 = 0.5;
/// The first seat's advantage, in Elo.
const ADVANTAGE: f64 = 40.0;

/// A format, and the players who play it.
struct Scenario {
    name: &'static str,
    stages: Vec<Stage>,
    players: u32,
    /// The distance between neighbours, in Elo.
    step: f64,
}

fn scenario(name: &'static str, format: Format, players: u32, step: f64) -> Scenario {
    Scenario { name, stages: vec![Stage { format, pairs: 1, players: None }], players, step }
}

/// The outcome of a game in which the first seat is ahead by `lead` Elo.
fn play(lead: f64, luck: &mut impl Rng) -> GameSummary {
    let half = (lead + ADVANTAGE) / ELO / 2.0;
    let [win, draw, loss] = [half.exp(), DRAWS, (-half).exp()];
    let drawn = luck.random::<f64>() * (win + draw + loss);
    let outcome = match drawn {
        drawn if drawn < win => GameOutcome::Win,
        drawn if drawn < win + draw => GameOutcome::Draw,
        _ => GameOutcome::Loss,
    };
    GameSummary { outcome: Some(outcome), faults: BySeat::default(), fingerprint: None }
}

/// Plays a whole tournament. The player with the lower number is the stronger one.
fn tournament(scenario: &Scenario, truth: &[f64], seed: u64) -> TournamentState {
    let names: Vec<String> = (0..scenario.players).map(|player| format!("p{player}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let header = Header {
        stages: scenario.stages.clone(),
        drawn: true,
        identity: seed.to_string(),
        ..examples::header(&names)
    };
    let (mut state, mut next) = (TournamentState::new(&header), 0);
    let mut luck = ChaCha8Rng::seed_from_u64(seed);
    while let Some(index) = state.next_due(next) {
        let fixture = state.fixture(index);
        let lead = truth[fixture.players.first] - truth[fixture.players.second];
        state.add_fixture(fixture, play(lead, &mut luck)).expect("it is due");
        next = index + 1;
    }
    state
}

/// What the ratings of a scenario are worth.
#[derive(Default)]
struct Coverage {
    all: f64,
    in_interval: f64,
    in_ranks: f64,
    squares: f64,
}

fn figures(scenario: &Scenario, tournaments: u64) -> Coverage {
    let middle = f64::from(scenario.players - 1) / 2.0;
    let truth: Vec<f64> =
        (0..scenario.players).map(|at| scenario.step * (middle - f64::from(at))).collect();
    let mut sum = Coverage::default();
    for seed in 0..tournaments {
        let state = tournament(scenario, &truth, seed);
        let evaluation = Evaluation::of(&state, Faulted::Count).expect("no anchors");
        let ranks = evaluation.ranking.ranks();
        for ((player, truth), rating) in
            truth.iter().enumerate().zip(&evaluation.ranking.fit.ratings)
        {
            let rank = ranks[player].expect("everyone plays").interval;
            sum.all += 1.0;
            sum.in_interval += f64::from(u8::from((rating.low..=rating.high).contains(truth)));
            sum.in_ranks += f64::from(u8::from((rank.low..=rank.high).contains(&(player + 1))));
            sum.squares += (rating.value - truth).powi(2);
        }
    }
    sum
}

#[test]
#[ignore = "slow: hundreds of simulated tournaments"]
fn intervals_hold_the_truth_in_each_format() {
    let opponents = |opponents| Format::PartialRoundRobin {
        opponents,
        late: Vec::new(),
        corrected: Vec::new(),
    };
    let swiss = |rounds| Format::Swiss { rounds };
    for scenario in [
        scenario("round-robin", Format::RoundRobin, 16, 20.0),
        scenario("5 opponents", opponents(5), 16, 40.0),
        scenario("9 opponents", opponents(9), 16, 20.0),
        scenario("6 opponents", opponents(6), 60, 15.0),
        scenario("Swiss, 5 rounds", swiss(5), 16, 40.0),
        scenario("Swiss, 9 rounds", swiss(9), 16, 20.0),
        scenario("Swiss, 6 rounds", swiss(6), 32, 60.0),
        scenario("Swiss, 8 rounds", swiss(8), 60, 15.0),
        scenario("ladder", Format::Ladder { games: 320, margin: None }, 32, 30.0),
    ] {
        let Coverage { all, in_interval, in_ranks, squares } = figures(&scenario, 200);
        println!(
            "{}, {} players {} Elo apart: {:.1}% of ratings and {:.1}% of ranks in their \
             intervals, error {:.0} Elo",
            scenario.name,
            scenario.players,
            scenario.step,
            100.0 * in_interval / all,
            100.0 * in_ranks / all,
            (squares / all).sqrt(),
        );
        let is_steered = scenario.stages.iter().any(|stage| stage.format.is_steered());
        let expected = if is_steered { 0.84..=0.95 } else { 0.93..=0.97 };
        assert!(expected.contains(&(in_interval / all)), "docs/ratings.md says otherwise");
        assert!(in_ranks / all >= if is_steered { 0.9 } else { 0.93 });
    }
}
