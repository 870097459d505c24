//! Tests whether the results contradict the fixed ratings.

use crate::error::RatingError;
use crate::estimate::{Estimate, FixedRating};
use crate::fit::{Fit, fit_weakly};
use crate::parameters::ParameterLayout;
use crate::rating_model::RatingModel;
use crate::rating_model::prior::Prior;
use crate::results::Results;
use crate::significance::{SIGNIFICANT, Z95, holm, two_sided};

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
    p_value: f64,
}

/// Returns the clearest contradiction between the fixed ratings and the results, if one is
/// significant at 5%.
///
/// The difference that the results show must be too far from the given one, and the results must
/// also be too unlikely if the given one is true. Otherwise the priors could contradict ratings that
/// are so far apart that their players' results hardly depend on the difference.
///
/// # Errors
///
/// As [`fit()`](crate::fit()).
pub fn contradiction(
    results: &Results,
    fixed: &[FixedRating],
) -> Result<Option<Contradiction>, RatingError> {
    if fixed.len() < 2 {
        return Ok(None);
    }
    let free = fit_weakly(results, &[])?;
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
            let Some(found) = free.rating_difference(upper.player, lower.player) else { continue };
            let given = upper.rating - lower.rating;
            let deviation = (found.value - given) / (found.margin() / Z95);
            tested.push(((upper.player, lower.player, given, found), two_sided(deviation)));
        }
    }
    holm(&mut tested);
    let clear = tested.into_iter().take_while(|&(_, p_value)| p_value < SIGNIFICANT);
    let mut contradictions = clear.map(|((upper, lower, given, found), p_value)| {
        let p_value = p_value.max(anchor_likelihood_p_value(results, &free, [upper, lower], given));
        Contradiction { upper, lower, given, found, p_value }
    });
    Ok(contradictions.find(|contradiction| contradiction.p_value < SIGNIFICANT))
}

/// The p-value of the results if the difference of two players' ratings is `given`, by their
/// likelihood without the priors.
fn anchor_likelihood_p_value(
    results: &Results,
    free: &Fit,
    [upper, lower]: [usize; 2],
    given: f64,
) -> f64 {
    let mut shared = vec![None; results.players()];
    shared[upper] = Some((0, given / free.fitted.unit));
    shared[lower] = Some((0, 0.0));
    let layout = ParameterLayout::new(&shared, results.seat_effect());
    let tied = RatingModel::new(layout, &results.rated_games(), Prior::weak());
    let as_given = tied.log_likelihood(&tied.map_estimate().point);
    let as_found = free.fitted.model.log_likelihood(&free.fitted.point);
    two_sided((2.0 * (as_found - as_given)).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::game_outcome::GameOutcome::{Loss, Win};
    use crate::results::tests::results;

    fn found(ratings: [f64; 3]) -> Option<Contradiction> {
        // The first two are equal at both seats; the third has no games.
        let all = [(0, 1, Win), (0, 1, Loss), (1, 0, Win), (1, 0, Loss)];
        let games = all.map(|game| vec![game; 100]).concat();
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

    /// The contradiction if the first player has won all 40 games, or all but this many.
    fn forty_games(given: f64, lost: usize) -> Option<Contradiction> {
        let games: Vec<_> = (0..40_usize)
            .map(|game| {
                let [won, missed] = if game % 2 == 0 { [Win, Loss] } else { [Loss, Win] };
                let result = if game < lost { missed } else { won };
                (game % 2, 1 - game % 2, result)
            })
            .collect();
        let fixed = [(0, given), (1, 0.0)].map(|(player, rating)| FixedRating { player, rating });
        contradiction(&results(2, &games), &fixed).expect("known players")
    }

    #[test]
    fn anchors_far_apart_may_win_every_game() {
        for given in [500.0, 1000.0, 2000.0, 5000.0] {
            assert_eq!(forty_games(given, 0), None, "{given}");
        }
        assert!(forty_games(100.0, 0).is_some(), "a player 100 Elo better loses a third");
        assert!(forty_games(2000.0, 4).is_some(), "a player 2,000 Elo better does not lose");
    }

    #[test]
    fn the_prior_contradicts_no_anchors_far_apart() {
        for given in [1000.0, 3000.0, 6000.0] {
            // The first and the last are anchors. Each has an equal, who beats or loses to the other.
            let all =
                [(0, 1, Win), (1, 0, Win), (2, 3, Win), (3, 2, Win), (1, 2, Win), (2, 1, Loss)];
            let games = all.map(|game| vec![game; 30]).concat();
            let fixed =
                [(0, given), (3, 0.0)].map(|(player, rating)| FixedRating { player, rating });
            let found = contradiction(&results(4, &games), &fixed).expect("known players");
            assert_eq!(found, None, "{given}");
        }
    }
}
