//! Made-up results for tests.

use proptest::prelude::*;
use referee_record::model::record::examples::{distinct, game};

use super::NamedResults;

/// The results of these games, `(first, second, result)`.
///
/// # Panics
/// A result is unknown.
pub fn results(names: &[&str], games: &[(usize, usize, &str)]) -> NamedResults {
    let owned: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut results = NamedResults::new(&owned);
    for (number, &(first, second, result)) in (1..).zip(games) {
        let game = distinct(game(names[first], names[second], result), number);
        results.add(&game).expect("known players");
    }
    results
}

/// A strategy for small tournaments of four players.
pub fn any_results() -> impl Strategy<Value = NamedResults> {
    let result = prop::sample::select(vec!["white", "black", "draw"]);
    let game = (0..4_usize, 1..4_usize, result);
    prop::collection::vec(game, 0..60).prop_map(|games| {
        let games: Vec<_> =
            games.into_iter().map(|(i, step, result)| (i, (i + step) % 4, result)).collect();
        results(&["ant", "bee", "cat", "dog"], &games)
    })
}
