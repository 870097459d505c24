//! The matrices of the sandwich estimate `H⁻¹ (B + P) H⁻¹`, dense or sparse, and what is computed
//! from them: variances, and random deviations.

use ndarray::{Array1, Array2, ArrayView1, Axis};
use rand::Rng;

use crate::by_seat::StrengthsBySeat;
use crate::dense::Symmetric;
use crate::linear::{Local, PairPredictor};
use crate::matrix::{Matrix, System};
use crate::model::Model;
use crate::significance::normals;
use crate::sparse::{Columns, LANES, Multiplier, Solver, inner, signs, single};

/// The relative error of the solutions behind variances.
const VARIANCE_TOLERANCE: f32 = 5e-3;
/// The relative error of the covariances with one quantity.
const COVARIANCE_TOLERANCE: f32 = 1e-3;
/// The relative error of random deviations: far below their own noise.
const DEVIATION_TOLERANCE: f32 = 2e-2;

/// The covariance of the parameters, or what it is computed from.
#[derive(Debug, Clone)]
pub(crate) enum Sandwich {
    /// All of it is there.
    Dense {
        /// `H⁻¹`.
        inverse: Symmetric,
        /// `H⁻¹ G`, where `G Gᵀ = B + P`. The covariance is the root times its transpose.
        root: Array2<f64>,
    },
    /// Every use solves linear systems, in terms of the strengths by seat.
    Sparse {
        /// The change of variables.
        by_seat: StrengthsBySeat,
        /// `H`.
        information: Solver,
        /// `B + P − H`. It is small beside `H`, so variances inherit little of the errors of the
        /// solutions that it multiplies.
        excess: Multiplier,
        /// The terms of `B`, each with a factor `F`: the term is `F Fᵀ`.
        factors: Vec<(PairPredictor, [[f32; 3]; 3])>,
        /// The square roots of the diagonal of `P`.
        priors: Vec<f32>,
    },
}

impl Sandwich {
    /// From `H`, its inverse, and the terms of `B`.
    pub(crate) fn new(
        model: &Model,
        information: &System,
        inverse: Matrix,
        terms: impl Iterator<Item = (PairPredictor, Local)> + Clone,
    ) -> Self {
        let borders = model.layout.borders();
        let gradient = Matrix::sum(&model.pattern, &model.precisions, borders, terms.clone());
        match (information, gradient) {
            (System::Sparse(information, _), Matrix::Sparse(gradient)) => {
                let twins = model.layout.own_strengths_and_effects();
                let by_seat = StrengthsBySeat::new(twins);
                let precisions = model.precisions.iter();
                Self::Sparse {
                    information: by_seat.matrix(information).solver(),
                    excess: by_seat.matrix(&gradient.minus(information)).multiplier(),
                    factors: terms
                        .map(|(at, local)| (at, factor(&local).map(|row| row.map(single))))
                        .collect(),
                    priors: precisions.map(|precision| single(precision.sqrt())).collect(),
                    by_seat,
                }
            }
            (_, gradient) => {
                let (inverse, gradient) = (inverse.into_dense(), gradient.into_dense());
                let root = gradient.factor(model.floor()).times_lower(&inverse);
                Self::Dense { inverse, root }
            }
        }
    }

    /// The covariance of every parameter with the quantity that has this gradient.
    pub(crate) fn with(&self, weights: &[f64]) -> Vec<f64> {
        match self {
            Self::Dense { root, .. } => {
                root.dot(&ArrayView1::from(weights).dot(root)).into_raw_vec_and_offset().0
            }
            Self::Sparse { by_seat, information, excess, .. } => {
                let right: Columns<1> = weights.iter().map(|&x| [single(x)]).collect();
                let half = information.solve(by_seat.gradient(right), COVARIANCE_TOLERANCE);
                let more = information.solve(excess.times(&half), COVARIANCE_TOLERANCE);
                let both = half.into_iter().zip(more).map(|([one], [other])| [one + other]);
                let covariance = by_seat.parameters(both.collect());
                covariance.into_iter().map(|[x]| x.into()).collect()
            }
        }
    }

    /// The covariance of these parameters, if all of it is there.
    pub(crate) fn between(&self, parameters: &[usize]) -> Option<Symmetric> {
        let Self::Dense { root, .. } = self else { return None };
        Some(Symmetric::of_rows(&root.select(Axis(0), parameters)))
    }

