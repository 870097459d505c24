//! A symmetric matrix over the parameters: dense for a field in which many meet, sparse for a large
//! one with few games each.

use crate::dense::Symmetric;
use crate::linear::{Local, PairPredictor};
use crate::sparse::{SparseSymmetric, single};

/// Up to this many parameters, a dense matrix is always fast.
const SMALL: usize = 2000;
/// A sparse matrix pays if fewer than one in this many cells is stored.
const SPARSE: usize = 64;
/// The relative error of a Newton step. The next step corrects it.
const STEP_TOLERANCE: f32 = 1e-5;
/// The relative error of an inverse: it only corrects variances for the fit's own influence.
const INVERSE_TOLERANCE: f32 = 3e-2;

/// A symmetric matrix over the parameters.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    /// With all cells.
    Dense(Symmetric),
    /// With the cells of parameters that occur in the same game.
    Sparse(SparseSymmetric),
}

/// Which cells a matrix has.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// All of them.
    Full,
    /// Those of this matrix.
    Sparse(SparseSymmetric),
}

impl Pattern {
    /// The pattern that games with these predictors need.
    pub(crate) fn of(
        size: usize,
        predictors: impl ExactSizeIterator<Item = PairPredictor>,
    ) -> Self {
        // Every two players that met have two cells of their own.
        if size <= SMALL || 2 * SPARSE * predictors.len() > size * size {
            return Self::Full;
        }
        let zero = Self::sparse(size, predictors);
        if SPARSE * zero.stored() < size * size { Self::Sparse(zero) } else { Self::Full }
    }

    /// The cells of parameters that occur in the same game.
    pub(crate) fn sparse(
        size: usize,
        predictors: impl Iterator<Item = PairPredictor>,
    ) -> SparseSymmetric {
        let mut cells = Vec::new();
        for predictor in predictors {
            predictor.add_matrix(&Local::default(), |row, column, _| cells.push((row, column)));
        }
        SparseSymmetric::zero(size, cells.into_iter())
    }
}

impl Matrix {
    /// A matrix with these numbers on the diagonal.
    pub(crate) fn diagonal(pattern: &Pattern, diagonal: &[f64]) -> Self {
        match pattern {
            Pattern::Full => Self::Dense(Symmetric::diagonal(diagonal)),
            Pattern::Sparse(zero) => Self::Sparse(zero.with_diagonal(diagonal)),
        }
    }

    /// Adds the matrix `local` of a pairing.
    pub(crate) fn add(&mut self, predictor: &PairPredictor, local: &Local) {
        match self {
            Self::Dense(matrix) => predictor.add_matrix(local, |row, to, x| matrix.add(row, to, x)),
            Self::Sparse(matrix) => {
                predictor.add_matrix(local, |row, to, x| matrix.add(row, to, x));
            }
        }
    }

    /// Solves `A x = right`. `floor` is a lower bound of the eigenvalues.
    pub(crate) fn solve(self, right: &[f64], floor: f64) -> Vec<f64> {
        match self {
            Self::Dense(matrix) => matrix.factor(floor).solve(right),
            Self::Sparse(matrix) => {
                let right = right.iter().map(|&x| [single(x)]).collect();
                let solution = matrix.solver().solve(right, STEP_TOLERANCE);
                solution.into_iter().map(|[x]| x.into()).collect()
            }
        }
    }

    /// The inverse, as far as the pattern goes. `floor` is a lower bound of the eigenvalues.
    pub(crate) fn inverse(&self, floor: f64) -> Self {
        match self {
            Self::Dense(matrix) => Self::Dense(matrix.clone().factor(floor).inverse()),
            Self::Sparse(matrix) => Self::Sparse(matrix.inverse_on_pattern(INVERSE_TOLERANCE)),
        }
    }

    /// The value at (`row`, `column`); 0 outside the pattern.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        match self {
            Self::Dense(matrix) => matrix.at(row, column),
            Self::Sparse(matrix) => matrix.at(row, column),
        }
    }

    /// The matrix with all cells.
    pub(crate) fn into_dense(self) -> Symmetric {
        match self {
            Self::Dense(matrix) => matrix,
            Self::Sparse(matrix) => {
                let mut dense = Symmetric::diagonal(&vec![0.0; matrix.size()]);
                matrix.lower().for_each(|(row, column, cell)| dense.add(row, column, cell));
                dense
            }
        }
    }
}

#[cfg(test)]
mod tests;
