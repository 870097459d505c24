//! Results by worker, for tournaments on many machines, and a test whether any player did
//! differently on one of them.
//!
//! The unit is a pair of games, because both are played by one worker. Under the null hypothesis,
//! the pairs of two players were spread over the workers without regard to their results. So given
//! the scores of all pairs of the two, the sum on one worker has the mean and variance of a sample
//! without replacement. Sums over all opponents give a standard score (the test of mean scores of
//! Mantel and Haenszel, with the opponents as strata), and Holm's method corrects for the number of
//! tests.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use referee_games::Seat;
use referee_ratings::{holm, two_sided};
use referee_record::model::game_summary::GameSummary;
use referee_record::model::record::GameRecord;

/// A player is only tested on a worker with this many pairs of games there, and as many elsewhere.
pub const FEWEST_PAIRS: u32 = 10;
/// A difference is reported if its corrected p-value is below this.
pub(crate) const SIGNIFICANT: f64 = 0.05;
/// The half points of a pair of games.
const HALVES: f64 = 4.0;

/// Results by worker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkerResults {
    /// The workers, by name.
    pub workers: Vec<WorkerGames>,
    /// The players' results on each of them, by player.
    pub players: Vec<PlayerByWorker>,
    /// How many tests were made: one for each player on each worker with enough games.
    pub tests: usize,
    /// The smallest corrected p-value of these tests; none without a test.
    pub smallest_p: Option<f64>,
    /// The significant differences, the clearest first.
    pub different: Vec<WorkerDifference>,
}

/// The games of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerGames {
    /// Its name; none for games that no worker played.
    pub worker: Option<String>,
    /// The number of games.
    pub games: u32,
    /// The number of games that ended in a fault.
    pub faults: u32,
}

/// The results of a player, in the order of the workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayerByWorker {
    /// The name.
    pub player: String,
    /// The number of games and the score in half points on each worker.
    pub results: Vec<(u32, u32)>,
}

/// A player that did better or worse on a worker than elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkerDifference {
    /// The player.
    pub player: String,
    /// The worker; none for games that no worker played.
    pub worker: Option<String>,
    /// Its score there minus what it scored against the same opponents on all workers, as a share
    /// of the points, −1 … 1.
    pub difference: f64,
    /// The p-value, corrected for the number of tests.
    pub p_value: f64,
}

/// The scores of pairs of games, in half points.
#[derive(Debug, Clone, Copy, Default)]
struct WorkerPairScores {
    pairs: u32,
    sum: f64,
    squares: f64,
}

impl WorkerPairScores {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The expectation and variance of the sum of `pairs` of these, drawn without replacement.
    fn expected_sample(self, pairs: u32) -> (f64, f64) {
        let (all, drawn) = (f64::from(self.pairs), f64::from(pairs));
        let mean = self.sum / all;
        if self.pairs < 2 {
            return (drawn * mean, 0.0);
        }
        let spread = (self.squares - self.sum * mean).max(0.0) / (all - 1.0);
        (drawn * mean, spread * drawn * (all - drawn) / all)
    }
}

/// A pair with one game seen so far: its players and number.
type HalfPair = (usize, usize, u32);

/// Collects the results, one game at a time. Its size grows with the numbers of pairings and
/// workers, not of games.
#[derive(Debug, Default)]
pub(crate) struct WorkerCollector {
    numbers: BTreeMap<Option<String>, usize>,
    games: Vec<(u32, u32)>,
    /// Games and half points by player and worker.
    results: HashMap<(usize, usize), (u32, u32)>,
    /// By player, opponent and worker.
    scores: BTreeMap<(usize, usize), BTreeMap<usize, WorkerPairScores>>,
    /// The worker and the half points of both players in the first game of a pair.
    halves: HashMap<HalfPair, (usize, [usize; 2])>,
}

