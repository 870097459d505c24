//! Measures the cost of ratings.
//!
//! `cargo bench -p referee-ratings --bench ratings` prints one row per tournament: the CPU time of
//! counting the games one by one, of the fit with its intervals (with its ratio to a plain Cholesky
//! factorisation), of the rank intervals, and of all three. `-- 200` prints only the rows of 200
//! players.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod tournaments;

use referee_ratings::PlayedGame;
use tournaments::{RatingTimes, played, round_robin};

fn main() {
    let only: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let is_wanted = |players: &usize| only.is_empty() || only.contains(players);
    println!("players    games    counting         fit      plain  rank intervals        all");
    let all = [(10, 10), (100, 1), (100, 10), (100, 100), (200, 1), (1000, 1), (2000, 1)];
    for (players, pairs) in all.into_iter().filter(|(players, _)| is_wanted(players)) {
        print(players, &round_robin(players, pairs));
    }
    for players in [200, 1000].iter().filter(|players| is_wanted(players)) {
        print(*players, &rounds(*players, &[1, 3, 8, 21, 55, 34, 13]));
    }
}

/// Prints the row of a tournament.
fn print(players: usize, games: &[PlayedGame]) {
    let times = RatingTimes::measure(players, games);
    let ratio = times.plain.map_or("–".to_owned(), |plain| format!("{:.1} ×", times.fit / plain));
    let (games, total) = (games.len(), times.total());
    let RatingTimes { counting, fit, ranks, .. } = times;
    println!(
        "{players:7} {games:8} {counting:8.1} ms {fit:8.1} ms {ratio:>8} \
         {ranks:10.1} ms {total:8.1} ms"
    );
}

/// In each round, players meet in a pair of games whose numbers are this far apart.
fn rounds(players: usize, distances: &[usize]) -> Vec<PlayedGame> {
    let meeting = |one: usize, apart: usize| (one, (one + apart) % players);
    let half = move |&apart: &usize| {
        let first = (0..players).filter(move |one| one / apart % 2 == 0);
        first.map(move |one| (meeting(one, apart), 1))
    };
    played(players, distances.iter().flat_map(half))
}
