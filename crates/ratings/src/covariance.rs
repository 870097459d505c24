//! The covariance of the fitted parameters when games that belong together are correlated.
//!
//! It is the sandwich estimate `H⁻¹ (B + P) H⁻¹`. `H` is the observed information, `P` the
//! information of the priors, and `B` the covariance of the gradient, summed over the observed
//! pairs or deals. The games of a pair or deal may depend on each other in any way; pairs and deals
//! are independent. See `pair_spread.rs` and `deal_spread.rs` for how `B` is estimated.

pub(crate) mod deal_spread;
pub(crate) mod dispersion;
pub(crate) mod pair_spread;

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};
use rand::Rng;

use crate::covariance::deal_spread::DealSpread;
use crate::covariance::dispersion::Dispersion;
use crate::covariance::pair_spread::PairSpreads;
use crate::matrices::cholesky::CholeskyFactor;
use crate::matrices::curvature::Curvature;
use crate::matrices::triangle::Cells;
use crate::rating_model::prior::TornPriorCamp;
use crate::rating_model::{MapEstimate, RatingModel};
use crate::results::rated_games::RatedGames;
use crate::significance::{draw_two_normals, to_single_precision};

/// What is left of an equation that is solved step by step, compared with its right side. Only its
/// square is missing in the statistic.
const SOLVED: f64 = 1e-5;

/// The uncertainty of fitted parameters.
#[derive(Debug, Clone)]
pub(crate) struct Covariance {
    /// `H⁻¹`.
    inverse: Array2<f64>,
    /// `H⁻¹ G`, where `G Gᵀ = B + P`, and columns for the uncertainty of the prior. The
    /// covariance is the root times its transpose.
    root: Array2<f64>,
    pub(crate) dispersion: Dispersion,
}

impl Covariance {
    pub(crate) fn new(model: &RatingModel, estimate: MapEstimate, games: &RatedGames) -> Self {
        let MapEstimate { point, information } = estimate;
        let inverse = information.inverse();
        drop(information);
        let (gradient, dispersion) = estimate_gradient_covariance(model, &point, &inverse, games);
        let mut gradient = gradient.dense();
        for (row, column, covariance) in
            model.prior().torn.iter().flat_map(TornPriorCamp::pull_covariance)
        {
            gradient.cells.add(row, column, covariance);
        }
        let root = CholeskyFactor::new(gradient).multiply_from_left(&inverse);
        // The prior is uncertain, too.
        let doubts = &model.prior().doubts;
        let more = Array2::from_shape_fn((root.nrows(), doubts.len()), |(parameter, doubt)| {
            doubts[doubt].get(parameter).copied().unwrap_or(0.0)
        });
        let root = concatenate![Axis(1), root, more];
        Self { inverse, root, dispersion }
    }

    /// The deviations of a parameter: its row of the root.
    pub(crate) fn deviations_of(&self, parameter: usize) -> ArrayView1<'_, f64> {
        self.root.row(parameter)
    }

    pub(crate) fn submatrix(&self, parameters: &[usize]) -> Array2<f64> {
        let rows = self.root.select(Axis(0), parameters);
        rows.dot(&rows.t())
    }

    /// The variance that the model alone gives to a weighted sum of parameters, ignoring pairs.
    pub(crate) fn model_variance(&self, weights: &[(usize, f64)]) -> f64 {
        let row = |&(row, by): &(usize, f64)| {
            by * weights.iter().map(|&(at, weight)| weight * self.inverse[[row, at]]).sum::<f64>()
        };
        weights.iter().map(row).sum()
    }

    /// A root of the covariance of these parameters in single precision, for
    /// [`draw_from_covariance_root`].
    pub(crate) fn single_precision_root(&self, parameters: &[usize]) -> Array2<f32> {
        CholeskyFactor::from_dense(&self.submatrix(parameters), f64::MIN_POSITIVE)
            .lower()
            .mapv(to_single_precision)
    }
}

/// `B + P` without what players add who may belong to another camp, and the dispersion in `B`. Of the
/// inverse, only the cells that `H` has are needed.
fn estimate_gradient_covariance(
    model: &RatingModel,
    point: &[f64],
    inverse: &impl Cells,
    games: &RatedGames,
) -> (Curvature, Dispersion) {
    let of_priors = model.prior().dispersion;
    match games {
        RatedGames::Pairs(pairings) => {
            let spreads = PairSpreads::new(model, point, inverse, pairings);
            (
                model.information_matrix(of_priors, spreads.gradient_covariances()),
                spreads.dispersion(),
            )
        }
        RatedGames::Deals(deals) => {
            let spread = DealSpread::new(model, point, inverse, deals);
            let mut gradient = model.information_matrix(of_priors, std::iter::empty());
            spread.add_gradient(&mut gradient.cells);
            (gradient, spread.dispersion())
        }
    }
}

