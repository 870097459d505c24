//! Tests whether the results contradict the fixed ratings.

use statrs::function::erf::erfc;

use crate::error::RatingError;
use crate::fit::fit;
use crate::rating::{Estimate, FixedRating};
use crate::results::Results;
use crate::significance::{SIGNIFICANT, Z95, holm};

/// Two players whose results contradict their fixed ratings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contradiction {
    /// The player with the higher fixed rating.
    pub upper: usize,
    /// The player with the lower fixed rating.
    pub lower: usize,
    /// The difference of their fixed ratings, upper minus lower, in Elo.
    pub given: f64,
    /// The same difference, estimated from the results alone.
    pub found: Estimate,
    /// The probability that chance alone puts the results at least as far off, corrected for the
    /// number of pairs of fixed ratings.
    pub p_value: f64,
}

/// Returns the clearest contradiction between the fixed ratings and the results, if one is
/// significant at 5%.
///
/// # Errors
///
/// As [`fit()`].
pub fn contradiction(
    results: &Results,
    fixed: &[FixedRating],
) -> Result<Option<Contradiction>, RatingError> {
    if fixed.len() < 2 {
        return Ok(None);
    }
    let free = fit(results, &[])?;
    let mut tested = Vec::new();
    for (at, one) in fixed.iter().enumerate() {
        for other in &fixed[at + 1..] {
            let (upper, lower) =
                if one.rating >= other.rating { (one, other) } else { (other, one) };
            for player in [upper.player, lower.player] {
                if player >= results.players() {
                    return Err(RatingError::UnknownPlayer(player));
                }
            }
            let Some(found) = free.difference(upper.player, lower.player) else { continue };
            let given = upper.rating - lower.rating;
            let deviation = (found.value - given).abs() / (found.margin() / Z95);
            tested.push(((upper, lower, given, found), erfc(deviation / 2_f64.sqrt())));
        }
    }
    holm(&mut tested);
    let clearest = tested.into_iter().next().filter(|&(_, p_value)| p_value < SIGNIFICANT);
    Ok(clearest.map(|((upper, lower, given, found), p_value)| Contradiction {
        upper: upper.player,
        lower: lower.player,
        given,
        found,
        p_value,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::GameOutcome::Win;
    use crate::results::tests::results;

    fn found(ratings: [f64; 3]) -> Option<Contradiction> {
        // The first two are equal; the third has no games.
        let games = [vec![(0, 1, Win); 200], vec![(1, 0, Win); 200]].concat();
        let fixed: Vec<FixedRating> =
            (0..).zip(ratings).map(|(player, rating)| FixedRating { player, rating }).collect();
        contradiction(&results(3, &games), &fixed).expect("known players")
    }

    #[test]
    fn fixed_ratings_that_the_results_contradict_are_found() {
        assert_eq!(found([1000.0, 1000.0, 3000.0]), None, "the third was compared with nobody");
        assert_eq!(found([1000.0, 1010.0, 0.0]), None, "that may be chance");
        let found = found([1000.0, 1300.0, 0.0]).expect("they are equals");
        assert_eq!((found.upper, found.lower), (1, 0));
        assert!((found.given - 300.0).abs() < 1e-9 && found.found.value.abs() < 1.0, "{found:?}");
        assert!(found.p_value < 0.01, "{found:?}");
    }
}
