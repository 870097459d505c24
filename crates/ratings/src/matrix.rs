//! A symmetric matrix over the parameters: dense for a field in which many meet, sparse for a large
//! one with few games each.

use crate::dense::{Factor, Symmetric};
use crate::linear::{Local, PairPredictor};
use crate::sparse::{Solver, SparseSymmetric, single};

/// Up to this many parameters, a dense matrix is always fast.
const SMALL: usize = 1000;
/// A sparse matrix pays if fewer than one in this many cells is stored.
const SPARSE: usize = 24;
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

/// A positive definite matrix, ready for systems.
#[derive(Debug, Clone)]
pub(crate) enum System {
    /// Its factor.
    Dense(Factor),
    /// The matrix, and the solver of its systems.
    Sparse(SparseSymmetric, Solver),
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
    /// The sum of a diagonal matrix and the matrices of pairings.
    ///
    /// Most changes are to the diagonal and to the rows of the advantage and of the draws,
    /// `borders`, so these are vectors of their own until the end.
    pub(crate) fn sum(
        pattern: &Pattern,
        diagonal: &[f64],
        borders: [usize; 2],
        terms: impl Iterator<Item = (PairPredictor, Local)>,
    ) -> Self {
        let mut matrix = match pattern {
            Pattern::Full => Self::Dense(Symmetric::diagonal(diagonal)),
            Pattern::Sparse(zero) => Self::Sparse(zero.with_diagonal(diagonal)),
        };
        let zeros = vec![0.0; diagonal.len()];
        let [mut own, mut first, mut second] = [zeros.clone(), zeros.clone(), zeros];
        for (predictor, local) in terms {
            predictor.add_matrix(&local, |row, column, x| {
                if row == borders[0] {
                    first[column] += x;
                } else if row == borders[1] {
                    second[column] += x;
                } else if row == column {
                    own[row] += x;
                } else {
                    matrix.add(row, column, x);
                }
            });
        }
        for at in 0..diagonal.len() {
            matrix.add(at, at, own[at]);
            matrix.add(borders[0], at, first[at]);
            matrix.add(borders[1], at, second[at]);
        }
        matrix
    }

    /// Adds `value` at (`row`, `column`) and at its mirror image, if they are in the pattern.
    fn add(&mut self, row: usize, column: usize, value: f64) {
        match self {
            Self::Dense(matrix) => matrix.add(row, column, value),
            Self::Sparse(matrix) => matrix.add(row, column, value),
        }
    }

    /// The matrix as a system. `floor` is a lower bound of the eigenvalues.
    pub(crate) fn system(self, floor: f64) -> System {
        match self {
            Self::Dense(matrix) => System::Dense(matrix.factor(floor)),
            Self::Sparse(matrix) => {
                let solver = matrix.solver();
                System::Sparse(matrix, solver)
            }
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

impl System {
    /// Solves `A x = right`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        match self {
            Self::Dense(factor) => factor.solve(right),
            Self::Sparse(_, solver) => {
                let right = right.iter().map(|&x| [single(x)]).collect();
                let solution = solver.solve(right, STEP_TOLERANCE);
                solution.into_iter().map(|[x]| x.into()).collect()
            }
        }
    }

    /// The inverse of `A`, as far as the pattern goes.
    pub(crate) fn inverse(&self) -> Matrix {
        match self {
            Self::Dense(factor) => Matrix::Dense(factor.inverse()),
            Self::Sparse(matrix, _) => Matrix::Sparse(matrix.inverse_on_pattern(INVERSE_TOLERANCE)),
        }
    }
}

#[cfg(test)]
mod tests;
