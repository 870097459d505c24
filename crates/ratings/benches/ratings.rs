//! Measures the cost of ratings: the fit with its intervals, and the rank intervals.
//!
//! `cargo bench -p referee-ratings` prints one row per tournament: the median of several runs, and
//! its ratio to a plain Cholesky factorisation of the same size in the same run (up to 1,000
//! players), which is a large part of a straightforward fit.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{GameOutcome, PlayedGame, Results, fit};

/// The number of runs of a short measurement.
const RUNS: usize = 5;

fn main() {
    println!("players    games  schedule         fit      plain  rank intervals");
    for (players, pairs) in [(10, 10), (100, 1), (100, 10), (100, 100), (200, 1), (1000, 1)] {
        measure(players, "round-robin", &round_robin(players, pairs));
    }
    for players in [3_000, 10_000] {
        measure(players, "sparse", &sparse(players, 10));
    }
}

/// Prints the row of a tournament.
fn measure(players: usize, schedule: &str, results: &Results) {
    let runs = if players > 200 { 1 } else { RUNS };
    let fitted = fit(results, &[]).expect("no fixed rating");
    let a_fit = median(runs, || drop(black_box(fit(results, &[]))));
    let ranks = median(runs, || drop(black_box(fitted.rank_intervals())));
    let plain = (players <= 1000).then(|| median(runs, || drop(black_box(cholesky(players)))));
    let ratio = plain.map_or("–".to_owned(), |plain| {
        format!("{:.1} ×", a_fit.as_secs_f64() / plain.as_secs_f64())
    });
    let games = results.total().games();
    println!(
        "{players:7} {games:8}  {schedule:11} {:8.1} ms {ratio:>8} {:10.1} ms",
        1e3 * a_fit.as_secs_f64(),
        1e3 * ranks.as_secs_f64(),
    );
}

/// The median time of several runs.
fn median(runs: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[runs / 2]
}

/// Every two players meet in this many pairs of games.
fn round_robin(players: usize, pairs: u32) -> Results {
    let meetings = (0..players).flat_map(|one| (one + 1..players).map(move |two| (one, two)));
    played(players, meetings.flat_map(|meeting| (1..=pairs).map(move |pair| (meeting, pair))))
}

/// Every player meets about twice as many random others as `pairs` says.
fn sparse(players: usize, pairs: usize) -> Results {
    let mut luck = ChaCha8Rng::seed_from_u64(2);
    let meetings: Vec<((usize, usize), u32)> = (1..)
        .take(players * pairs)
        .map(|pair| ((luck.random_range(0..players), luck.random_range(0..players)), pair))
        .filter(|((one, two), _)| one != two)
        .collect();
    played(players, meetings.into_iter())
}

/// Plays pairs of games between players; the first is the best.
fn played(players: usize, meetings: impl Iterator<Item = ((usize, usize), u32)>) -> Results {
    let mut luck = ChaCha8Rng::seed_from_u64(1);
    let mut results = Results::new(players);
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let strength = |player: usize| -5.0 * player as f64 / players as f64;
    for ((one, two), pair) in meetings {
        for (first, second) in [(one, two), (two, one)] {
            let half = f64::midpoint(strength(first) - strength(second), 0.3);
            let [win, draw, loss] = [half.exp(), 0.5, (-half).exp()];
            let outcome = match luck.random::<f64>() * (win + draw + loss) {
                quantile if quantile < win => GameOutcome::Win,
                quantile if quantile < win + draw => GameOutcome::Draw,
                _ => GameOutcome::Loss,
            };
            results.add(PlayedGame::by_rules(first, second, pair, outcome));
        }
    }
    results
}

/// The factor of a well-conditioned matrix, by the textbook's loop.
fn cholesky(size: usize) -> Vec<Vec<f64>> {
    let mut lower: Vec<Vec<f64>> = (0..size).map(|row| vec![0.1; row + 1]).collect();
    for row in 0..size {
        lower[row][row] += 1.0;
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = lower[row][column] - known;
            lower[row][column] =
                if row == column { rest.sqrt() } else { rest / lower[column][column] };
        }
    }
    lower
}
