//! The Cholesky factorisation of a symmetric matrix, dense or sparse, in blocks so that nearly all
//! work is done by matrix products.

use std::sync::Arc;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use crate::blocks::{blocks, factor_block, inverse_of_block};
use crate::envelope::Order;

/// The Cholesky factor `L` of a positive definite matrix `H = L Lᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    lower: Array2<f64>,
    /// The order of the rows of a sparse matrix, if it is not that of the parameters.
    order: Option<Arc<Order>>,
}

impl Factor {
    /// Factors a symmetric matrix.
    ///
    /// In exact arithmetic, every pivot is at least the smallest eigenvalue. `floor` is a lower
    /// bound of that eigenvalue which the caller knows. Pivots that rounding makes smaller are
    /// raised to it, so the factorisation always succeeds.
    pub(crate) fn new(matrix: Array2<f64>, floor: f64) -> Self {
        let mut lower = matrix;
        for (start, end) in blocks(lower.nrows()) {
            let (done, mut rest) = lower.view_mut().split_at(Axis(1), start);
            let mut panel = rest.slice_mut(s![start.., ..end - start]);
            let [rows, own] = [done.slice(s![start.., ..]), done.slice(s![start..end, ..])];
            general_mat_mul(-1.0, &rows, &own.t(), 1.0, &mut panel);
            let (mut corner, mut below) = panel.split_at(Axis(0), end - start);
            factor_block(&mut corner, floor);
            let solved = below.dot(&inverse_of_block(&corner.view()).t());
            below.assign(&solved);
        }
        for (at, mut row) in lower.rows_mut().into_iter().enumerate() {
            row.slice_mut(s![at + 1..]).fill(0.0);
        }
        Self { lower, order: None }
    }

    /// The same in the order of a sparse matrix, if there is one.
    pub(crate) fn in_order(matrix: Array2<f64>, floor: f64, order: Option<&Arc<Order>>) -> Self {
        let Some(order) = order else { return Self::new(matrix, floor) };
        Self { lower: order.factor(&matrix, floor), order: Some(Arc::clone(order)) }
    }

    /// `L` of a dense matrix.
    pub(crate) fn lower(&self) -> &Array2<f64> {
        &self.lower
    }

    /// Whether the matrix is sparse.
    pub(crate) fn is_sparse(&self) -> bool {
        self.order.is_some()
    }

    /// Where a row begins to be not zero.
    fn begin(&self, row: usize) -> usize {
        self.order.as_ref().map_or(0, |order| order.begin(row))
    }

    fn sorted(&self, values: &[f64]) -> Array1<f64> {
        let order = self.order.as_ref();
        order.map_or_else(|| values.to_vec(), |order| order.sorted(values)).into()
    }

    fn unsorted(&self, values: Array1<f64>) -> Array1<f64> {
        match &self.order {
            None => values,
            Some(order) => order.unsorted(&values.to_vec()).into(),
        }
    }

    /// The logarithm of the determinant of `H`.
    pub(crate) fn log_determinant(&self) -> f64 {
        2.0 * self.lower.diag().iter().map(|pivot| pivot.ln()).sum::<f64>()
    }

    /// Solves `H x = right` for `x`.
    pub(crate) fn solve(&self, right: &[f64]) -> Array1<f64> {
        let mut solution = self.sorted(right);
        for (at, row) in self.lower.rows().into_iter().enumerate() {
            let begin = self.begin(at);
            let known = row.slice(s![begin..at]).dot(&solution.slice(s![begin..at]));
            solution[at] = (solution[at] - known) / row[at];
        }
        for (at, row) in self.lower.rows().into_iter().enumerate().rev() {
            let value = solution[at] / row[at];
            let begin = self.begin(at);
            solution[at] = value;
            solution.slice_mut(s![begin..at]).scaled_add(-value, &row.slice(s![begin..at]));
        }
        self.unsorted(solution)
    }

    /// The product `H x`.
    pub(crate) fn product(&self, x: &[f64]) -> Array1<f64> {
        let (x, mut half) = (self.sorted(x), Array1::zeros(x.len()));
        let rows = || self.lower.rows().into_iter().enumerate();
        for (at, row) in rows() {
            let begin = self.begin(at);
            half.slice_mut(s![begin..=at]).scaled_add(x[at], &row.slice(s![begin..=at]));
        }
        let dot = |(at, row): (usize, ArrayView1<'_, f64>)| {
            let begin = self.begin(at);
            row.slice(s![begin..=at]).dot(&half.slice(s![begin..=at]))
        };
        self.unsorted(rows().map(dot).collect())
    }

