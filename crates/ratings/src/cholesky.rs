//! A small dense Cholesky factorisation, for about two hundred unknowns and without dependencies.

/// A symmetric matrix, stored as its lower triangle.
#[derive(Debug, Clone)]
pub(crate) struct Symmetric {
    size: usize,
    cells: Vec<f64>,
}

impl Symmetric {
    /// A diagonal matrix with these numbers on the diagonal.
    pub(crate) fn diagonal(diagonal: &[f64]) -> Self {
        let size = diagonal.len();
        let mut matrix = Self { size, cells: vec![0.0; size * size] };
        for (index, &value) in diagonal.iter().enumerate() {
            matrix.cells[index * size + index] = value;
        }
        matrix
    }

    /// Adds `value` at (`row`, `column`) and at its mirror image.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let (row, column) = (row.max(column), row.min(column));
        self.cells[row * self.size + column] += value;
    }

    /// The value at (`row`, `column`).
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row.max(column) * self.size + row.min(column)]
    }

    /// Returns the factor `L` for which this matrix is `L Lᵀ`.
    ///
    /// In exact arithmetic, every pivot is at least the smallest eigenvalue. `floor` is a lower
    /// bound of that eigenvalue which the caller knows. Pivots that rounding makes smaller are
    /// raised to it, so the factorisation always succeeds.
    pub(crate) fn factor(mut self, floor: f64) -> Factor {
        for row in 0..self.size {
            for column in 0..row {
                let rest = self.rest(row, column);
                let pivot = self.cells[column * self.size + column];
                self.cells[row * self.size + column] = rest / pivot;
            }
            let pivot = self.rest(row, row).max(floor).sqrt();
            self.cells[row * self.size + row] = pivot;
        }
        Factor { lower: self }
    }

    /// A cell minus the product of the parts of its row and column that are already factored.
    fn rest(&self, row: usize, column: usize) -> f64 {
        let above = dot(&self.row(row)[..column], &self.row(column)[..column]);
        self.cells[row * self.size + column] - above
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }
}

/// The Cholesky factor of a positive definite matrix `H`.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    lower: Symmetric,
}

impl Factor {
    /// Solves `H x = right` for `x`.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = self.forward(right);
        for row in (0..solution.len()).rev() {
            solution[row] /= self.lower.row(row)[row];
            let value = solution[row];
            for (cell, &factor) in solution[..row].iter_mut().zip(self.lower.row(row)) {
                *cell -= factor * value;
            }
        }
        solution
    }

    /// The inverse of `H`.
    pub(crate) fn inverse(&self) -> Symmetric {
        let size = self.lower.size;
        let mut inverse = Symmetric::diagonal(&vec![0.0; size]);
        for column in 0..size {
            let mut unit = vec![0.0; size];
            unit[column] = 1.0;
            let solution = self.solve(&unit);
            for (row, &value) in solution.iter().enumerate().skip(column) {
                inverse.add(row, column, value);
            }
        }
        inverse
    }

    /// `L x`. If `x` holds independent standard normal numbers, the result has the covariance `H`.
    pub(crate) fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..x.len()).map(|row| dot(&self.lower.row(row)[..=row], &x[..=row])).collect()
    }

    /// `Lᵀ x`, whose squared length is `xᵀ H x`.
    pub(crate) fn transposed_times(&self, x: &[f64]) -> Vec<f64> {
        let mut product = vec![0.0; x.len()];
        for (row, &value) in x.iter().enumerate() {
            for (cell, &factor) in product.iter_mut().zip(&self.lower.row(row)[..=row]) {
                *cell += factor * value;
            }
        }
        product
    }

    /// Solves `L y = right` for `y`.
    fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for row in 0..solution.len() {
            let factors = self.lower.row(row);
            let known = dot(&factors[..row], &solution[..row]);
            solution[row] = (solution[row] - known) / factors[row];
        }
        solution
    }
}

/// The inner product.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    /// `[[4, 2, 0], [2, 5, 1], [0, 1, 3]]`
    fn example() -> Factor {
        let mut matrix = Symmetric::diagonal(&[4.0, 5.0, 3.0]);
        matrix.add(0, 1, 2.0);
        matrix.add(2, 1, 1.0);
        matrix.factor(0.1)
    }

    #[test]
    fn a_system_is_solved() {
        let solution = example().solve(&[8.0, 15.0, 11.0]);
        assert!(solution.iter().zip([1.0, 2.0, 3.0]).all(|(&a, b)| close(a, b)), "{solution:?}");
    }

    #[test]
    fn the_factor_and_the_inverse_belong_to_the_matrix() {
        let (x, factor) = ([1.0, -2.0, 0.5], example());
        let half = factor.transposed_times(&x);
        // xᵀ H x, by hand.
        assert!(close(dot(&half, &half), 14.75), "{half:?}");
        assert!(close(dot(&x, &factor.times(&half)), 14.75));
        let inverse = factor.inverse();
        let column: Vec<f64> = (0..3).map(|row| inverse.at(row, 1)).collect();
        assert!(factor.solve(&[0.0, 1.0, 0.0]).iter().zip(column).all(|(&a, b)| close(a, b)));
    }

    #[test]
    fn a_singular_matrix_is_kept_above_the_floor() {
        let mut matrix = Symmetric::diagonal(&[1.0, 1.0]);
        matrix.add(1, 0, 1.0);
        assert!(matrix.factor(1e-3).solve(&[1.0, 0.0]).iter().all(|x| x.is_finite()));
    }
}
