//! The lower triangle of a matrix in an order, dense or sparse, and the Cholesky factorisation in
//! blocks, so that nearly all work is done by matrix products.
//!
//! Factoring takes as much work as the envelope needs, and so do the cells of the inverse inside of
//! it (Takahashi's equations), which are all that learning reads: there is one wherever the matrix
//! has one.

use std::ops::Range;
use std::sync::Arc;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};

use crate::matrices::blocks::{factor_block, invert_block, split_into_blocks};
use crate::matrices::parameter_order::{ParameterOrder, Row};

/// A symmetric matrix over all parameters, as far as it is known.
pub(crate) trait Cells {
    /// The cell of two parameters.
    fn cell(&self, one: usize, other: usize) -> f64;
}

impl Cells for Array2<f64> {
    fn cell(&self, one: usize, other: usize) -> f64 {
        self[[one, other]]
    }
}

/// The cells of a symmetric or triangular matrix on and below its diagonal, inside the envelope of
/// an order: all others are zero, or not known.
#[derive(Debug, Clone)]
pub(crate) struct Triangle {
    order: Arc<ParameterOrder>,
    /// The [columns](ParameterOrder::columns) of each block of rows. Above the diagonal, a factor
    /// has zeros, an inverse its cells, and any other matrix nothing that is read.
    rows: Vec<Array2<f64>>,
}

impl Cells for Triangle {
    /// The cell of two parameters in a symmetric matrix.
    ///
    /// # Panics
    ///
    /// It is outside of the envelope.
    fn cell(&self, one: usize, other: usize) -> f64 {
        let [one, other] = [one, other].map(|parameter| self.order.place(parameter));
        let (row, at) = self.index(one.max(other), one.min(other));
        self.rows[row][at]
    }
}

impl Triangle {
    /// All cells are zero.
    pub(crate) fn zeros(order: Arc<ParameterOrder>) -> Self {
        let rows = order.blocks().iter().enumerate();
        let rows = rows.map(|(row, rows)| Array2::zeros((rows.len(), order.columns(row).len())));
        Self { rows: rows.collect(), order }
    }

    /// A dense matrix, from its blocks of rows up to the diagonal.
    pub(crate) fn from_block_rows(rows: impl Iterator<Item = Array2<f64>>) -> Self {
        let rows: Vec<_> = rows.collect();
        let order = ParameterOrder::dense(rows.iter().map(Array2::nrows).sum());
        Self { order: Arc::new(order), rows }
    }

    /// The triangle of a dense matrix.
    pub(crate) fn from_dense(matrix: &Array2<f64>) -> Self {
        let of_rows = |rows: Range<usize>| matrix.slice(s![rows.clone(), ..rows.end]).to_owned();
        Self::from_block_rows(split_into_blocks(0..matrix.nrows()).map(of_rows))
    }

    pub(crate) fn order(&self) -> &Arc<ParameterOrder> {
        &self.order
    }

    /// The block of rows of a cell, and its index there.
    fn index(&self, row: usize, column: usize) -> (usize, [usize; 2]) {
        let Row { block, at, begin } = self.order.row(row);
        (block, [at, column - begin])
    }