    /// The cells of the inverse of `H` where `H` has any.
    pub(crate) fn known_inverse(&self) -> Array2<f64> {
        match &self.order {
            None => self.inverse(),
            Some(order) => order.inverse(&self.lower),
        }
    }

    /// The inverse of `H`. Products leave out the blocks that are zero, and those that follow from
    /// symmetry: with many players, nearly all the time of a fit goes here.
    pub(crate) fn inverse(&self) -> Array2<f64> {
        let half = self.inverse_of_lower();
        let mut inverse = Array2::zeros(half.raw_dim());
        for (start, end) in blocks(half.nrows()) {
            let [rows, own] = [half.slice(s![start.., ..end]), half.slice(s![start.., start..end])];
            let column = rows.t().dot(&own);
            inverse.slice_mut(s![start..end, ..end]).assign(&column.t());
            inverse.slice_mut(s![..end, start..end]).assign(&column);
        }
        match &self.order {
            None => inverse,
            Some(order) => order.unsorted_whole(&inverse),
        }
    }

    /// The product `A L`.
    pub(crate) fn multiplied_by(&self, left: &Array2<f64>) -> Array2<f64> {
        if let Some(order) = &self.order {
            return order.multiplied(left, &self.lower);
        }
        let mut product = Array2::zeros(left.raw_dim());
        for (start, end) in blocks(self.lower.nrows()) {
            let column = self.lower.slice(s![start.., start..end]);
            let known = left.slice(s![.., start..]).dot(&column);
            product.slice_mut(s![.., start..end]).assign(&known);
        }
        product
    }

    /// The inverse of `L`.
    fn inverse_of_lower(&self) -> Array2<f64> {
        let mut inverse = Array2::zeros(self.lower.raw_dim());
        for (start, end) in blocks(self.lower.nrows()) {
            let corner = inverse_of_block(&self.lower.slice(s![start..end, start..end]));
            let (above, mut rows) = inverse.view_mut().split_at(Axis(0), start);
            for (from, to) in blocks(start) {
                let left = self.lower.slice(s![start..end, from..start]);
                let left = left.dot(&above.slice(s![from.., from..to]));
                rows.slice_mut(s![..end - start, from..to]).assign(&-corner.dot(&left));
            }
            rows.slice_mut(s![..end - start, start..end]).assign(&corner);
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BLOCK;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    /// A well-conditioned matrix of two blocks and a bit.
    fn large() -> Array2<f64> {
        let size = 2 * BLOCK + 5;
        Array2::from_shape_fn((size, size), |(row, column)| {
            let cell = u32::try_from((7 * row.max(column) + 5 * row.min(column)) % 11);
            let on_diagonal = if row == column { 3.0 } else { 0.0 };
            on_diagonal + f64::from(cell.expect("small")) / 1000.0
        })
    }

    #[test]
    fn linear_systems_are_solved() {
        let matrix = ndarray::array![[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let solution = Factor::new(matrix, 0.1).solve(&[8.0, 15.0, 11.0]);
        assert!(solution.iter().zip([1.0, 2.0, 3.0]).all(|(&a, b)| close(a, b)), "{solution:?}");
    }

    #[test]
    fn the_factor_and_the_inverse_belong_to_the_matrix() {
        let matrix = large();
        let factor = Factor::new(matrix.clone(), 0.1);
        let again = factor.lower.dot(&factor.lower.t());
        assert!(again.iter().zip(&matrix).all(|(&one, &other)| close(one, other)));
        let product = factor.inverse().dot(&matrix);
        let unit = Array2::eye(matrix.nrows());
        assert!(product.iter().zip(&unit).all(|(&one, &other)| close(one, other)));
        let product = factor.multiplied_by(&matrix);
        let same = matrix.dot(&factor.lower);
        assert!(product.iter().zip(&same).all(|(&one, &other)| close(one, other)));
    }

    #[test]
    fn singular_matrices_are_raised_to_the_floor() {
        let matrix = Array2::ones((2, 2));
        assert!(Factor::new(matrix, 1e-3).solve(&[1.0, 0.0]).iter().all(|x| x.is_finite()));
    }
}