impl WorkerCollector {
    /// Adds a game of these players, by seat.
    pub(crate) fn add(&mut self, game: &GameRecord, summary: GameSummary, players: [usize; 2]) {
        let fresh = self.numbers.len();
        let worker = *self.numbers.entry(game.worker.clone()).or_insert(fresh);
        self.games.resize(self.numbers.len(), (0, 0));
        self.games[worker].0 += 1;
        self.games[worker].1 += u32::from(summary.is_faulted());
        let halves = [Seat::FIRST, Seat::SECOND].map(|seat| summary.halves()[seat]);
        for (player, halves) in players.into_iter().zip(halves) {
            let result = self.results.entry((player, worker)).or_default();
            result.0 += 1;
            result.1 += u32::try_from(halves).unwrap_or_default();
        }
        let swap = players[0] > players[1];
        let order =
            |[first, second]: [usize; 2]| if swap { [second, first] } else { [first, second] };
        let ([low, high], halves) = (order(players), order(halves));
        match self.halves.remove(&(low, high, game.pair)) {
            None => drop(self.halves.insert((low, high, game.pair), (worker, halves))),
            // After a crash, the games of a pair may be from two workers.
            Some((other, _)) if other != worker => {}
            Some((_, first)) => {
                self.add_pair((low, high), worker, first[0] + halves[0]);
                self.add_pair((high, low), worker, first[1] + halves[1]);
            }
        }
    }

    fn add_pair(&mut self, pairing: (usize, usize), worker: usize, halves: usize) {
        #[expect(clippy::cast_precision_loss, reason = "at most 4")]
        let sum = halves as f64;
        let scores = self.scores.entry(pairing).or_default().entry(worker).or_default();
        scores.add(WorkerPairScores { pairs: 1, sum, squares: sum * sum });
    }

    /// The results, if a worker played any game. `names` are those of the players.
    pub(crate) fn conclude(&self, names: &[String]) -> Option<WorkerResults> {
        self.numbers.keys().flatten().next()?;
        let order: Vec<(&Option<String>, usize)> =
            self.numbers.iter().map(|(name, &number)| (name, number)).collect();
        let workers = order.iter().map(|&(name, number)| {
            let (games, faults) = self.games[number];
            WorkerGames { worker: name.clone(), games, faults }
        });
        let result = |player, worker| self.results.get(&(player, worker)).copied();
        let players = names.iter().enumerate().map(|(player, name)| PlayerByWorker {
            player: name.clone(),
            results: order.iter().map(|&(_, it)| result(player, it).unwrap_or_default()).collect(),
        });
        let mut tested = Vec::new();
        for (player, name) in names.iter().enumerate() {
            for &(worker, number) in &order {
                let Some((difference, p_value)) = self.test_difference(player, number) else {
                    continue;
                };
                tested.push(((name, worker, difference), p_value));
            }
        }
        holm(&mut tested);
        let (tests, smallest_p) = (tested.len(), tested.first().map(|&(_, p_value)| p_value));
        let different = tested.into_iter().take_while(|&(_, p_value)| p_value < SIGNIFICANT);
        let different = different.map(|((player, worker, difference), p_value)| {
            let (player, worker) = (player.clone(), worker.clone());
            WorkerDifference { player, worker, difference, p_value }
        });
        Some(WorkerResults {
            workers: workers.collect(),
            players: players.collect(),
            tests,
            smallest_p,
            different: different.collect(),
        })
    }

