//! A change of variables that makes the matrices of the fit by seat sparser.
//!
//! A game depends on a player's strength and on its own seat effect only through its strength at
//! the seat that it had. In these terms, most cells of two players that met are 0. The prior ties
//! the two strengths of one player together.

use crate::sparse::{Columns, SparseSymmetric};

/// Which parameters are replaced: each player's strength by that at the first seat, and its seat
/// effect by the strength at the second seat.
#[derive(Debug, Clone)]
pub(crate) struct StrengthsBySeat {
    /// The indices of a player's strength and of its seat effect.
    twins: Box<[(usize, usize)]>,
}

impl StrengthsBySeat {
    /// Replaces these pairs of a strength and a seat effect.
    pub(crate) fn new(twins: Vec<(usize, usize)>) -> Self {
        Self { twins: twins.into() }
    }

    /// The gradient over the new parameters.
    pub(crate) fn gradient<const W: usize>(&self, columns: Columns<W>) -> Columns<W> {
        self.changed(columns, |strength, effect| (strength / 2.0 + effect, strength / 2.0 - effect))
    }

    /// The old parameters.
    pub(crate) fn parameters<const W: usize>(&self, columns: Columns<W>) -> Columns<W> {
        self.changed(columns, |first, second| (first.midpoint(second), first - second))
    }

    fn changed<const W: usize>(
        &self,
        mut columns: Columns<W>,
        change: impl Fn(f32, f32) -> (f32, f32),
    ) -> Columns<W> {
        for &(one, other) in &self.twins {
            let (mut left, mut right) = (columns[one], columns[other]);
            for (x, y) in left.iter_mut().zip(&mut right) {
                (*x, *y) = change(*x, *y);
            }
            (columns[one], columns[other]) = (left, right);
        }
        columns
    }

    /// The matrix over the new parameters.
    pub(crate) fn matrix(&self, matrix: &SparseSymmetric) -> SparseSymmetric {
        if self.twins.is_empty() {
            return matrix.clone();
        }
        let mut terms: Vec<_> = (0..matrix.size()).map(|at| [(at, 1.0), (at, 0.0)]).collect();
        for &(strength, effect) in &self.twins {
            terms[strength] = [(strength, 0.5), (effect, 0.5)];
            terms[effect] = [(strength, 1.0), (effect, -1.0)];
        }
        matrix.transformed(&terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form `xᵀ A x` and the product with a gradient are the same in both terms.
    #[test]
    fn the_change_of_variables_changes_no_result() {
        let by_seat = StrengthsBySeat::new(vec![(0, 3), (1, 4)]);
        let cells = || (0..5).flat_map(|row| (0..=row).map(move |column| (row, column)));
        let mut matrix = SparseSymmetric::zero(5, cells());
        for (number, (row, column)) in (1_u8..).zip(cells()) {
            matrix.add(row, column, f64::from(number));
        }
        let changed = by_seat.matrix(&matrix);
        let x: Columns<1> = vec![[1.0], [-2.0], [3.0], [0.5], [4.0]];
        let old = by_seat.parameters(x.clone());
        let form = |matrix: &SparseSymmetric, x: &Columns<1>| {
            let image = matrix.multiplier().times(x);
            x.iter().zip(image).map(|([x], [y])| x * y).sum::<f32>()
        };
        assert!((form(&changed, &x) - form(&matrix, &old)).abs() < 1e-3);
        let gradient: Columns<1> = vec![[2.0], [1.0], [-1.0], [3.0], [0.25]];
        let product = |one: &Columns<1>, other: &Columns<1>| {
            one.iter().zip(other).map(|([x], [y])| x * y).sum::<f32>()
        };
        let new = by_seat.gradient(gradient.clone());
        assert!((product(&new, &x) - product(&gradient, &old)).abs() < 1e-4);
    }
}
