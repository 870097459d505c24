//! Dense symmetric matrices, factored and inverted in blocks so that nearly all work is done by
//! matrix products.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

/// The number of columns that are factored at once.
const BLOCK: usize = 64;

/// A symmetric matrix, stored as its lower triangle; the cells above the diagonal are 0.
#[derive(Debug, Clone)]
pub(crate) struct Symmetric {
    size: usize,
    /// Row by row.
    cells: Vec<f64>,
}

impl Symmetric {
    /// A diagonal matrix with these numbers on the diagonal.
    pub(crate) fn diagonal(diagonal: &[f64]) -> Self {
        let size = diagonal.len();
        let mut matrix = Self { size, cells: vec![0.0; size * size] };
        for (at, &value) in diagonal.iter().enumerate() {
            matrix.add(at, at, value);
        }
        matrix
    }

    /// `A Aᵀ`.
    pub(crate) fn of_rows(rows: &Array2<f64>) -> Self {
        let mut cells = Array2::zeros((rows.nrows(), rows.nrows()));
        for (start, end) in blocks(rows.nrows()) {
            let [own, all] = [rows.slice(s![start..end, ..]), rows.slice(s![..end, ..])];
            general_mat_mul(1.0, &own, &all.t(), 0.0, &mut cells.slice_mut(s![start..end, ..end]));
        }
        Self::of_lower(cells)
    }

    /// `xᵀ A x` of a sparse vector.
    pub(crate) fn form(&self, x: &[(usize, f64)]) -> f64 {
        let row = |&(at, by): &(usize, f64)| {
            by * x.iter().map(|&(to, y)| self.at(at, to) * y).sum::<f64>()
        };
        x.iter().map(row).sum()
    }

    /// The matrix with this lower triangle.
    fn of_lower(mut cells: Array2<f64>) -> Self {
        clear_above(&mut cells.view_mut());
        Self { size: cells.nrows(), cells: cells.into_raw_vec_and_offset().0 }
    }

    fn into_lower(self) -> Array2<f64> {
        let shape = (self.size, self.size);
        Array2::from_shape_vec(shape, self.cells).expect("as many cells as the shape has")
    }

    /// The product with a vector.
    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        for (at, row) in self.cells.chunks_exact(self.size.max(1)).enumerate() {
            product[at] += dot(&row[..=at], &x[..=at]);
            product[..at].iter_mut().zip(row).for_each(|(sum, cell)| *sum += cell * x[at]);
        }
        product
    }

    /// Adds `value` at (`row`, `column`) and at its mirror image.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let cell = self.index(row, column);
        self.cells[cell] += value;
    }

    /// The value at (`row`, `column`).
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[self.index(row, column)]
    }

    fn index(&self, row: usize, column: usize) -> usize {
        row.max(column) * self.size + row.min(column)
    }

    /// Returns the factor `L` for which this matrix is `L Lᵀ`.
    ///
    /// In exact arithmetic, every pivot is at least the smallest eigenvalue. `floor` is a lower
    /// bound of that eigenvalue which the caller knows. Pivots that rounding makes smaller are
    /// raised to it, so the factorisation always succeeds.
    pub(crate) fn factor(self, floor: f64) -> Factor {
        let mut lower = self.into_lower();
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
        Factor { lower }
    }
}

/// The Cholesky factor of a positive definite matrix `H`.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    lower: Array2<f64>,
}

impl Factor {
    /// Solves `H x = right` for `x`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for (at, row) in rows(&self.lower).enumerate() {
            let (known, pivot) = (dot(&row[..at], &solution[..at]), row[at]);
            solution[at] = (solution[at] - known) / pivot;
        }
        for (at, row) in rows(&self.lower).enumerate().rev() {
            solution[at] /= row[at];
            let value = solution[at];
            solution[..at].iter_mut().zip(row).for_each(|(cell, factor)| *cell -= factor * value);
        }
        solution
    }

    /// The inverse of `H`.
    pub(crate) fn inverse(&self) -> Symmetric {
        let half = self.inverse_of_lower();
        let mut cells = Array2::zeros(half.raw_dim());
        for (start, end) in blocks(half.nrows()) {
            let [own, left] = [half.slice(s![start.., start..end]), half.slice(s![start.., ..end])];
            general_mat_mul(1.0, &own.t(), &left, 0.0, &mut cells.slice_mut(s![start..end, ..end]));
        }
        Symmetric::of_lower(cells)
    }

    /// The inverse of `L`.
    fn inverse_of_lower(&self) -> Array2<f64> {
        let mut inverse = Array2::zeros(self.lower.raw_dim());
        for (start, end) in blocks(self.lower.nrows()) {
            let corner = inverse_of_block(&self.lower.slice(s![start..end, start..end]));
            let (above, mut rows) = inverse.view_mut().split_at(Axis(0), start);
            let left = self.lower.slice(s![start..end, ..start]).dot(&above.slice(s![.., ..start]));
            general_mat_mul(
                -1.0,
                &corner,
                &left,
                0.0,
                &mut rows.slice_mut(s![..end - start, ..start]),
            );
            rows.slice_mut(s![..end - start, start..end]).assign(&corner);
        }
        inverse
    }

    /// `A L`, for a symmetric matrix `A`.
    pub(crate) fn times_lower(&self, left: &Symmetric) -> Array2<f64> {
        let mut full = left.clone().into_lower();
        mirror(&mut full);
        let mut product = Array2::zeros(full.raw_dim());
        for (start, end) in blocks(full.nrows()) {
            let [columns, own] =
                [full.slice(s![.., start..]), self.lower.slice(s![start.., start..end])];
            general_mat_mul(1.0, &columns, &own, 0.0, &mut product.slice_mut(s![.., start..end]));
        }
        product
    }
}

