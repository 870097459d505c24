//! Tests the claims of ratings on tournaments with known strengths: how often intervals contain the
//! truth, and how often the sequential test is wrong. Slow, with fixed seeds; each test prints its
//! figures (`cargo test -p referee-ratings --test simulations -- --ignored --nocapture`).

#![expect(clippy::cast_precision_loss, reason = "small counts")]
#![expect(clippy::print_stdout, reason = "each simulation prints its figures")]

mod field;
mod scores;
mod seats;

use std::time::Instant;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{
    Fit, GameOutcome, Pentanomial, PlayedGame, Results, Sprt, SprtVerdict, Unit, fit, seat_effects,
};

const PLAYERS: usize = 8;
const PAIRS: u32 = 40;
const TOURNAMENTS: u64 = 1000;
/// Elo points of a natural unit without draws.
const ELO: f64 = 173.717_792_761_306_73;
/// One draw in five among equals: ν/(2+ν) = 1/5.
const NU: f64 = 0.5;
/// The first seat's advantage, in Elo.
const ADVANTAGE: f64 = 40.0;

/// Elo points of a natural unit at [`NU`].
fn unit() -> f64 {
    ELO * 2.0 / (2.0 + NU)
}

/// The probabilities of a win, draw and loss of the first seat with this lead in Elo.
fn chances(lead: f64) -> [f64; 3] {
    let half = lead / unit() / 2.0;
    let [w, d, l] = [half.exp(), NU, (-half).exp()];
    [w, d, l].map(|weight| weight / (w + d + l))
}

/// The outcome at quantile `u` of a player that wins, draws and loses with these chances.
fn at_quantile(chances: [f64; 3], u: f64) -> usize {
    let above = [chances[2] + chances[1], chances[2]];
    above.iter().filter(|&&bound| u < bound).count()
}

const OUTCOMES: [GameOutcome; 3] = [GameOutcome::Win, GameOutcome::Draw, GameOutcome::Loss];

/// The two games of a pair with the upper player ahead by `lead`, as a player's results: win,
/// draw, loss by the chances at each seat.
fn of_upper(lead: f64) -> [[f64; 3]; 2] {
    let [second, draw, first] = chances(ADVANTAGE - lead);
    [chances(lead + ADVANTAGE), [first, draw, second]]
}

/// The correlation of the scores when both come from one quantile (`sign` 1) or from opposite
/// ones (−1).
fn full_correlation(lead: f64, sign: f64) -> f64 {
    const STEPS: u32 = 20_000;
    let games = of_upper(lead);
    let score = |game: usize, u| 1.0 - at_quantile(games[game], u) as f64 / 2.0;
    let mean = |of: &dyn Fn(f64) -> f64| {
        let sum: f64 = (0..STEPS).map(|n| of((f64::from(n) + 0.5) / f64::from(STEPS))).sum();
        sum / f64::from(STEPS)
    };
    let turned = |u: f64| if sign > 0.0 { u } else { 1.0 - u };
    let [a, b] = [0, 1].map(|game| mean(&|u| score(game, u)));
    let [va, vb] = [(0, a), (1, b)].map(|(game, m)| mean(&|u| (score(game, u) - m).powi(2)));
    (mean(&|u| score(0, u) * score(1, turned(u))) - a * b) / (va * vb).sqrt()
}

/// How two players' pairs are drawn: with the probability `share`, the upper player's results in
/// both games come from one quantile or from opposite ones, otherwise from two.
struct Pairing {
    games: [[f64; 3]; 2],
    share: f64,
    sign: f64,
}

impl Pairing {
    /// Pairs whose scores have the given correlation, or come as near as they can.
    fn new(lead: f64, correlation: f64) -> Self {
        let sign = correlation.signum();
        let share = match correlation {
            0.0 => 0.0,
            _ => (correlation / full_correlation(lead, sign)).min(1.0),
        };
        Self { games: of_upper(lead), share, sign }
    }

    fn correlation(&self, lead: f64) -> f64 {
        self.share * full_correlation(lead, self.sign)
    }

