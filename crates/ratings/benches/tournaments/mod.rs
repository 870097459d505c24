//! The CPU time of counting games, of the fit with its intervals, and of the rank intervals.

use std::hint::black_box;

use nix::time::{ClockId, clock_gettime};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use referee_ratings::{GameOutcome, PlayedGame, Results, fit};

/// The number of runs of a short measurement.
const RUNS: usize = 5;

/// The CPU times for a tournament, in milliseconds. Each is the median of several runs.
#[derive(Debug)]
pub(crate) struct RatingTimes {
    /// Of counting the games one by one.
    pub(crate) counting: f64,
    /// Of the fit with its intervals.
    pub(crate) fit: f64,
    /// Of the rank intervals.
    pub(crate) ranks: f64,
    /// Of a plain Cholesky factorisation of the same size in the same run, a large part of a
    /// straightforward fit; up to 1,000 players.
    pub(crate) plain: Option<f64>,
}

impl RatingTimes {
    /// Measures a tournament.
    pub(crate) fn measure(players: usize, games: &[PlayedGame]) -> Self {
        let runs = if players > 200 { 1 } else { RUNS };
        let results = counted(players, games);
        let fitted = fit(&results, &[]).expect("no fixed rating");
        Self {
            counting: median(runs, || drop(black_box(counted(players, games)))),
            fit: median(runs, || drop(black_box(fit(&results, &[])))),
            ranks: median(runs, || drop(black_box(fitted.rank_intervals()))),
            plain: (players <= 1000).then(|| median(runs, || drop(black_box(cholesky(players))))),
        }
    }

    /// All three.
    pub(crate) fn total(&self) -> f64 {
        self.counting + self.fit + self.ranks
    }
}

/// The results of these games.
fn counted(players: usize, games: &[PlayedGame]) -> Results {
    let mut results = Results::new(players);
    for &game in games {
        results.add(game);
    }
    results
}

/// The median CPU time of several runs, in milliseconds.
fn median(runs: usize, mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = cpu();
            run();
            cpu() - start
        })
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    times[runs / 2]
}

/// The CPU time of this process in milliseconds, which other programs on the machine hardly change.
fn cpu() -> f64 {
    let now = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("a clock");
    std::time::Duration::from(now).as_secs_f64() * 1e3
}

/// Every two players meet in this many pairs of games.
pub(crate) fn round_robin(players: usize, pairs: u32) -> Vec<PlayedGame> {
    let meetings = (0..players).flat_map(|one| (one + 1..players).map(move |two| (one, two)));
    played(players, meetings.flat_map(|meeting| (1..=pairs).map(move |pair| (meeting, pair))))
}

/// Plays pairs of games between players; the first is the best.
pub(crate) fn played(
    players: usize,
    meetings: impl Iterator<Item = ((usize, usize), u32)>,
) -> Vec<PlayedGame> {
    let mut luck = ChaCha8Rng::seed_from_u64(1);
    let mut games = Vec::new();
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
            games.push(PlayedGame::by_rules(first, second, pair, outcome));
        }
    }
    games
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
