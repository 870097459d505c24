//! The Cholesky factorisation of a symmetric matrix over all parameters.

use std::ops::Range;
use std::sync::Arc;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis, s};

use crate::matrices::blocks::{invert_block, split_into_blocks};
use crate::matrices::curvature::Curvature;
use crate::matrices::triangle::Triangle;

/// The Cholesky factor `L` of a positive definite matrix `H = L Lᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct CholeskyFactor {
    lower: Triangle,
    /// If the matrix is sparse, what else it is made of.
    means: Option<WoodburyTerms>,
}

/// What a sparse matrix `H = S − U D Uᵀ` is made of besides the factor `L` of `S`: Woodbury's formula
/// gives the inverse, `S⁻¹ + S⁻¹ U (D⁻¹ − Uᵀ S⁻¹ U)⁻¹ Uᵀ S⁻¹`.
#[derive(Debug, Clone)]
struct WoodburyTerms {
    /// `D`: the weights of unknown means.
    weights: Array1<f64>,
    /// `U`, whose columns are their sums, in order.
    sums: Array2<f64>,
    /// `L⁻¹ U`, in order.
    halves: Array2<f64>,
    /// The factor of the capacitance matrix, `D⁻¹ − Uᵀ S⁻¹ U`.
    rest: Box<CholeskyFactor>,
}

impl CholeskyFactor {
    /// Factors a symmetric matrix.
    ///
    /// In exact arithmetic, every pivot is at least the smallest eigenvalue. Pivots that rounding
    /// makes smaller than the lower bound of that eigenvalue are raised to it, so the factorisation
    /// always succeeds.
    pub(crate) fn new(matrix: Curvature) -> Self {
        let Curvature { cells, unknown, floor } = matrix.absorb_narrow_means();
        let lower = cells.factor(floor);
        let order = Arc::clone(lower.order());
        if unknown.is_empty() {
            return Self { lower, means: None };
        }
        let [mut sums, mut halves] = [(); 2].map(|()| Array2::zeros((order.len(), unknown.len())));
        for (at, unknown) in unknown.iter().enumerate() {
            let sum = Array1::from(order.sorted(&unknown.factors(order.len())));
            sums.column_mut(at).assign(&sum);
            halves.column_mut(at).assign(&lower.solve(sum));
        }
        let weights: Array1<f64> = unknown.iter().map(|unknown| unknown.weight).collect();
        let rest = Array2::from_diag(&weights.recip()) - halves.t().dot(&halves);
        // No eigenvalue is below that of `(D + D Uᵀ H⁻¹ U D)⁻¹`.
        let most = (&sums * &sums * &weights * &weights).sum() / floor + weights.sum();
        let rest = Box::new(Self::from_dense(&rest, most.recip()));
        Self { lower, means: Some(WoodburyTerms { weights, sums, halves, rest }) }
    }

    /// Factors a dense matrix, of which only the lower triangle is read. No eigenvalue is below
    /// `floor`.
    pub(crate) fn from_dense(matrix: &Array2<f64>, floor: f64) -> Self {
        Self::new(Curvature { cells: Triangle::from_dense(matrix), unknown: Vec::new(), floor })
    }

    /// `L`, in order.
    pub(crate) fn lower(&self) -> Array2<f64> {
        self.lower.square()
    }

    /// Whether the matrix is sparse.
    pub(crate) fn is_sparse(&self) -> bool {
        self.lower.order().is_sparse()
    }

    /// The logarithm of the determinant of `H`.
    pub(crate) fn log_determinant(&self) -> f64 {
        let own = 2.0 * self.lower.diagonal().map(f64::ln).sum::<f64>();
        let lacking = |WoodburyTerms { weights, rest, .. }: &WoodburyTerms| {
            rest.log_determinant() + weights.iter().map(|weight| weight.ln()).sum::<f64>()
        };
        own + self.means.as_ref().map_or(0.0, lacking)
    }

    /// Solves `H x = right` for `x`.
    pub(crate) fn solve(&self, right: &[f64]) -> Array1<f64> {
        let order = self.lower.order();
        let mut half = self.lower.solve(order.sorted(right).into());
        if let Some(WoodburyTerms { halves, rest, .. }) = &self.means {
            half += &halves.dot(&rest.solve(&halves.t().dot(&half).to_vec()));
        }
        order.unsorted(&self.lower.solve_transposed(half).to_vec()).into()
    }

    /// The product `H x`.
    pub(crate) fn product(&self, x: &[f64]) -> Array1<f64> {
        let order = self.lower.order();
        let x = Array1::from(order.sorted(x));
        let mut product = self.lower.product(&x);
        if let Some(WoodburyTerms { weights, sums, .. }) = &self.means {
            product -= &sums.dot(&(weights * &sums.t().dot(&x)));
        }
        order.unsorted(&product.to_vec()).into()
    }

