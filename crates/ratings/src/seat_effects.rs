//! Tests whether seats differ, and whether they are worth the same to every player; rates players
//! by seat if not.

mod permutation;

use self::permutation::permutation_p_value;
use ndarray::{Array1, Array2, Axis, s};

use crate::covariance::wald_without_covariance;
use crate::error::RatingError;
use crate::estimate::{Estimate, FixedRating};
use crate::fit::Fit;
use crate::fitted_model::{EstimatedModel, FittedModel, FittedModelPrior};
use crate::matrices::cholesky::CholeskyFactor;
use crate::parameters::SeatEffect;
use crate::results::Results;
use crate::results::deals::Seating;
use crate::results::rated_games::RatedGames;
use crate::significance::{chi_square_above, count_as_f64, f_distribution_above};

/// Differences between players' seat effects are taken as real below this p-value.
const SIGNIFICANT: f64 = 0.01;
/// With this many deals, the error of the variance does not matter.
const MANY_DEALS: usize = 100;

/// The seat effects of all players.
#[derive(Debug, Clone, PartialEq)]
pub struct SeatEffects {
    /// The p-value of a χ² test over pairs, or with more seats of turned deals, 0 … 1: the
    /// probability that effects differ at least this much if all are the same.
    pub p_value: f64,
    /// The p-value of the values of more than two seats, 0 … 1: the probability that they differ at
    /// least this much if all are the same. `None` if there are two, or too few deals.
    pub values_p: Option<f64>,
    /// The ratings at each of two seats, indexed by player, without the advantage common to all.
    /// `None` if the test does not show a difference between players.
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
    if let RatedGames::Deals(deals) = results.rated_games() {
        let is_known = deals.table.seating == Seating::Known;
        return Ok(SeatEffects {
            p_value: if is_known { permutation_p_value(fit, &deals) } else { 1.0 },
            values_p: seat_values_p_value(&fit.fitted, deals.list.len()).filter(|_| is_known),
            by_seat: None,
        });
    }
    let assumed = FittedModelPrior::Fitted(&fit.fitted);
    let estimated = EstimatedModel::new(results, fixed, SeatEffect::PerPlayer, &assumed)?;
    let is_seated = |&player: &usize| {
        results.outcomes_at_first(player).games() > 0
            && results.outcomes_at_second(player).games() > 0
    };
    let seated: Vec<usize> = (0..results.players()).filter(is_seated).collect();
    // Among many players, nearly all the time would go into ratings by seat that nobody needs.
    let sparse_p = sparse_seat_effects_p_value(&estimated, &seated);
    if let Some(p_value) = sparse_p.filter(|&p_value| p_value >= SIGNIFICANT) {
        return Ok(SeatEffects { p_value, values_p: None, by_seat: None });
    }
    let fitted = FittedModel::from_estimated(estimated, results.table());
    let p_value = sparse_p.unwrap_or_else(|| seat_effects_p_value(&fitted, &seated));
    let by_seat = (p_value < SIGNIFICANT).then(|| {
        let layout = &fitted.model.layout;
        let [first, second] = [1.0, -1.0].map(|sign| {
            let share = -sign / 2.0 / count_as_f64(seated.len());
            let mean: Vec<_> =
                seated.iter().map(|&other| (layout.own_effect_index(other), share)).collect();
            fitted.ratings(&mean, |player| vec![(layout.own_effect_index(player), sign / 2.0)])
        });
        let by_seat = first.into_iter().zip(second);
        by_seat.map(|(first, second)| SeatRatings { first, second }).collect()
    });
    Ok(SeatEffects { p_value, values_p: None, by_seat })
}

/// The p-value of the differences between these players' effects.
fn seat_effects_p_value(fitted: &FittedModel, seated: &[usize]) -> f64 {
    let own: Vec<usize> =
        seated.iter().map(|&player| fitted.model.layout.own_effect_index(player)).collect();
    seat_wald_test(fitted, &own).map_or(1.0, |(statistic, free)| chi_square_above(statistic, free))
}

