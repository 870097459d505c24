//! Measures the typed games.
//!
//! `cargo bench -p referee-games --bench games` prints how many random games are played per second,
//! and how many positions are counted per second compared with `cozy-chess`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod rates;

use rates::{Counting, RandomGames, bulk_counts, random_games, walks};

fn main() {
    println!("random games on one core");
    for RandomGames { game, per_second, plies } in random_games() {
        let a_ply = 1e9 / (per_second * plies);
        println!(
            "  {game:28} {per_second:9.0} games per second, {plies:5.1} plies per game, {a_ply:6.0} \
             ns per ply"
        );
    }
    println!("perft, every position played, against cozy-chess");
    print(walks());
    println!("perft, last ply counted in bulk, against cozy-chess counting in bulk");
    print(bulk_counts());
}

fn print(countings: impl IntoIterator<Item = Counting>) {
    for Counting { start, millions, ratio } in countings {
        println!("  {start:28} {ratio:5.2} × ({millions:.0} million nodes per second)");
    }
}
