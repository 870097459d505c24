//! Ratings in Elo with their intervals, from one joint fit of all results.
//!
//! The fit finds the strengths, first-seat advantage and draw parameter ν under the
//! Bradley–Terry–Davidson model. The prior of the strengths is learned from the results (see
//! `learning.rs`). The others are weak: a standard deviation of 200 Elo for the advantage, and a
//! factor of e² for ν, around ½. So every player has a finite rating, even if it won, lost or drew
//! all its games, or played none.
//!
//! That is sound where opponents were chosen regardless of strength, or by these results. Where they
//! were chosen by what is known from elsewhere, as in divisions, all games look close, and the
//! learned prior takes this for a close field. For [such results](Results::set_matched_elsewhere),
//! the strengths have the weak prior if they scatter more widely under it.
//!
//! Strengths are converted to Elo by the factor `400/ln 10 · 2/(2+ν)`. A small rating difference
//! then means the same expected score as in the logistic Elo formula, for any draw rate of the
//! game. Intervals are 95% intervals from the curvature at the maximum, clustered by pair (see
//! `covariance.rs`), and include the uncertainty of ν and of the prior. They are for the difference
//! from the mean of the player's group, or from the anchors if there are any.

use crate::error::RatingError;
use crate::estimate::{Estimate, FixedRating};
use crate::fitted_model::{FittedModel, FittedModelPrior};
use crate::results::Results;
use crate::significance::{Z95, count_as_f64};

/// Ratings scatter more widely if they do by this many standard errors.
const CERTAIN: f64 = 2.0;

/// The ratings of a tournament.
#[derive(Debug, Clone)]
pub struct Fit {
    /// The ratings in Elo, indexed by player. In each group, either their mean is 0 or the fixed
    /// ratings hold.
    pub ratings: Vec<Estimate>,
    /// The Elo advantage of having the first seat instead of the second.
    pub first_advantage: Estimate,
    /// The value of each seat in Elo, compared with their mean; empty if it is not known who had
    /// which seat.
    pub seat_values: Vec<Estimate>,
    /// The draw parameter ν: between equals, a draw is ν times as likely as a win of a given
    /// player.
    pub(crate) draw: f64,
    /// The group of each player. Only ratings within a group can be compared.
    pub(crate) groups: Vec<usize>,
    /// The correlation between a player's scores in two games of a pair or deal, −1 … 1.
    pub pair_correlation: f64,
    /// The variance of the scores in a game, as a multiple of what is expected between equals: 1
    /// with two seats.
    pub game_dispersion: f64,
    /// Whether the spread of the strengths was learned from the results.
    pub is_learned: bool,
    pub(crate) fitted: FittedModel,
}

impl Fit {
    /// The probability of a draw between equals, 0 … 1.
    pub fn draw_rate(&self) -> f64 {
        self.draw / (2.0 + self.draw)
    }

    /// The ratings of a fitted model.
    fn from_model(fitted: FittedModel) -> Self {
        let layout = &fitted.model.layout;
        Self {
            ratings: fitted.ratings(&[], |_| Vec::new()),
            first_advantage: fitted.advantage([0, 1], 1.0),
            seat_values: fitted.seat_values(),
            draw: fitted.point[layout.draw_index()].exp(),
            groups: fitted.groups.clone(),
            pair_correlation: fitted.covariance.dispersion.correlation,
            game_dispersion: fitted.covariance.dispersion.within,
            is_learned: true,
            fitted,
        }
    }

    /// The variance of the ratings, and the mean of their squared standard errors.
    fn rating_variances(&self) -> [f64; 2] {
        let all = count_as_f64(self.ratings.len());
        let mut sums = vec![(0.0, 0.0); self.ratings.len()];
        for (rating, &group) in self.ratings.iter().zip(&self.groups) {
            sums[group].0 += rating.value;
            sums[group].1 += 1.0;
        }
        let square = |(rating, &group): (&Estimate, &usize)| {
            (rating.value - sums[group].0 / sums[group].1).powi(2)
        };
        let squares: f64 = self.ratings.iter().zip(&self.groups).map(square).sum();
        let errors = self.ratings.iter().map(|rating| (rating.margin() / Z95).powi(2));
        [squares / all, errors.sum::<f64>() / all]
    }

    /// Whether strengths have more than twice the variance that they have in `other`, beyond what is
    /// luck.
    fn scatters_more_than(&self, other: &Self) -> bool {
        let luck = CERTAIN * (2.0 / count_as_f64(self.ratings.len())).sqrt();
        let ([own, own_errors], [others, other_errors]) =
            (self.rating_variances(), other.rating_variances());
        own * (1.0 - luck) - own_errors > 2.0 * (others + other_errors)
    }
}

/// Fits all results jointly. Players with a fixed rating keep it, and the rest of their group is
/// rated relative to them.
///
/// # Errors
///
/// Fails if there are more than [`MOST_PLAYERS`](crate::MOST_PLAYERS) players, or if a fixed rating
/// names an unknown player, is given twice, or is not finite.
pub fn fit(results: &Results, fixed: &[FixedRating]) -> Result<Fit, RatingError> {
    let seats = results.seat_effect();
    let learned =
        Fit::from_model(FittedModel::new(results, fixed, seats, &FittedModelPrior::Learned)?);
    if !results.are_matched_elsewhere() {
        return Ok(learned);
    }
    let weak = Fit { is_learned: false, ..fit_weakly(results, fixed)? };
    Ok(if weak.scatters_more_than(&learned) { weak } else { learned })
}

/// The same under the weak prior, for any results: strengths have a standard deviation of 600
/// Elo.
pub(crate) fn fit_weakly(results: &Results, fixed: &[FixedRating]) -> Result<Fit, RatingError> {
    Ok(Fit::from_model(FittedModel::new(
        results,
        fixed,
        results.seat_effect(),
        &FittedModelPrior::Weak,
    )?))
}

#[cfg(test)]
mod tests;
