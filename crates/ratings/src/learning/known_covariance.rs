//! The covariance of the parameters, as far as learning reads it.

use crate::matrices::cholesky::CholeskyFactor;
use crate::matrices::curvature::MissingCurvature;
use crate::matrices::triangle::{Cells, Triangle};
use crate::rating_model::prior::Prior;

/// The covariance of the parameters, where it is read.
pub(super) struct KnownCovariance {
    /// Of parameters that games, steps or the means of a few compare: where a sparse matrix has cells.
    cells: Triangle,
    dispersion: f64,
    /// Of the sum of each camp.
    pub(super) of_camps: Vec<SumCovariance>,
    /// The variance of the sum of all steps.
    pub(super) of_steps: f64,
}

/// The covariance of a sum of parameters.
pub(super) struct SumCovariance {
    /// With each of them.
    pub(super) with: Vec<f64>,
    pub(super) variance: f64,
}

impl KnownCovariance {
    pub(super) fn new(prior: &Prior, information: &CholeskyFactor, cells: Triangle) -> Self {
        let dispersion = prior.dispersion;
        let of_sum = |unknown: MissingCurvature| {
            let sum = &unknown.sum;
            // A sparse matrix has no cells between all members of a wide sum.
            let with: Vec<f64> = if information.is_sparse() && unknown.is_wide() {
                let with = information.solve(&unknown.factors(cells.order().len()));
                sum.iter().map(|&(at, _)| with[at] * dispersion).collect()
            } else {
                let with = |&(row, _): &(usize, f64)| {
                    let cell = |column| cells.cell(row, column) * dispersion;
                    sum.iter().map(|&(column, factor)| factor * cell(column)).sum()
                };
                sum.iter().map(with).collect()
            };
            let variance = sum.iter().zip(&with).map(|((_, factor), with)| factor * with).sum();
            SumCovariance { with, variance }
        };
        let mut of_camps: Vec<_> = prior.unknown_means(1.0).into_iter().map(of_sum).collect();
        let of_steps = of_camps.split_off(prior.camps.len());
        let of_steps = of_steps.first().map_or(0.0, |of_sum| of_sum.variance);
        Self { cells, dispersion, of_camps, of_steps }
    }

    fn cell(&self, one: usize, other: usize) -> f64 {
        self.cells.cell(one, other) * self.dispersion
    }

    /// The variance of a parameter.
    pub(super) fn variance(&self, at: usize) -> f64 {
        self.cell(at, at)
    }

    /// The variance of the difference of two parameters that games or steps compare.
    pub(super) fn difference_variance(&self, one: usize, other: usize) -> f64 {
        self.variance(one) + self.variance(other) - 2.0 * self.cell(one, other)
    }
}