/// The same before the uncertainty of all parameters is known, if their curvature is sparse.
fn sparse_seat_effects_p_value(estimated: &EstimatedModel, seated: &[usize]) -> Option<f64> {
    let EstimatedModel { model, map, games, .. } = estimated;
    let own: Vec<usize> =
        seated.iter().map(|&player| model.layout.own_effect_index(player)).collect();
    let free = own.len().checked_sub(1).filter(|&free| free > 0 && map.information.is_sparse())?;
    Some(chi_square_above(wald_without_covariance(model, map, games, &own), free))
}

/// The p-value of the differences between the values of seats. With few deals, the variance itself is
/// uncertain.
fn seat_values_p_value(fitted: &FittedModel, deals: usize) -> Option<f64> {
    let values: Vec<usize> = fitted.model.layout.seat_values().collect();
    let (statistic, free) = seat_wald_test(fitted, &values)?;
    if deals >= MANY_DEALS {
        return Some(chi_square_above(statistic, free));
    }
    let left = deals.checked_sub(free).filter(|&left| left > 0)?;
    Some(f_distribution_above(statistic / count_as_f64(free), free, left))
}

/// Wald's test of the deviations of parameters from their mean: the statistic and its degrees of
/// freedom. `None` if there are fewer than two.
fn seat_wald_test(fitted: &FittedModel, parameters: &[usize]) -> Option<(f64, usize)> {
    let free = parameters.len().checked_sub(1).filter(|&free| free > 0)?;
    let effects: Array1<f64> = parameters.iter().map(|&at| fitted.point[at]).collect();
    let effects = &effects - effects.sum() / count_as_f64(parameters.len());
    // All but one of the deviations determine the last one.
    let covariance = fitted.covariance.submatrix(parameters);
    let means = covariance.sum_axis(Axis(1)) / count_as_f64(parameters.len());
    let mean = means.sum() / count_as_f64(parameters.len());
    let deviations = Array2::from_shape_fn((free, free), |(row, column)| {
        covariance[[row, column]] - means[row] - means[column] + mean
    });
    let effects = effects.slice(s![..free]);
    let solution =
        CholeskyFactor::from_dense(&deviations, f64::MIN_POSITIVE).solve(&effects.to_vec());
    Some((effects.dot(&solution), free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::fit;
    use crate::learning::tests::league;
    use crate::results::game_outcome::GameOutcome::{self, Loss, Win};
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
    fn a_long_league_is_tested_without_the_inverse() {
        let results = league(10, 40);
        let fit = fit(&results, &[]).expect("no anchor");
        let assumed = FittedModelPrior::Fitted(&fit.fitted);
        let estimated = || EstimatedModel::new(&results, &[], SeatEffect::PerPlayer, &assumed);
        let seated: Vec<usize> = (0..results.players()).collect();
        let sparse =
            sparse_seat_effects_p_value(&estimated().expect("no anchor"), &seated).expect("sparse");
        let whole = FittedModel::from_estimated(estimated().expect("no anchor"), None);
        assert!((sparse - seat_effects_p_value(&whole, &seated)).abs() < 1e-9, "{sparse}");
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
        let fitted =
            FittedModel::new(&results, &[], SeatEffect::PerPlayer, &FittedModelPrior::Weak)
                .expect("no anchor");
        let own = |player: usize| (fitted.model.layout.own_effect_index(player), 0.5);
        let shared: Vec<(usize, f64)> = (0..3).map(own).collect();
        let once = fitted.ratings(&shared, |player| vec![own(player)]);
        let each = fitted.ratings(&[], |player| [&shared[..], &[own(player)]].concat());
        for (once, each) in once.iter().zip(&each) {
            assert!((once.value - each.value).abs() < 1e-6, "{once:?} {each:?}");
            assert!((once.high - each.high).abs() < 1e-6, "{once:?} {each:?}");
        }
    }
}