    /// The outcomes of both games, from the side of their first seats, the upper player's first.
    fn play(&self, luck: &mut impl Rng) -> (GameOutcome, GameOutcome) {
        let one = luck.random::<f64>();
        let other = match luck.random::<f64>() < self.share {
            true if self.sign > 0.0 => one,
            true => 1.0 - one,
            false => luck.random(),
        };
        let second = 2 - at_quantile(self.games[1], other);
        (OUTCOMES[at_quantile(self.games[0], one)], OUTCOMES[second])
    }
}

/// The pairings, and how their pairs are drawn.
fn plan(truth: &[f64], correlation: f64) -> Vec<(usize, usize, Pairing)> {
    let all = (0..truth.len()).flat_map(|one| (one + 1..truth.len()).map(move |two| (one, two)));
    all.map(|(one, two)| (one, two, Pairing::new(truth[one] - truth[two], correlation))).collect()
}

fn tournament(luck: &mut impl Rng, plan: &[(usize, usize, Pairing)], pairs: u32) -> Results {
    let players = plan.iter().map(|(_, lower, _)| lower + 1).max().unwrap_or(0);
    let mut results = Results::new(players);
    for (upper, lower, pairing) in plan {
        for pair in 1..=pairs {
            let (one, other) = pairing.play(luck);
            results.add(PlayedGame::by_rules(*upper, *lower, pair, one));
            results.add(PlayedGame::by_rules(*lower, *upper, pair, other));
        }
    }
    results
}

fn truth(step: f64) -> Vec<f64> {
    let middle = (PLAYERS as f64 - 1.0) / 2.0;
    (0..PLAYERS).map(|player| step * (middle - player as f64)).collect()
}

/// Fits [`TOURNAMENTS`] tournaments and passes each fit to `each`, with the true strengths.
fn simulate(
    step: f64,
    pairs: u32,
    correlation: f64,
    seed: u64,
    mut each: impl FnMut(&Fit, &[f64]),
) {
    let truth = truth(step);
    let plan = plan(&truth, correlation);
    let mut luck = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..TOURNAMENTS {
        each(&fit(&tournament(&mut luck, &plan, pairs), &[]).expect("no anchor"), &truth);
    }
}

/// The share of intervals that contain the truth.
fn coverage(pairs: u32, correlation: f64, seed: u64) -> f64 {
    let (mut held, mut all, mut fitted, mut margins) = (0_u32, 0_u32, 0.0, 0.0);
    simulate(30.0, pairs, correlation, seed, |fit, truth| {
        fitted += fit.pair_correlation / TOURNAMENTS as f64;
        margins += fit.ratings[3].margin() / TOURNAMENTS as f64;
        for (rating, truth) in fit.ratings.iter().zip(truth) {
            all += 1;
            held += u32::from(rating.low <= *truth && *truth <= rating.high);
        }
    });
    let covered = f64::from(held) / f64::from(all);
    println!(
        "{PLAYERS} players, {pairs} pairs a pairing, correlation {correlation} (fitted \
         {fitted:.3}): 95% intervals hold the truth in {:.2}% of {all}, mean margin {margins:.1} \
         Elo",
        100.0 * covered,
    );
    covered
}

#[test]
fn the_games_of_simulated_pairs_are_as_correlated_as_said() {
    for correlation in [0.0, -0.5, 0.3] {
        for step in 0..8 {
            let lead = 30.0 * f64::from(step);
            let reached = Pairing::new(lead, correlation).correlation(lead);
            // Beyond 150 Elo scores are too uneven for −0.5.
            assert!((reached - correlation).abs() < 1e-3 || step > 4, "{lead}: {reached}");
        }
    }
}

#[test]
#[ignore = "slow: 3000 tournaments"]
fn intervals_cover() {
    for (correlation, seed) in [(0.0, 11), (-0.5, 12), (0.3, 13)] {
        let covered = coverage(PAIRS, correlation, seed);
        assert!((0.93..=0.97).contains(&covered));
    }
}