    /// The variances of weighted sums of parameters.
    pub(crate) fn variances(&self, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        match self {
            Self::Dense { root, .. } => {
                let variance = |weights: &Vec<(usize, f64)>| {
                    let mut row = Array1::<f64>::zeros(root.ncols());
                    for &(at, weight) in weights {
                        row.scaled_add(weight, &root.row(at));
                    }
                    row.dot(&row)
                };
                sums.iter().map(variance).collect()
            }
            Self::Sparse { by_seat, information, excess, .. } => {
                let variances = sums.chunks(LANES).flat_map(|sums| {
                    let right = columns::<LANES>(information.size(), sums);
                    let right = by_seat.gradient(right);
                    let half = information.solve(right.clone(), VARIANCE_TOLERANCE);
                    let own = inner(&right, &half);
                    let more = inner(&half, &excess.times(&half));
                    own.into_iter()
                        .zip(more)
                        .map(|(own, more)| (own + more).max(0.0).into())
                        .take(sums.len())
                });
                variances.collect()
            }
        }
    }

    /// The variance that the model alone gives to a weighted sum of parameters, ignoring pairs.
    pub(crate) fn model_variance(&self, weights: &[(usize, f64)]) -> f64 {
        match self {
            Self::Dense { inverse, .. } => form(inverse, weights),
            Self::Sparse { by_seat, information, .. } => {
                let right = columns::<1>(information.size(), &[weights.to_vec()]);
                let right = by_seat.gradient(right);
                inner(&right, &information.solve(right.clone(), VARIANCE_TOLERANCE))[0].into()
            }
        }
    }

    /// Random deviations of all parameters: one row per round.
    pub(crate) fn deviations(&self, rounds: usize, luck: &mut impl Rng) -> Array2<f32> {
        match self {
            Self::Dense { root, .. } => {
                let mut noise = Array2::zeros((rounds, root.ncols()));
                for pair in noise.as_slice_mut().unwrap_or_default().chunks_mut(2) {
                    pair.copy_from_slice(&normals(luck)[..pair.len()]);
                }
                noise.dot(&root.mapv(single).t())
            }
            Self::Sparse { by_seat, information, factors, priors, .. } => {
                let mut all = Array2::zeros((rounds, priors.len()));
                for start in (0..rounds).step_by(LANES) {
                    let noise = by_seat.gradient(noise(factors, priors, luck));
                    let deviation = information.solve(noise, DEVIATION_TOLERANCE);
                    let deviation = by_seat.parameters(deviation);
                    for lane in 0..LANES.min(rounds - start) {
                        for (cell, row) in all.row_mut(start + lane).iter_mut().zip(&deviation) {
                            *cell = row[lane];
                        }
                    }
                }
                all
            }
        }
    }
}

/// `xᵀ A x` of a sparse vector.
fn form(matrix: &Symmetric, x: &[(usize, f64)]) -> f64 {
    let row =
        |&(at, by): &(usize, f64)| by * x.iter().map(|&(to, y)| matrix.at(at, to) * y).sum::<f64>();
    x.iter().map(row).sum()
}

/// One column per sum, and columns of zeros after them.
fn columns<const W: usize>(size: usize, sums: &[Vec<(usize, f64)>]) -> Columns<W> {
    let mut columns = vec![[0.0; W]; size];
    for (lane, weights) in sums.iter().enumerate() {
        for &(at, weight) in weights {
            columns[at][lane] += single(weight);
        }
    }
    columns
}

/// Random gradients with the covariance `B + P`: each term's factor with random signs. Their sum
/// is close to normal, because every player has several terms.
fn noise(
    factors: &[(PairPredictor, [[f32; 3]; 3])],
    priors: &[f32],
    luck: &mut impl Rng,
) -> Columns<LANES> {
    let mut noise = vec![[0.0; LANES]; priors.len()];
    for (row, prior) in noise.iter_mut().zip(priors) {
        *row = signs(luck.random()).map(|sign| prior * sign);
    }
    for (predictor, [[a, ..], [b, c, _], [d, e, f]]) in factors {
        let words: [u16; 3] = luck.random();
        let [x, y, z] = words.map(signs);
        let contrast = std::array::from_fn(|lane| a * x[lane]);
        let common = std::array::from_fn(|lane| b * x[lane] + c * y[lane]);
        let draw = std::array::from_fn(|lane| d * x[lane] + e * y[lane] + f * z[lane]);
        predictor.add_columns([contrast, common, draw], &mut noise);
    }
    noise
}

/// The lower triangular factor of a small positive semidefinite matrix.
fn factor(local: &Local) -> Local {
    let mut lower = Local::default();
    for row in 0..3 {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = local[row][column] - known;
            lower[row][column] = match lower[column][column] {
                _ if row == column => rest.max(0.0).sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_of_a_small_matrix() {
        let local = [[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let lower = factor(&local);
        for row in 0..3 {
            for column in 0..3 {
                let cell: f64 = (0..3).map(|k| lower[row][k] * lower[column][k]).sum();
                assert!((cell - local[row][column]).abs() < 1e-12);
            }
        }
    }
}
