//! Symmetric matrices over all parameters that are sparse but for a few products.
//!
//! A prior around a mean that is not known ties all its members together, so its precision has cells
//! between any two of them. They are the products of a vector with itself: kept apart, the rest stays
//! sparse.

use crate::matrices::triangle::Triangle;

/// The precision that a sum of parameters lacks because its mean is not known.
#[derive(Debug, Clone)]
pub(crate) struct MissingCurvature {
    /// By how much the precision of the sum is less.
    pub(crate) weight: f64,
    /// The sum: parameters with their factors.
    pub(crate) sum: Vec<(usize, f64)>,
}

/// A sum of so few parameters is left in the cells: it hardly makes them less sparse.
const FEW: usize = 16;

impl MissingCurvature {
    /// Whether it ties more than a few parameters together.
    pub(crate) fn is_wide(&self) -> bool {
        self.sum.len() > FEW
    }

    /// The factors of all parameters.
    pub(crate) fn factors(&self, parameters: usize) -> Vec<f64> {
        let mut factors = vec![0.0; parameters];
        self.sum.iter().for_each(|&(at, factor)| factors[at] = factor);
        factors
    }
}

/// A symmetric matrix: its cells, less what unknown means lack.
#[derive(Debug, Clone)]
pub(crate) struct Curvature {
    pub(crate) cells: Triangle,
    pub(crate) unknown: Vec<MissingCurvature>,
    /// A lower bound of its smallest eigenvalue.
    pub(crate) floor: f64,
}

impl Curvature {
    /// The same with room for cells anywhere, and all unknown means in them.
    pub(crate) fn dense(self) -> Self {
        Self { cells: self.cells.dense(), ..self }.absorb_narrow_means()
    }

    /// The same without unknown means that the cells have room for: all if they are dense, and
    /// otherwise those of a few parameters.
    pub(crate) fn absorb_narrow_means(self) -> Self {
        let Self { mut cells, unknown, floor } = self;
        let is_sparse = cells.order().is_sparse();
        let stays = |unknown: &MissingCurvature| is_sparse && unknown.is_wide();
        let (unknown, taken) = unknown.into_iter().partition::<Vec<_>, _>(stays);
        for MissingCurvature { weight, sum } in taken {
            for &(row, factor) in &sum {
                for &(column, other) in &sum {
                    cells.add(row, column, -weight * factor * other);
                }
            }
        }
        Self { cells, unknown, floor }
    }
}
