//! Tests whether the first seat is worth the same to every player, and rates players by seat if
//! not.

use ndarray::{Array1, Array2, Axis, s};

use crate::dense::Factor;
use crate::error::RatingError;
use crate::fit::Fit;
use crate::fitted_model::{Assumed, FittedModel};
use crate::linear::SeatEffect;
use crate::rating::{Estimate, FixedRating};
use crate::results::Results;
use crate::significance::{chi_square_above, count};

/// Differences between players' seat effects are taken as real below this p-value.
const SIGNIFICANT: f64 = 0.01;

/// The seat effects of all players.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatEffects {
    /// The p-value of a χ² test over pairs, 0 … 1: the probability that effects differ at least
    /// this much if all are the same.
    pub p_value: f64,
    /// The ratings at each seat, indexed by player, without the advantage common to all. `None` if
    /// the test does not show a difference between players.
    pub by_seat: Option<Vec<SeatRatings>>,
}

/// A player's rating at each seat, in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeatRatings {
    /// At the first seat.
    pub first: Estimate,
    /// At the second seat.
    pub second: Estimate,
}

/// Tests whether players' seat effects differ and, if so, rates each player at each seat.
///
/// # Errors
///
/// As [`fit`](crate::fit()).
pub fn seat_effects(
    results: &Results,
    fixed: &[FixedRating],
    fit: &Fit,
) -> Result<SeatEffects, RatingError> {
    let fitted = FittedModel::new(
        results,
        fixed,
        SeatEffect::PerPlayer,
        &Assumed::Known(fit.fitted.model.prior().clone()),
    )?;
    let is_seated = |&player: &usize| {
        results.at_first(player).games() > 0 && results.at_second(player).games() > 0
    };
    let seated: Vec<usize> = (0..results.players()).filter(is_seated).collect();
    let p_value = p_value(&fitted, &seated);
    let by_seat = (p_value < SIGNIFICANT).then(|| {
        let layout = &fitted.model.layout;
        let [first, second] = [1.0, -1.0].map(|sign| {
            let share = -sign / 2.0 / count(seated.len());
            let mean: Vec<_> = seated.iter().map(|&other| (layout.own(other), share)).collect();
            fitted.ratings(&mean, |player| vec![(layout.own(player), sign / 2.0)])
        });
        let by_seat = first.into_iter().zip(second);
        by_seat.map(|(first, second)| SeatRatings { first, second }).collect()
    });
    Ok(SeatEffects { p_value, by_seat })
}

/// Wald's test of the deviations of the effects from their mean.
fn p_value(fitted: &FittedModel, seated: &[usize]) -> f64 {
    let Some(free) = seated.len().checked_sub(1).filter(|&free| free > 0) else { return 1.0 };
    let own: Vec<usize> = seated.iter().map(|&player| fitted.model.layout.own(player)).collect();
    let effects: Array1<f64> = own.iter().map(|&at| fitted.point[at]).collect();
    let effects = &effects - effects.sum() / count(own.len());
    // All but one of the deviations determine the last one.
    let covariance = fitted.covariance.between(&own);
    let means = covariance.sum_axis(Axis(1)) / count(own.len());
    let mean = means.sum() / count(own.len());
    let deviations = Array2::from_shape_fn((free, free), |(row, column)| {
        covariance[[row, column]] - means[row] - means[column] + mean
    });
    let effects = effects.slice(s![..free]);
    let solution = Factor::new(deviations, f64::MIN_POSITIVE).solve(&effects.to_vec());
    chi_square_above(effects.dot(&solution), free)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;
    use crate::outcome::GameOutcome::{self, Loss, Win};
    use crate::results::tests::results;

    /// Every two of four players meet `times` times at each seat; `winner` gives the outcome.
    fn all_meet(times: usize, winner: impl Fn(usize, usize, usize) -> GameOutcome) -> Results {
        let all = (0..4).flat_map(|first| (1..4).map(move |step| (first, (first + step) % 4)));
        let games: Vec<(usize, usize, GameOutcome)> = all
            .flat_map(|(first, second)| (0..times).map(move |game| (first, second, game)))
            .map(|(first, second, game)| (first, second, winner(first, second, game)))
            .collect();
        results(4, &games)
    }

    fn effects(results: &Results) -> SeatEffects {
        let fit = fit(results, &[]).expect("no anchor");
        seat_effects(results, &[], &fit).expect("no anchor")
    }

    #[test]
    fn an_advantage_common_to_all_is_not_a_difference() {
        let results = all_meet(20, |_, _, game| if game % 3 == 0 { Loss } else { Win });
        let effects = effects(&results);
        assert!(effects.p_value > 0.9 && effects.by_seat.is_none(), "{effects:?}");
    }

    #[test]
    fn a_player_that_needs_the_first_seat_is_detected() {
        let results = all_meet(20, |first, second, game| match (first, second) {
            (0, _) | (_, 0) if game % 5 > 0 => Win,
            _ if game % 2 == 0 => Win,
            _ => Loss,
        });
        let effects = effects(&results);
        assert!(effects.p_value < 1e-3, "{effects:?}");
        let ratings = effects.by_seat.expect("a difference");
        assert!(ratings[0].first.value > ratings[0].second.value + 50.0, "{ratings:?}");
    }

    #[test]
    fn too_few_players_cannot_differ() {
        let none = Results::new(1);
        assert!((effects(&none).p_value - 1.0).abs() < 1e-12);
        let two = results(2, &[(0, 1, Win), (1, 0, Win)]);
        assert!(effects(&two).p_value > 0.5);
    }

    #[test]
    fn what_ratings_share_may_also_be_added_to_each() {
        let games: Vec<_> = (0..12).map(|n| (n % 4, (n + 1 + n / 4) % 4)).collect();
        let games: Vec<_> =
            games.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a, b, Win)).collect();
        let results = results(4, &games);
        let fitted = FittedModel::new(&results, &[], SeatEffect::PerPlayer, &Assumed::Weak)
            .expect("no anchor");
        let own = |player: usize| (fitted.model.layout.own(player), 0.5);
        let shared: Vec<(usize, f64)> = (0..3).map(own).collect();
        let once = fitted.ratings(&shared, |player| vec![own(player)]);
        let each = fitted.ratings(&[], |player| [&shared[..], &[own(player)]].concat());
        for (once, each) in once.iter().zip(&each) {
            assert!((once.value - each.value).abs() < 1e-6, "{once:?} {each:?}");
            assert!((once.high - each.high).abs() < 1e-6, "{once:?} {each:?}");
        }
    }
}