/// The inner product.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The rows of a square matrix.
fn rows(matrix: &Array2<f64>) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
    matrix.as_slice().unwrap_or_default().chunks_exact(matrix.ncols().max(1))
}

/// The first index of each block, and the one after its last.
fn blocks(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).step_by(BLOCK).map(move |start| (start, size.min(start + BLOCK)))
}

/// Factors a block in place, without blocks.
fn factor_block(block: &mut ArrayViewMut2<'_, f64>, floor: f64) {
    for row in 0..block.nrows() {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| block[[row, k]] * block[[column, k]]).sum();
            let rest = block[[row, column]] - known;
            block[[row, column]] =
                if row == column { rest.max(floor).sqrt() } else { rest / block[[column, column]] };
        }
    }
    clear_above(block);
}

/// The inverse of a lower triangular block, without blocks.
fn inverse_of_block(block: &ArrayView2<'_, f64>) -> Array2<f64> {
    let mut inverse = Array2::zeros(block.raw_dim());
    for row in 0..block.nrows() {
        let pivot = block[[row, row]];
        for column in 0..row {
            let known: f64 = (column..row).map(|k| block[[row, k]] * inverse[[k, column]]).sum();
            inverse[[row, column]] = -known / pivot;
        }
        inverse[[row, row]] = 1.0 / pivot;
    }
    inverse
}

fn clear_above(matrix: &mut ArrayViewMut2<'_, f64>) {
    for (at, mut row) in matrix.rows_mut().into_iter().enumerate() {
        row.slice_mut(s![at + 1..]).fill(0.0);
    }
}

/// Copies the lower triangle to the upper one.
fn mirror(matrix: &mut Array2<f64>) {
    for row in 0..matrix.nrows() {
        for column in 0..row {
            matrix[[column, row]] = matrix[[row, column]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    /// A well-conditioned matrix of two blocks and a bit.
    fn large() -> Symmetric {
        let size = 2 * BLOCK + 5;
        let mut matrix = Symmetric::diagonal(&vec![3.0; size]);
        for row in 0..size {
            for column in 0..row {
                let cell = u32::try_from((7 * row + 5 * column) % 11).expect("small");
                matrix.add(row, column, f64::from(cell) / 1000.0);
            }
        }
        matrix
    }

    /// `[[4, 2, 0], [2, 5, 1], [0, 1, 3]]`
    fn example() -> Factor {
        let mut matrix = Symmetric::diagonal(&[4.0, 5.0, 3.0]);
        matrix.add(0, 1, 2.0);
        matrix.add(2, 1, 1.0);
        matrix.factor(0.1)
    }

    #[test]
    fn linear_systems_are_solved() {
        let solution = example().solve(&[8.0, 15.0, 11.0]);
        assert!(solution.iter().zip([1.0, 2.0, 3.0]).all(|(&a, b)| close(a, b)), "{solution:?}");
    }

    #[test]
    fn the_factor_and_the_inverse_belong_to_the_matrix() {
        let matrix = large();
        let factor = matrix.clone().factor(0.1);
        let again = factor.lower.dot(&factor.lower.t());
        let inverse = factor.inverse();
        let product = factor.times_lower(&matrix);
        for row in 0..again.nrows() {
            let mut unit = vec![0.0; again.nrows()];
            unit[row] = 1.0;
            let column = factor.solve(&unit);
            for other in 0..again.nrows() {
                assert!(close(again[[row, other]], matrix.at(row, other)));
                assert!(close(column[other], inverse.at(row, other)));
                let cell: f64 =
                    (0..again.nrows()).map(|k| matrix.at(row, k) * factor.lower[[k, other]]).sum();
                assert!(close(cell, product[[row, other]]));
            }
        }
    }

    #[test]
    fn singular_matrices_are_raised_to_the_floor() {
        let mut matrix = Symmetric::diagonal(&[1.0, 1.0]);
        matrix.add(1, 0, 1.0);
        assert!(matrix.factor(1e-3).solve(&[1.0, 0.0]).iter().all(|x| x.is_finite()));
    }
}
