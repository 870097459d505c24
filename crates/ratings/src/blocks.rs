//! The small square blocks that matrices are factored in.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

/// The number of columns that are factored at once.
pub(crate) const BLOCK: usize = 64;

/// The first index of each block, and the one after its last.
pub(crate) fn blocks(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).step_by(BLOCK).map(move |start| (start, size.min(start + BLOCK)))
}

/// Factors a block in place, without blocks. The cells above its diagonal stay unchanged.
pub(crate) fn factor_block(block: &mut ArrayViewMut2<'_, f64>, floor: f64) {
    for row in 0..block.nrows() {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| block[[row, k]] * block[[column, k]]).sum();
            let rest = block[[row, column]] - known;
            block[[row, column]] =
                if row == column { rest.max(floor).sqrt() } else { rest / block[[column, column]] };
        }
    }
}

/// The inverse of the lower triangle of a block, without blocks.
pub(crate) fn inverse_of_block(block: &ArrayView2<'_, f64>) -> Array2<f64> {
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