#[test]
#[ignore = "slow: 3000 tournaments"]
fn intervals_cover_after_few_games() {
    for (correlation, seed) in [(0.0, 14), (-0.5, 15), (0.3, 16)] {
        let covered = coverage(3, correlation, seed);
        assert!((0.92..=0.98).contains(&covered));
    }
}

#[test]
#[ignore = "slow: 3000 tournaments with a bootstrap each"]
fn rank_intervals_cover() {
    for (correlation, seed) in [(0.0, 21), (-0.5, 22), (0.3, 23)] {
        let (mut held, mut all, mut width) = (0_u32, 0_u32, 0);
        simulate(30.0, PAIRS, correlation, seed, |fit, _| {
            for (player, interval) in fit.rank_intervals().into_iter().enumerate() {
                all += 1;
                held += u32::from((interval.low..=interval.high).contains(&(player + 1)));
                width += interval.high - interval.low + 1;
            }
        });
        let covered = f64::from(held) / f64::from(all);
        println!(
            "strengths 30 Elo apart, correlation {correlation}: intervals hold the true rank in \
             {:.2}% of {all}, a interval has {:.2} ranks on average",
            100.0 * covered,
            width as f64 / f64::from(all)
        );
        assert!(covered >= 0.95);
    }
}

/// The upper end of the one-sided 99% interval of Clopper and Pearson: the highest rate under which
/// this few events have a probability of at least 1%.
fn upper_limit(events: u32, trials: u32) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let mut term = f64::from(trials) * (1.0 - middle).ln();
        let mut sum = term.exp();
        for n in 0..events {
            term +=
                (f64::from(trials - n) / f64::from(n + 1)).ln() + (middle / (1.0 - middle)).ln();
            sum += term.exp();
        }
        if sum > 0.01 { low = middle } else { high = middle }
    }
    high
}

const RUNS: u32 = 2000;
const MOST_PAIRS: u32 = 4000;

/// Plays pairs until the test has a verdict, or `most` pairs are played.
fn play(
    test: &Sprt,
    pairing: &Pairing,
    most: u32,
    luck: &mut impl Rng,
) -> (Pentanomial, SprtVerdict) {
    let mut pairs = Pentanomial::default();
    let verdict = (0..most).find_map(|_| {
        let (one, other) = pairing.play(luck);
        pairs[one.halves() + 2 - other.halves()] += 1;
        Some(test.judge(&pairs).verdict).filter(|verdict| *verdict != SprtVerdict::Undecided)
    });
    (pairs, verdict.unwrap_or(SprtVerdict::Undecided))
}

/// How often a test of two players at this distance ends with each verdict, and its mean length.
fn verdicts(test: &Sprt, lead: f64, correlation: f64, seed: u64) -> ([u32; 3], f64) {
    let pairing = Pairing::new(lead, correlation);
    let mut luck = ChaCha8Rng::seed_from_u64(seed);
    let (mut counts, mut length) = ([0; 3], 0);
    for _ in 0..RUNS {
        let (pairs, verdict) = play(test, &pairing, MOST_PAIRS, &mut luck);
        length += pairs.iter().sum::<u32>();
        counts[verdict as usize] += 1;
    }
    (counts, f64::from(length) / f64::from(RUNS))
}

/// The lead, in the scale of the simulation, at which the mean score is that of this many Elo.
fn lead_of(elo: f64) -> f64 {
    let wanted = 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    let score = |lead| of_upper(lead).iter().map(|[win, draw, _]| win + draw / 2.0).sum::<f64>();
    let (mut low, mut high) = (-1000.0, 1000.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if score(middle) / 2.0 < wanted { low = middle } else { high = middle }
    }
    high
}

#[test]
#[ignore = "slow: 12000 sequential tests"]
fn sprt_error_rates_stay_within_the_configured_ones() {
    let test = Sprt::new(Unit::Logistic, (0.0, 50.0), (0.05, 0.05)).expect("a test");
    for (correlation, seed) in [(0.0, 31), (-0.5, 32), (0.3, 33)] {
        for (elo, wrong, seed) in
            [(0.0, SprtVerdict::Better, seed), (50.0, SprtVerdict::NotBetter, seed + 9)]
        {
            let (counts, length) = verdicts(&test, lead_of(elo), correlation, seed);
            let errors = counts[wrong as usize];
            let limit = upper_limit(errors, RUNS);
            println!(
                "truth {elo} Elo, correlation {correlation}: {errors} of {RUNS} tests were wrong \
                 (99% upper limit {limit:.4}), {} undecided, {length:.0} pairs on average",
                counts[SprtVerdict::Undecided as usize],
            );
            assert!(limit <= 0.05 + 0.01);
        }
    }
}

