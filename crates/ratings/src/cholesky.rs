//! The Cholesky factorisation of a symmetric matrix, dense or sparse, in blocks so that nearly all
//! work is done by matrix products.

use std::sync::Arc;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, Axis, s};

use crate::blocks::{blocks, factor_block, inverse_of_block};
use crate::curvature::Curvature;
use crate::envelope::Order;

/// The Cholesky factor `L` of a positive definite matrix `H = L Lᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    lower: Array2<f64>,
    /// If the matrix is sparse, what else it is made of.
    sparse: Option<Sparse>,
}

/// What a sparse matrix `H = S − U D Uᵀ` is made of besides the factor of `S`: Woodbury's formula gives
/// the inverse, `S⁻¹ + S⁻¹ U (D⁻¹ − Uᵀ S⁻¹ U)⁻¹ Uᵀ S⁻¹`.
#[derive(Debug, Clone)]
struct Sparse {
    /// The order of the rows, which is not that of the parameters.
    order: Arc<Order>,
    /// `D`: the weights of unknown means.
    weights: Array1<f64>,
    /// `U`, whose columns are their sums, in order.
    sums: Array2<f64>,
    /// `S⁻¹ U`, in order.
    ways: Array2<f64>,
    /// The factor of the capacitance matrix, `D⁻¹ − Uᵀ S⁻¹ U`.
    rest: Box<Factor>,
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
        Self { lower, sparse: None }
    }

    /// Factors a symmetric matrix that is sparse, but for unknown means, in this order.
    pub(crate) fn sparse(matrix: Curvature, order: Arc<Order>) -> Self {
        let Curvature { cells, unknown, floor } = matrix;
        let lower = order.factor(&cells, floor);
        drop(cells);
        let (size, means) = (lower.nrows(), unknown.len());
        let [mut sums, mut ways] = [(); 2].map(|()| Array2::zeros((size, means)));
        for (at, unknown) in unknown.iter().enumerate() {
            let sum = Array1::from(order.sorted(&unknown.factors(size)));
            sums.column_mut(at).assign(&sum);
            ways.column_mut(at).assign(&solved(&lower, |row| order.begin(row), sum));
        }
        let weights: Array1<f64> = unknown.iter().map(|unknown| unknown.weight).collect();
        let rest = Array2::from_diag(&weights.recip()) - sums.t().dot(&ways);
        // No eigenvalue is below that of `(D + D Uᵀ H⁻¹ U D)⁻¹`.
        let most = (&sums * &sums * &weights * &weights).sum() / floor + weights.sum();
        let rest = Box::new(Self::new(rest, most.recip()));
        Self { lower, sparse: Some(Sparse { order, weights, sums, ways, rest }) }
    }

    /// `L` of a dense matrix.
    pub(crate) fn lower(&self) -> &Array2<f64> {
        &self.lower
    }

    /// Whether the matrix is sparse.
    pub(crate) fn is_sparse(&self) -> bool {
        self.sparse.is_some()
    }

    /// The logarithm of the determinant of `H`.
    pub(crate) fn log_determinant(&self) -> f64 {
        let own = 2.0 * self.lower.diag().iter().map(|pivot| pivot.ln()).sum::<f64>();
        let lacking = |Sparse { weights, rest, .. }: &Sparse| {
            rest.log_determinant() + weights.iter().map(|weight| weight.ln()).sum::<f64>()
        };
        own + self.sparse.as_ref().map_or(0.0, lacking)
    }

    /// Solves `H x = right` for `x`.
    pub(crate) fn solve(&self, right: &[f64]) -> Array1<f64> {
        let Some(Sparse { order, sums, ways, rest, .. }) = &self.sparse else {
            return solved(&self.lower, |_| 0, right.to_vec().into());
        };
        let alone = solved(&self.lower, |row| order.begin(row), order.sorted(right).into());
        let more = ways.dot(&rest.solve(&sums.t().dot(&alone).to_vec()));
        order.unsorted(&(alone + more).to_vec()).into()
    }

    /// The product `H x`.
    pub(crate) fn product(&self, x: &[f64]) -> Array1<f64> {
        let Some(Sparse { order, weights, sums, .. }) = &self.sparse else {
            return product(&self.lower, |_| 0, &ArrayView1::from(x));
        };
        let x = Array1::from(order.sorted(x));
        let lacking = sums.dot(&(weights * &sums.t().dot(&x)));
        let all = product(&self.lower, |row| order.begin(row), &x.view()) - lacking;
        order.unsorted(&all.to_vec()).into()
    }

    /// The cells of the inverse of `H` where `H` has any but for unknown means.
    pub(crate) fn known_inverse(&self) -> Array2<f64> {
        match &self.sparse {
            None => self.inverse(),
            Some(sparse) => {
                let alone = sparse.order.inverse(&self.lower);
                sparse.order.unsorted_matrix(&alone, &sparse.root().view())
            }
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
        match &self.sparse {
            None => inverse,
            Some(sparse) => {
                let root = sparse.root();
                general_mat_mul(1.0, &root, &root.t(), 1.0, &mut inverse);
                sparse.order.unsorted_whole(&inverse)
            }
        }
    }

    /// The product `A L`, where `H` is dense.
    pub(crate) fn multiplied_by(&self, left: &Array2<f64>) -> Array2<f64> {
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

impl Sparse {
    /// A root of what the inverse has besides `S⁻¹`.
    fn root(&self) -> Array2<f64> {
        self.ways.dot(&self.rest.inverse_of_lower().t())
    }
}

/// Solves `L Lᵀ x = right` for `x`, where `begin` says from which column on a row is not zero.
fn solved(lower: &Array2<f64>, begin: impl Fn(usize) -> usize, right: Array1<f64>) -> Array1<f64> {
    let mut solution = right;
    for (at, row) in lower.rows().into_iter().enumerate() {
        let begin = begin(at);
        let known = row.slice(s![begin..at]).dot(&solution.slice(s![begin..at]));
        solution[at] = (solution[at] - known) / row[at];
    }
    for (at, row) in lower.rows().into_iter().enumerate().rev() {
        let value = solution[at] / row[at];
        let begin = begin(at);
        solution[at] = value;
        solution.slice_mut(s![begin..at]).scaled_add(-value, &row.slice(s![begin..at]));
    }
    solution
}

/// The product `L Lᵀ x`, where `begin` says from which column on a row is not zero.
fn product(
    lower: &Array2<f64>,
    begin: impl Fn(usize) -> usize,
    x: &ArrayView1<'_, f64>,
) -> Array1<f64> {
    let mut half = Array1::zeros(x.len());
    for (at, row) in lower.rows().into_iter().enumerate() {
        let begin = begin(at);
        half.slice_mut(s![begin..=at]).scaled_add(x[at], &row.slice(s![begin..=at]));
    }
    let dot = |(at, row): (usize, ArrayView1<'_, f64>)| {
        let begin = begin(at);
        row.slice(s![begin..=at]).dot(&half.slice(s![begin..=at]))
    };
    lower.rows().into_iter().enumerate().map(dot).collect()
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
