//! Measures the typed games.
//!
//! `cargo bench -p referee-games --bench games` prints how many random games are played per second.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod rates;

use rates::{RandomGames, random_games};

fn main() {
    println!("random games on one core");
    for RandomGames { game, per_second, plies } in random_games() {
        let a_ply = 1e9 / (per_second * plies);
        println!(
            "  {game:28} {per_second:9.0} games per second, {plies:5.1} plies per game, {a_ply:6.0} \
             ns per ply"
        );
    }
}
