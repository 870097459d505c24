//! Whether the results contradict the ratings given to anchors.

use statrs::function::erf::erfc;

use super::fit::{Estimate, Z95, fit};
use super::residuals::{SIGNIFICANT, holm};
use super::{RatingError, Tally};
use crate::model::record::Anchor;

/// Two anchors whose results put them elsewhere than their given ratings do.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// The anchor with the higher given rating.
    pub upper: String,
    /// The other one.
    pub lower: String,
    /// How far the first is above the second by the ratings given, in Elo.
    pub given: f64,
    /// How far it is by the results alone.
    pub found: Estimate,
    /// How likely results are at least as far off by chance, corrected for the number of pairs of
    /// anchors.
    pub p_value: f64,
}

/// The clearest contradiction between the ratings of `anchors` and the results, if there is one
/// at 5%.
///
/// # Errors
///
/// As [`fit`].
pub fn contradiction(
    tally: &Tally,
    anchors: &[Anchor],
) -> Result<Option<Contradiction>, RatingError> {
    if anchors.len() < 2 {
        return Ok(None);
    }
    let free = fit(tally, &[])?;
    let mut tested = Vec::new();
    for (at, one) in anchors.iter().enumerate() {
        for other in &anchors[at + 1..] {
            let (upper, lower) =
                if one.rating >= other.rating { (one, other) } else { (other, one) };
            let (above, below) = (tally.number(&upper.player)?, tally.number(&lower.player)?);
            let Some(found) = free.difference(above, below) else { continue };
            let given = upper.rating - lower.rating;
            let deviation = (found.value - given).abs() / (found.margin() / Z95);
            tested.push(((upper, lower, given, found), erfc(deviation / 2_f64.sqrt())));
        }
    }
    holm(&mut tested);
    let clearest = tested.into_iter().next().filter(|&(_, p_value)| p_value < SIGNIFICANT);
    Ok(clearest.map(|((upper, lower, given, found), p_value)| Contradiction {
        upper: upper.player.clone(),
        lower: lower.player.clone(),
        given,
        found,
        p_value,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tally::tests::tally;
    use super::*;

    fn found(ratings: [f64; 3]) -> Option<Contradiction> {
        // Ant and bee are equals; cat met nobody.
        let games = [vec![(0, 1, "white"); 200], vec![(1, 0, "white"); 200]].concat();
        let tally = tally(&["ant", "bee", "cat"], &games);
        let anchors = ["ant", "bee", "cat"].into_iter().zip(ratings);
        let anchors: Vec<Anchor> =
            anchors.map(|(player, rating)| Anchor { player: player.to_owned(), rating }).collect();
        contradiction(&tally, &anchors).expect("known anchors")
    }

    #[test]
    fn ratings_that_the_results_contradict_are_told() {
        assert_eq!(found([1000.0, 1000.0, 3000.0]), None, "cat was compared with nobody");
        assert_eq!(found([1000.0, 1010.0, 0.0]), None, "that may be chance");
        let found = found([1000.0, 1300.0, 0.0]).expect("they are equals");
        assert_eq!((found.upper.as_str(), found.lower.as_str()), ("bee", "ant"));
        assert!((found.given - 300.0).abs() < 1e-9 && found.found.value.abs() < 1.0, "{found:?}");
        assert!(found.p_value < 0.01, "{found:?}");
    }
}