    /// The difference of a player on a worker, as a share of the points, and its p-value. `None`
    /// without enough games, or if its results never vary.
    fn test_difference(&self, player: usize, worker: usize) -> Option<(f64, f64)> {
        let (mut here, mut all, mut expected, mut variance) =
            (WorkerPairScores::default(), WorkerPairScores::default(), 0.0, 0.0);
        for by_worker in self.scores.range((player, 0)..(player + 1, 0)).map(|(_, scores)| scores) {
            let mut stratum = WorkerPairScores::default();
            for scores in by_worker.values() {
                stratum.add(*scores);
            }
            let drawn = by_worker.get(&worker).copied().unwrap_or_default();
            let (mean, spread) = stratum.expected_sample(drawn.pairs);
            here.add(drawn);
            all.add(stratum);
            expected += mean;
            variance += spread;
        }
        let enough = here.pairs >= FEWEST_PAIRS && all.pairs - here.pairs >= FEWEST_PAIRS;
        (enough && variance > 0.0).then(|| {
            let difference = here.sum - expected;
            let share = difference / (HALVES * f64::from(here.pairs));
            (share, two_sided(difference / variance.sqrt()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::model::record::GameRecord;
    use referee_record::model::record::examples::game;

    fn add(collector: &mut WorkerCollector, record: &GameRecord, players: [usize; 2]) {
        collector.add(record, GameSummary::from_record(record).expect("a result"), players);
    }

    /// Plays this many pairs of ant and bee on a worker; ant wins this many of each ten games with
    /// the first seat, and loses the others.
    fn play(collector: &mut WorkerCollector, worker: &str, pairs: std::ops::Range<u32>, wins: u32) {
        for pair in pairs {
            let first = if pair % 10 < wins { "white" } else { "black" };
            for (number, players, result) in [(1, [0, 1], first), (2, [1, 0], "draw")] {
                let names = players.map(|player: usize| ["ant", "bee"][player]);
                let mut record = game(names[0], names[1], result);
                (record.pair, record.game) = (pair, number);
                record.worker = Some(worker.to_owned());
                add(collector, &record, players);
            }
        }
    }

    fn concluded(plan: &[(&str, std::ops::Range<u32>, u32)]) -> WorkerResults {
        let mut collector = WorkerCollector::default();
        for (worker, pairs, wins) in plan {
            play(&mut collector, worker, pairs.clone(), *wins);
        }
        assert!(collector.halves.is_empty());
        collector.conclude(&["ant", "bee"].map(str::to_owned)).expect("results")
    }

    #[test]
    fn a_player_that_does_worse_on_a_worker_is_found() {
        let found = concluded(&[("one", 0..50, 8), ("slow", 50..100, 2), ("two", 100..150, 8)]);
        assert_eq!(found.tests, 6, "two players on three workers");
        assert_eq!(found.different.len(), 6, "the others are better than the mean");
        for difference in &found.different[..2] {
            assert_eq!(difference.worker.as_deref(), Some("slow"));
            let sign = if difference.player == "ant" { -1.0 } else { 1.0 };
            // ant won 0.2 instead of 0.6 of the first games, which are half of all.
            assert!((difference.difference - sign * 0.2).abs() < 1e-9);
        }
        assert_eq!(found.workers[1].games, 100);
        assert_eq!(found.players[0].results, [(100, 130), (100, 70), (100, 130)]);
    }

    #[test]
    fn players_that_do_the_same_everywhere_are_not_reported() {
        let found = concluded(&[("one", 0..50, 6), ("two", 50..100, 6)]);
        assert_eq!((found.tests, found.different.len()), (4, 0));
        assert_eq!(found.smallest_p, Some(1.0));
    }

    #[test]
    fn few_games_and_games_that_never_vary_are_not_tested() {
        assert_eq!(concluded(&[("one", 0..9, 9), ("two", 10..100, 1)]).tests, 0);
        assert_eq!(concluded(&[("one", 0..50, 10), ("two", 50..100, 10)]).tests, 0);
        let mut collector = WorkerCollector::default();
        add(&mut collector, &game("ant", "bee", "white"), [0, 1]);
        assert_eq!(collector.conclude(&["ant".to_owned(), "bee".to_owned()]), None);
    }

    #[test]
    fn the_variance_is_that_of_a_sample_without_replacement() {
        // Of 4, 0, 4, 0, two are drawn: 8, 4 (four times) or 0, so the variance is 32 ÷ 6.
        let all = WorkerPairScores { pairs: 4, sum: 8.0, squares: 32.0 };
        let (mean, variance) = all.expected_sample(2);
        assert!((mean - 4.0).abs() < 1e-12 && (variance - 32.0 / 6.0).abs() < 1e-12);
    }
}
