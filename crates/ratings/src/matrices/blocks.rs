//! The small square blocks that matrices are factored in.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

/// The number of columns that are factored at once.
pub(crate) const BLOCK: usize = 64;

/// Splits rows or columns into blocks.
pub(crate) fn split_into_blocks(all: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = all.end;
    all.step_by(BLOCK).map(move |start| start..end.min(start + BLOCK))
}

/// Factors a block in place, without blocks. The cells above its diagonal stay unchanged.
///
/// A row's sums grow together, one product each at a time, which is several times as fast as one
/// sum after the other.
pub(crate) fn factor_block(block: &mut ArrayViewMut2<'_, f64>, floor: f64) {
    let size = block.nrows();
    // The factor's columns so far.
    let mut columns = vec![0.0; size * size];
    let mut known = vec![0.0; size];
    for row in 0..size {
        known[..=row].fill(0.0);
        for at in 0..=row {
            let rest = block[[row, at]] - known[at];
            let cell =
                if at == row { rest.max(floor).sqrt() } else { rest / columns[at * size + at] };
            block[[row, at]] = cell;
            let column = &mut columns[at * size..][..size];
            column[row] = cell;
            add_scaled_block_row(&mut known[at + 1..=row], cell, &column[at + 1..=row]);
        }
    }
}

/// The inverse of the lower triangle of a block, without blocks.
pub(crate) fn invert_block(block: &ArrayView2<'_, f64>) -> Array2<f64> {
    let size = block.nrows();
    let mut rows = vec![0.0; size * size];
    for row in 0..size {
        let (above, own) = rows.split_at_mut(row * size);
        for (at, above) in above.chunks_exact(size).enumerate() {
            add_scaled_block_row(&mut own[..=at], block[[row, at]], &above[..=at]);
        }
        let pivot = block[[row, row]];
        own[..row].iter_mut().for_each(|known| *known = -*known / pivot);
        own[row] = 1.0 / pivot;
    }
    Array2::from_shape_vec((size, size), rows).expect("a square")
}

/// Adds `factor` times some numbers to as many sums.
fn add_scaled_block_row(sums: &mut [f64], factor: f64, numbers: &[f64]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += factor * number);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A positive definite block.
    fn block() -> Array2<f64> {
        Array2::from_shape_fn((BLOCK, BLOCK), |(row, column)| {
            let [low, high] = [row.min(column), row.max(column)];
            let cell = u32::try_from((7 * low + 3 * high) % 11).expect("small");
            let on_diagonal = if low == high { 9.0 } else { 0.0 };
            on_diagonal + f64::from(cell) / 37.0
        })
    }

    /// Published ratings keep their last digit.
    #[test]
    fn sums_that_grow_together_are_those_of_one_after_the_other() {
        let mut lower = block();
        factor_block(&mut lower.view_mut(), 0.1);
        let inverse = invert_block(&lower.view());
        let of_block = block();
        for row in 0..BLOCK {
            for column in 0..=row {
                let sum =
                    |known: &mut dyn Iterator<Item = f64>| known.fold(0.0, |sum, it| sum + it);
                let known = sum(&mut (0..column).map(|k| lower[[row, k]] * lower[[column, k]]));
                let rest = of_block[[row, column]] - known;
                let cell = if row == column { rest.sqrt() } else { rest / lower[[column, column]] };
                assert_eq!(lower[[row, column]].to_bits(), cell.to_bits(), "{row}, {column}");
                let known = sum(&mut (column..row).map(|k| lower[[row, k]] * inverse[[k, column]]));
                let pivot = lower[[row, row]];
                let cell = if row == column { 1.0 / pivot } else { -known / pivot };
                assert_eq!(inverse[[row, column]].to_bits(), cell.to_bits(), "{row}, {column}");
            }
        }
    }
}