#[test]
#[ignore = "slow: 30000 sequential tests"]
fn estimates_after_sequential_tests_are_unbiased() {
    const TESTS: u32 = 3000;
    let test = Sprt::new(Unit::Logistic, (0.0, 20.0), (0.05, 0.05)).expect("a test");
    for (correlation, seed) in [(-0.5, 51), (0.3, 52)] {
        for truth in [-10.0, 0.0, 10.0, 20.0, 30.0] {
            let pairing = Pairing::new(lead_of(truth), correlation);
            let mut luck = ChaCha8Rng::seed_from_u64(seed);
            let (mut held, mut decided, mut values) = (0, 0, Vec::new());
            for _ in 0..TESTS {
                let (pairs, verdict) = play(&test, &pairing, 1000, &mut luck);
                let estimate = test.estimate(&pairs);
                held += u32::from(estimate.low <= truth && truth <= estimate.high);
                decided += u32::from(verdict != SprtVerdict::Undecided);
                values.push(estimate.value);
            }
            values.sort_by(f64::total_cmp);
            let median = values[values.len() / 2];
            let [covered, decided] = [held, decided].map(|n| f64::from(n) / f64::from(TESTS));
            println!(
                "truth {truth:3} Elo, correlation {correlation:4}: median estimate {median:5.1}, 95% \
                 intervals hold the truth in {:.1}% of {TESTS}, {:.0}% decided",
                100.0 * covered,
                100.0 * decided,
            );
            assert!((median - truth).abs() < 1.5);
            assert!((0.935..=0.965).contains(&covered));
        }
    }
}

#[test]
#[ignore = "slow: 200 players"]
fn two_hundred_players_are_ranked_in_intervals() {
    let truth: Vec<f64> = (0..200).map(|player| 4.0 * (99.5 - f64::from(player))).collect();
    let plan = plan(&truth, 0.0);
    let mut luck = ChaCha8Rng::seed_from_u64(41);
    let (mut held, mut all, mut width) = (0, 0, 0);
    let mut spent = [0.0; 3];
    for _ in 0..10 {
        let results = tournament(&mut luck, &plan, 1);
        let mut watch = Instant::now();
        let mut lap = |at: usize| {
            spent[at] += watch.elapsed().as_secs_f64() / 10.0;
            watch = Instant::now();
        };
        let fit = fit(&results, &[]).expect("no anchor");
        lap(0);
        let intervals = fit.rank_intervals();
        lap(1);
        seat_effects(&results, &[], &fit).expect("no anchor");
        lap(2);
        for (interval, rank) in intervals.iter().zip(1..) {
            all += 1;
            held += i32::from((interval.low..=interval.high).contains(&rank));
            width += interval.high - interval.low + 1;
        }
    }
    println!(
        "200 players 4 Elo apart, one pair each: {:.1}% of the true ranks held by intervals of {:.1} \
         ranks on average; fit {:.2} s, intervals {:.2} s, seats {:.2} s",
        100.0 * f64::from(held) / f64::from(all),
        width as f64 / f64::from(all),
        spent[0],
        spent[1],
        spent[2]
    );
    assert!(f64::from(held) >= 0.93 * f64::from(all));
}

#[test]
fn the_limit_of_clopper_and_pearson() {
    // No event in 100: 1 − 0.01^(1/100).
    assert!((upper_limit(0, 100) - (1.0 - 0.01_f64.powf(0.01))).abs() < 1e-9);
    // 5 in 100, from tables of the beta distribution: 0.1241.
    assert!((upper_limit(5, 100) - 0.1241).abs() < 2e-3, "{}", upper_limit(5, 100));
}