    /// The cells of the inverse of `H` where `H` has any but for unknown means.
    pub(crate) fn known_inverse(&self) -> Triangle {
        if !self.is_sparse() {
            let half = self.inverse_of_lower();
            let columns =
                split_into_blocks(0..half.nrows()).map(|columns| gram_columns(&half, &columns));
            return Triangle::from_block_rows(columns.map(Array2::reversed_axes));
        }
        let mut inverse = self.lower.inverse_inside();
        if let Some(means) = &self.means {
            inverse.add_product(&means.inverse_root(&self.lower));
        }
        inverse
    }

    /// The inverse of `H`. Products leave out the blocks that are zero, and those that follow from
    /// symmetry: with many players, nearly all the time of a fit goes here.
    pub(crate) fn inverse(&self) -> Array2<f64> {
        let half = self.inverse_of_lower();
        let mut inverse = Array2::zeros(half.raw_dim());
        for columns in split_into_blocks(0..half.nrows()) {
            let column = gram_columns(&half, &columns);
            inverse.slice_mut(s![columns.clone(), ..columns.end]).assign(&column.t());
            inverse.slice_mut(s![..columns.end, columns]).assign(&column);
        }
        if let Some(means) = &self.means {
            let root = means.inverse_root(&self.lower);
            general_mat_mul(1.0, &root, &root.t(), 1.0, &mut inverse);
        }
        let order = self.lower.order();
        if !order.is_sparse() {
            return inverse;
        }
        let place = |parameter| order.place(parameter);
        Array2::from_shape_fn(inverse.raw_dim(), |(row, column)| {
            inverse[[place(row), place(column)]]
        })
    }

    /// The product `A L`, where `H` is dense.
    pub(crate) fn multiply_from_left(&self, left: &Array2<f64>) -> Array2<f64> {
        let lower = self.lower();
        let mut product = Array2::zeros(left.raw_dim());
        for Range { start, end } in split_into_blocks(0..lower.nrows()) {
            let column = lower.slice(s![start.., start..end]);
            let known = left.slice(s![.., start..]).dot(&column);
            product.slice_mut(s![.., start..end]).assign(&known);
        }
        product
    }

    /// The inverse of `L`, in order.
    fn inverse_of_lower(&self) -> Array2<f64> {
        let (lower, order) = (&self.lower, self.lower.order());
        let mut inverse = Array2::zeros((order.len(), order.len()));
        for (block, columns) in order.blocks().iter().enumerate() {
            let &Range { start, end } = columns;
            let corner = invert_block(&lower.columns_of_block(block, columns));
            let (above, mut rows) = inverse.view_mut().split_at(Axis(0), start);
            let begin = order.columns(block).start;
            for &Range { start: from, end: to } in &order.blocks()[..block] {
                let known = from.max(begin)..start;
                let left = lower.columns_of_block(block, &known);
                let left = left.dot(&above.slice(s![known, from..to]));
                rows.slice_mut(s![..end - start, from..to]).assign(&-corner.dot(&left));
            }
            rows.slice_mut(s![..end - start, start..end]).assign(&corner);
        }
        inverse
    }
}

/// Columns of `Aᵀ A`, down to the diagonal, for a lower triangle `A`.
fn gram_columns(lower: &Array2<f64>, columns: &Range<usize>) -> Array2<f64> {
    let &Range { start, end } = columns;
    let [rows, own] = [lower.slice(s![start.., ..end]), lower.slice(s![start.., start..end])];
    rows.t().dot(&own)
}

impl WoodburyTerms {
    /// A root of what the inverse has besides `S⁻¹`.
    fn inverse_root(&self, lower: &Triangle) -> Array2<f64> {
        let mut root = self.halves.dot(&self.rest.inverse_of_lower().t());
        for mut column in root.columns_mut() {
            let solved = lower.solve_transposed(column.to_owned());
            column.assign(&solved);
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrices::blocks::BLOCK;

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
        let solution = CholeskyFactor::from_dense(&matrix, 0.1).solve(&[8.0, 15.0, 11.0]);
        assert!(solution.iter().zip([1.0, 2.0, 3.0]).all(|(&a, b)| close(a, b)), "{solution:?}");
    }

    #[test]
    fn the_factor_and_the_inverse_belong_to_the_matrix() {
        let matrix = large();
        let factor = CholeskyFactor::from_dense(&matrix, 0.1);
        let again = factor.lower().dot(&factor.lower().t());
        assert!(again.iter().zip(&matrix).all(|(&one, &other)| close(one, other)));
        let product = factor.inverse().dot(&matrix);
        let unit = Array2::eye(matrix.nrows());
        assert!(product.iter().zip(&unit).all(|(&one, &other)| close(one, other)));
        let product = factor.multiply_from_left(&matrix);
        let same = matrix.dot(&factor.lower());
        assert!(product.iter().zip(&same).all(|(&one, &other)| close(one, other)));
    }

    #[test]
    fn singular_matrices_are_raised_to_the_floor() {
        let matrix = Array2::ones((2, 2));
        assert!(
            CholeskyFactor::from_dense(&matrix, 1e-3)
                .solve(&[1.0, 0.0])
                .iter()
                .all(|x| x.is_finite())
        );
    }
}