/// Wald's statistic of the deviations of `parameters` from their mean, without the covariance of all:
/// with a sparse `H`, solving for one vector at a time takes far less than its inverse. The
/// uncertainty of the prior is left out; it only concerns strengths.
pub(crate) fn wald_without_covariance(
    model: &RatingModel,
    estimate: &MapEstimate,
    games: &RatedGames,
    parameters: &[usize],
) -> f64 {
    let MapEstimate { point, information } = estimate;
    let gradient = CholeskyFactor::new(
        estimate_gradient_covariance(model, point, &information.known_inverse(), games).0,
    );
    let spread = |values: &Array1<f64>| {
        let mut all = vec![0.0; point.len()];
        parameters.iter().zip(values).for_each(|(&at, &value)| all[at] = value);
        all
    };
    let own = |all: Array1<f64>| parameters.iter().map(|&at| all[at]).collect::<Array1<f64>>();
    let covariance = |values: &Array1<f64>| {
        let way = information.solve(&spread(values)).to_vec();
        let mut half = gradient.product(&way);
        model.prior().torn.iter().for_each(|camp| camp.add_times(&way, &mut half));
        own(information.solve(&half.to_vec()))
    };
    let precision = |values: &Array1<f64>| own(information.product(&spread(values)));
    let solve = |right: &Array1<f64>| solve_by_conjugate_gradients(covariance, precision, right);
    let ones = Array1::ones(parameters.len());
    let effects: Array1<f64> = parameters.iter().map(|&at| point[at]).collect();
    let [of_effects, of_ones] = [&effects, &ones].map(solve);
    let [squares, weight] =
        [(&effects, &of_effects), (&ones, &of_ones)].map(|(it, of)| it.dot(&of.0));
    // With what is left of one equation and the solution of the other, the sum is as exact as these.
    let sum = of_effects.0.sum() + of_ones.0.dot(&of_effects.1);
    // The mean is where the statistic is least.
    squares - sum * sum / weight
}

/// Solves `A x = right` for a positive definite `A`, of which `near` is about the inverse. Returns the
/// solution, and what is left of the right side. The error of `right · x` is as small as the square
/// of what is left.
fn solve_by_conjugate_gradients(
    product: impl Fn(&Array1<f64>) -> Array1<f64>,
    near: impl Fn(&Array1<f64>) -> Array1<f64>,
    right: &Array1<f64>,
) -> (Array1<f64>, Array1<f64>) {
    let mut solution = Array1::zeros(right.len());
    let mut left = right.clone();
    let mut better = near(&left);
    let mut way = better.clone();
    let mut length = left.dot(&better);
    let enough = length * SOLVED * SOLVED;
    for _ in 0..right.len() {
        if length <= enough {
            break;
        }
        let along = product(&way);
        let step = length / way.dot(&along);
        solution.scaled_add(step, &way);
        left.scaled_add(-step, &along);
        better = near(&left);
        let before = std::mem::replace(&mut length, left.dot(&better));
        way = better + way * (length / before);
    }
    (solution, left)
}

/// The variance of the score in a pair or deal of games, as a multiple of what independent games
/// would have.
pub(crate) fn estimate_dispersion(
    model: &RatingModel,
    point: &[f64],
    inverse: &impl Cells,
    games: &RatedGames,
) -> f64 {
    let dispersion = match games {
        RatedGames::Pairs(pairings) => {
            PairSpreads::new(model, point, inverse, pairings).dispersion()
        }
        RatedGames::Deals(deals) => DealSpread::new(model, point, inverse, deals).dispersion(),
    };
    dispersion.overall
}

/// Random deviations of all parameters, from the root of their covariance: one row per round.
pub(crate) fn draw_from_covariance_root(
    root: &Array2<f32>,
    rounds: usize,
    luck: &mut impl Rng,
) -> Array2<f32> {
    let mut noise = Array2::zeros((rounds, root.ncols()));
    for pair in noise.as_slice_mut().unwrap_or_default().chunks_mut(2) {
        pair.copy_from_slice(&draw_two_normals(luck)[..pair.len()]);
    }
    noise.dot(&root.t())
}