    /// Adds to the cell of two parameters, if it is on or below the diagonal in the order: of a
    /// symmetric matrix, both cells of two parameters are to be added.
    ///
    /// # Panics
    ///
    /// It is outside of the envelope.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let [row, column] = [row, column].map(|parameter| self.order.place(parameter));
        if row >= column {
            let (block, at) = self.index(row, column);
            self.rows[block][at] += value;
        }
    }

    /// Some columns of a block of rows.
    pub(crate) fn columns_of_block(
        &self,
        row: usize,
        columns: &Range<usize>,
    ) -> ArrayView2<'_, f64> {
        let begin = self.order.columns(row).start;
        self.rows[row].slice(s![.., columns.start - begin..columns.end - begin])
    }

    /// A block of cells.
    fn block(&self, row: usize, column: usize) -> ArrayView2<'_, f64> {
        self.columns_of_block(row, &self.order.blocks()[column])
    }

    fn block_mut(&mut self, row: usize, column: usize) -> ArrayViewMut2<'_, f64> {
        let (begin, columns) = (self.order.columns(row).start, &self.order.blocks()[column]);
        self.rows[row].slice_mut(s![.., columns.start - begin..columns.end - begin])
    }

    /// The same matrix, symmetric, with room for cells anywhere.
    pub(crate) fn dense(self) -> Self {
        if !self.order.is_sparse() {
            return self;
        }
        let mut dense = Self::zeros(Arc::new(ParameterOrder::dense(self.order.len())));
        let parameters = self.order.parameters();
        for (at, begin, cells) in self.rows_to_diagonal() {
            let parameter = parameters[at];
            for (&cell, &other) in cells.iter().zip(&parameters[begin..]) {
                let (row, column) = (parameter.max(other), parameter.min(other));
                dense.add(row, column, cell);
            }
        }
        dense
    }

    /// A triangular matrix in its order, with all that is zero.
    pub(crate) fn square(&self) -> Array2<f64> {
        let mut square = Array2::zeros((self.order.len(), self.order.len()));
        for (row, rows) in self.order.blocks().iter().enumerate() {
            let mut cells = square.slice_mut(s![rows.clone(), self.order.columns(row)]);
            cells.assign(&self.rows[row]);
        }
        square
    }

    /// The Cholesky factor of a symmetric matrix: see `CholeskyFactor::new`.
    pub(crate) fn factor(mut self, floor: f64) -> Self {
        for (column, &Range { start, end }) in self.order.blocks().iter().enumerate() {
            let begin = self.order.columns(column).start;
            let (above, rows) = self.rows.split_at_mut(column + 1);
            let (own, mut corner) = above[column].view_mut().split_at(Axis(1), start - begin);
            general_mat_mul(-1.0, &own, &own.t(), 1.0, &mut corner);
            factor_block(&mut corner, floor);
            for (at, mut cells) in corner.rows_mut().into_iter().enumerate() {
                cells.slice_mut(s![at + 1..]).fill(0.0);
            }
            let inverse = invert_block(&corner.view());
            for row in self.order.blocks_below(column) {
                let first = self.order.columns(row).start;
                let known = first.max(begin);
                let cells = rows[row - column - 1].view_mut();
                let (done, mut rest) = cells.split_at(Axis(1), start - first);
                let mut cell = rest.slice_mut(s![.., ..end - start]);
                let done = done.slice(s![.., known - first..]);
                let own = own.slice(s![.., known - begin..]);
                general_mat_mul(-1.0, &done, &own.t(), 1.0, &mut cell);
                let solved = cell.dot(&inverse.t());
                cell.assign(&solved);
            }
        }
        self
    }

    /// The cells of the inverse of `L Lᵀ` inside the envelope, where these are those of `L`.
    pub(crate) fn inverse_inside(&self) -> Self {
        let mut inverse = Self::zeros(Arc::clone(&self.order));
        let all = self.rows.len();
        for column in (0..all).rev() {
            let corner = invert_block(&self.block(column, column));
            let mut own = corner.t().dot(&corner);
            let ways = self.order.blocks_below(column);
            let ways = ways.map(|row| (row, self.block(row, column).dot(&corner)));
            let ways: Vec<_> = ways.collect();
            for (row, way) in &ways {
                let mut cell = Array2::zeros(way.raw_dim());
                for (other, other_way) in &ways {
                    let known = if row >= other {
                        inverse.block(*row, *other)
                    } else {
                        inverse.block(*other, *row).reversed_axes()
                    };
                    general_mat_mul(-1.0, &known, other_way, 1.0, &mut cell);
                }
                general_mat_mul(-1.0, &cell.t(), way, 1.0, &mut own);
                inverse.block_mut(*row, column).assign(&cell);
            }
            inverse.block_mut(column, column).assign(&own);
        }
        inverse
    }

    /// Adds the product of a matrix, with rows in this order, and its transpose.
    pub(crate) fn add_product(&mut self, root: &Array2<f64>) {
        for (row, rows) in self.order.blocks().iter().enumerate() {
            let [one, other] =
                [rows.clone(), self.order.columns(row)].map(|rows| root.slice(s![rows, ..]));
            general_mat_mul(1.0, &one, &other.t(), 1.0, &mut self.rows[row]);
        }
    }

    /// The diagonal in this order.
    pub(crate) fn diagonal(&self) -> impl Iterator<Item = f64> {
        self.rows_to_diagonal().map(|(at, begin, row)| row[at - begin])
    }

    /// The number of each row, the column where it begins, and its cells from there to the diagonal.
    fn rows_to_diagonal(
        &self,
    ) -> impl DoubleEndedIterator<Item = (usize, usize, ArrayView1<'_, f64>)> {
        self.order.blocks().iter().enumerate().flat_map(move |(block, rows)| {
            let begin = self.order.columns(block).start;
            rows.clone().map(move |at| {
                (at, begin, self.rows[block].slice(s![at - rows.start, ..=at - begin]))
            })
        })
    }

    /// Solves `L x = right` for `x`, in this order.
    pub(crate) fn solve(&self, right: Array1<f64>) -> Array1<f64> {
        let mut solution = right;
        for (at, begin, row) in self.rows_to_diagonal() {
            let known = row.slice(s![..at - begin]).dot(&solution.slice(s![begin..at]));
            solution[at] = (solution[at] - known) / row[at - begin];
        }
        solution
    }

    /// Solves `Lᵀ x = right` for `x`, in this order.
    pub(crate) fn solve_transposed(&self, right: Array1<f64>) -> Array1<f64> {
        let mut solution = right;
        for (at, begin, row) in self.rows_to_diagonal().rev() {
            let value = solution[at] / row[at - begin];
            solution[at] = value;
            let mut above = solution.slice_mut(s![begin..at]);
            above.scaled_add(-value, &row.slice(s![..at - begin]));
        }
        solution
    }

    /// The product `L Lᵀ x`, in this order.
    pub(crate) fn product(&self, x: &Array1<f64>) -> Array1<f64> {
        let mut half = Array1::zeros(x.len());
        for (at, begin, row) in self.rows_to_diagonal() {
            half.slice_mut(s![begin..=at]).scaled_add(x[at], &row);
        }
        self.rows_to_diagonal()
            .map(|(at, begin, row)| row.dot(&half.slice(s![begin..=at])))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::cholesky::CholeskyFactor;
    use crate::matrices::curvature::{Curvature, MissingCurvature};
    use crate::matrices::parameter_order::tests::{SIZE, cliques};

    fn order() -> Arc<ParameterOrder> {
        let order = ParameterOrder::new(SIZE, &cliques());
        assert!(order.is_sparse());
        Arc::new(order)
    }

    fn matrix() -> Triangle {
        let mut matrix = Triangle::zeros(order());
        (0..SIZE).for_each(|at| matrix.add(at, at, 1.0));
        for (clique, weight) in cliques().iter().zip(1..) {
            for &row in clique {
                matrix.add(row, row, 1.0);
                let others = clique.iter().filter(|&&column| column != row);
                others
                    .for_each(|&column| matrix.add(row, column, -1.0 / f64::from(2 + weight % 5)));
            }
        }
        matrix
    }

    /// The same matrix, but for the unknown means of some parameters.
    fn curvature() -> Curvature {
        let means = [(0.002, 3), (0.001, 5)].map(|(weight, every)| {
            let sum = (0..SIZE).step_by(every).map(|at| (at, 1.0)).collect();
            MissingCurvature { weight, sum }
        });
        Curvature { cells: matrix(), unknown: means.to_vec(), floor: 0.1 }
    }

    fn factors() -> [CholeskyFactor; 2] {
        [CholeskyFactor::new(curvature()), CholeskyFactor::new(curvature().dense())]
    }

    fn are_close<'a>(
        one: impl IntoIterator<Item = &'a f64>,
        other: impl IntoIterator<Item = &'a f64>,
    ) -> bool {
        one.into_iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-9)
    }

    #[test]
    fn a_sparse_matrix_is_factored_as_a_dense_one() {
        let [sparse, dense] = factors();
        let right: Vec<f64> = (0..7).cycle().take(SIZE).map(f64::from).collect();
        assert!(are_close(&sparse.solve(&right), &dense.solve(&right)));
        let cells = curvature().dense().cells;
        let whole = Array2::from_shape_fn((SIZE, SIZE), |(one, other)| cells.cell(one, other));
        let product = whole.dot(&ArrayView1::from(&right));
        assert!([&sparse, &dense].iter().all(|it| are_close(&it.product(&right), &product)));
        assert!((sparse.log_determinant() - dense.log_determinant()).abs() < 1e-9);
        assert!(are_close(&sparse.inverse(), &dense.inverse()));
    }

    #[test]
    fn the_inverse_is_known_where_the_matrix_has_cells() {
        let [sparse, dense] = factors();
        let (known, all) = (sparse.known_inverse(), dense.inverse());
        let cells = cliques().into_iter().flat_map(|clique| {
            clique
                .clone()
                .into_iter()
                .flat_map(move |one| clique.clone().into_iter().map(move |other| (one, other)))
        });
        for (one, other) in cells {
            assert!((known.cell(one, other) - all[[one, other]]).abs() < 1e-9);
        }
        let kept: usize = known.rows.iter().map(Array2::len).sum();
        assert!(kept < SIZE * SIZE / 4, "{kept}");
    }

    /// All know only how they differ from the next one, and scatter around a mean that is not known.
    #[test]
    fn a_floor_that_is_reached_changes_nothing() {
        let cliques: Vec<_> = (1..SIZE).map(|at| vec![at - 1, at]).collect();
        let mut cells = Triangle::zeros(Arc::new(ParameterOrder::new(SIZE, &cliques)));
        (0..SIZE).for_each(|at| cells.add(at, at, 1.0));
        for at in 1..SIZE {
            for (row, column, cell) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
                cells.add(at - row, at - column, cell);
            }
        }
        let size = f64::from(u32::try_from(SIZE).expect("small"));
        let weight = 1.0 / (1.0 + size);
        let unknown =
            vec![MissingCurvature { weight, sum: (0..SIZE).map(|at| (at, 1.0)).collect() }];
        let matrix = Curvature { cells, unknown, floor: 1.0 - size * weight };
        let dense = Curvature { floor: 1e-9, ..matrix.clone().dense() };
        let [sparse, dense] = [matrix, dense].map(CholeskyFactor::new);
        assert!(sparse.is_sparse());
        let right: Vec<f64> = (0..7).cycle().take(SIZE).map(|it| f64::from(it) / 1000.0).collect();
        assert!(are_close(&sparse.solve(&right), &dense.solve(&right)));
    }
}
