//! An order of parameters in which most of a sparse matrix's Cholesky factor is zero.
//!
//! In a league, a version only meets those that were there at the same time. If those that left
//! early come first, and those that stayed for long last, then each row of the factor is zero up
//! to where its matrix begins (the *envelope*). Factoring takes as much work as the envelope needs,
//! and so do the cells of the inverse inside of it (Takahashi's equations), which are all that
//! learning reads: there is one wherever the matrix has one.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, Axis, s};

use crate::blocks::{BLOCK, blocks, factor_block, inverse_of_block};

/// An order of the parameters, and the envelope of the factor in this order.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The parameter at each place.
    parameters: Vec<usize>,
    /// The first block of columns that is not zero in each block of rows.
    first: Vec<usize>,
}

impl Order {
    /// An order for a matrix of this size whose cells are zero except between the parameters of each
    /// clique. `None` if nothing is gained by it.
    pub(crate) fn new(size: usize, cliques: &[Vec<usize>]) -> Option<Self> {
        let mut others = vec![0; size];
        for clique in cliques {
            for &at in clique {
                others[at] += clique.len() - 1;
            }
        }
        let met_most = |at: usize| 2 * others[at] > size;
        // A version leaves before the last one comes that it meets.
        let mut latest: Vec<usize> = (0..size).collect();
        for clique in cliques {
            let last = clique.iter().copied().filter(|&at| !met_most(at)).max().unwrap_or(0);
            for &at in clique {
                latest[at] = latest[at].max(last);
            }
        }
        let mut parameters: Vec<usize> = (0..size).collect();
        parameters.sort_by_key(|&at| latest[at]);
        let mut places = places_of(&parameters);
        let mut starts = places.clone();
        for clique in cliques {
            let start = clique.iter().map(|&at| places[at]).min().unwrap_or(0);
            for &at in clique {
                starts[at] = starts[at].min(start);
            }
        }
        // One that stayed for long makes all rows of its block as long as its own.
        parameters.sort_by_key(|&at| 2 * (places[at] - starts[at]) > size);
        places = places_of(&parameters);
        let all = size.div_ceil(BLOCK);
        let mut first: Vec<usize> = (0..all).collect();
        for clique in cliques {
            let start = clique.iter().map(|&at| places[at] / BLOCK).min().unwrap_or(0);
            for &at in clique {
                let begin = &mut first[places[at] / BLOCK];
                *begin = start.min(*begin);
            }
        }
        let widths = first.iter().enumerate().map(|(row, first)| row + 1 - first);
        // Factoring takes the squares of these; without zeros, a third of the cube of their number.
        let work: usize = widths.map(|width| width * width).sum();
        (6 * work < all * all * all).then_some(Self { parameters, first })
    }

    /// The first column of a row that is not zero.
    pub(crate) fn begin(&self, row: usize) -> usize {
        BLOCK * self.first[row / BLOCK]
    }

    /// The values of the parameters in this order.
    pub(crate) fn sorted(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.iter().map(|&at| values[at]).collect()
    }

    /// The reverse of [`Self::sorted`].
    pub(crate) fn unsorted(&self, sorted: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; sorted.len()];
        self.parameters.iter().zip(sorted).for_each(|(&at, value)| values[at] = *value);
        values
    }

    /// Brings a symmetric matrix in this order, plus `root` times its transpose, back to the order of
    /// the parameters, inside the envelope.
    pub(crate) fn unsorted_matrix(
        &self,
        sorted: &Array2<f64>,
        root: &ArrayView2<'_, f64>,
    ) -> Array2<f64> {
        let mut matrix = Array2::zeros(sorted.raw_dim());
        for (row, &at) in self.parameters.iter().enumerate() {
            for column in self.begin(row)..=row {
                let other = self.parameters[column];
                let cell = sorted[[row, column]] + root.row(row).dot(&root.row(column));
                (matrix[[at, other]], matrix[[other, at]]) = (cell, cell);
            }
        }
        matrix
    }

    /// The same of a matrix that has cells everywhere.
    pub(crate) fn unsorted_whole(&self, sorted: &Array2<f64>) -> Array2<f64> {
        let mut matrix = Array2::zeros(sorted.raw_dim());
        for (cells, &at) in sorted.rows().into_iter().zip(&self.parameters) {
            let mut row = matrix.row_mut(at);
            cells.iter().zip(&self.parameters).for_each(|(&cell, &other)| row[other] = cell);
        }
        matrix
    }

    /// The blocks of rows from this one on that are not zero in its columns.
    fn rows_of(&self, column: usize) -> impl Iterator<Item = (usize, (usize, usize))> {
        let rows = blocks(self.parameters.len()).enumerate().skip(column);
        rows.filter(move |&(row, _)| self.first[row] <= column)
    }

    /// The Cholesky factor of a symmetric matrix, in this order: see `Factor::new`.
    pub(crate) fn factor(&self, matrix: &Array2<f64>, floor: f64) -> Array2<f64> {
        let mut lower = Array2::zeros(matrix.raw_dim());
        for (row, &at) in self.parameters.iter().enumerate() {
            for column in self.begin(row)..=row {
                lower[[row, column]] = matrix[[at, self.parameters[column]]];
            }
        }
        for (column, (start, end)) in blocks(lower.nrows()).enumerate() {
            let mut inverse = Array2::zeros((0, 0));
            for (row, (from, to)) in self.rows_of(column) {
                let known = BLOCK * self.first[row].max(self.first[column]);
                let (done, mut rest) = lower.view_mut().split_at(Axis(1), start);
                let [left, own] = [from..to, start..end].map(|rows| done.slice(s![rows, known..]));
                let mut cell = rest.slice_mut(s![from..to, ..end - start]);
                general_mat_mul(-1.0, &left, &own.t(), 1.0, &mut cell);
                if row == column {
                    factor_block(&mut cell, floor);
                    for (at, mut cells) in cell.rows_mut().into_iter().enumerate() {
                        cells.slice_mut(s![at + 1..]).fill(0.0);
                    }
                    inverse = inverse_of_block(&cell.view());
                } else {
                    let solved = cell.dot(&inverse.t());
                    cell.assign(&solved);
                }
            }
        }
        lower
    }

    /// The cells of the inverse inside the envelope, from the factor in this order, and in it; 0
    /// elsewhere.
    pub(crate) fn inverse(&self, lower: &Array2<f64>) -> Array2<f64> {
        let mut inverse = Array2::<f64>::zeros(lower.raw_dim());
        let all: Vec<_> = blocks(lower.nrows()).enumerate().collect();
        for &(column, (start, end)) in all.iter().rev() {
            let corner = inverse_of_block(&lower.slice(s![start..end, start..end]));
            let mut own = corner.t().dot(&corner);
            let rows: Vec<_> = self.rows_of(column).skip(1).map(|(_, rows)| rows).collect();
            let ways = rows
                .iter()
                .map(|&(from, to)| (from, to, lower.slice(s![from..to, start..end]).dot(&corner)));
            let ways: Vec<_> = ways.collect();
            for &(from, to) in &rows {
                let mut cell = Array2::zeros((to - from, end - start));
                for (above, below, way) in &ways {
                    let known = inverse.slice(s![from..to, *above..*below]);
                    general_mat_mul(-1.0, &known, way, 1.0, &mut cell);
                }
                inverse.slice_mut(s![from..to, start..end]).assign(&cell);
                inverse.slice_mut(s![start..end, from..to]).assign(&cell.t());
            }
            for (from, to, way) in &ways {
                let known = inverse.slice(s![start..end, *from..*to]);
                general_mat_mul(-1.0, &known, way, 1.0, &mut own);
            }
            inverse.slice_mut(s![start..end, start..end]).assign(&own);
        }
        inverse
    }
}

/// The place of each parameter in this order.
fn places_of(parameters: &[usize]) -> Vec<usize> {
    let mut places = vec![0; parameters.len()];
    parameters.iter().enumerate().for_each(|(place, &at)| places[at] = place);
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::cholesky::Factor;
    use crate::curvature::{Curvature, UnknownMean};

    /// As many parameters as fill these blocks.
    const SIZE: usize = 16 * BLOCK;

    /// Each parameter belongs together with one that comes a little later, and all with the first.
    fn cliques() -> Vec<Vec<usize>> {
        let mut cliques: Vec<_> = (1..SIZE - 7).map(|at| vec![0, at, at + 7]).collect();
        cliques.push(vec![20, 30, 40]);
        cliques
    }

    fn matrix() -> Array2<f64> {
        let mut matrix = Array2::from_diag_elem(SIZE, 1.0);
        for (clique, weight) in cliques().iter().zip(1..) {
            for &row in clique {
                matrix[[row, row]] += 1.0;
                let others = clique.iter().filter(|&&column| column != row);
                others.for_each(|&column| matrix[[row, column]] -= 1.0 / f64::from(2 + weight % 5));
            }
        }
        matrix
    }

    /// The same matrix, but for the unknown means of some parameters.
    fn curvature() -> Curvature {
        let means = [(0.002, 3), (0.001, 5)].map(|(weight, every)| {
            let sum = (0..SIZE).step_by(every).map(|at| (at, 1.0)).collect();
            UnknownMean { weight, sum }
        });
        Curvature { cells: matrix(), unknown: means.to_vec(), floor: 0.1 }
    }

    fn factors() -> [Factor; 2] {
        let order = Arc::new(Order::new(SIZE, &cliques()).expect("sparse"));
        [Factor::sparse(curvature(), order), Factor::new(curvature().whole(), 0.1)]
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
        let product = curvature().whole().dot(&ndarray::ArrayView1::from(&right));
        assert!([&sparse, &dense].iter().all(|it| are_close(&it.product(&right), &product)));
        assert!((sparse.log_determinant() - dense.log_determinant()).abs() < 1e-9);
        assert!(are_close(&sparse.inverse(), &dense.inverse()));
    }

    #[test]
    fn the_inverse_is_known_where_the_matrix_has_cells() {
        let [sparse, dense] = factors();
        let (known, all) = (sparse.known_inverse(), dense.inverse());
        let matrix = matrix();
        let mut cells = matrix.indexed_iter().filter(|cell| *cell.1 != 0.0).map(|cell| cell.0);
        assert!(cells.all(|at| (known[at] - all[at]).abs() < 1e-9));
        assert!(known.iter().filter(|cell| **cell == 0.0).count() > SIZE * SIZE / 3);
    }

    /// All know only how they differ from the next one, and scatter around a mean that is not known.
    #[test]
    fn a_floor_that_is_reached_changes_nothing() {
        let mut cells = Array2::from_diag_elem(SIZE, 1.0);
        for at in 1..SIZE {
            for (row, column, cell) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, -1.0), (1, 0, -1.0)] {
                cells[[at - row, at - column]] += cell;
            }
        }
        let size = f64::from(u32::try_from(SIZE).expect("small"));
        let weight = 1.0 / (1.0 + size);
        let unknown = vec![UnknownMean { weight, sum: (0..SIZE).map(|at| (at, 1.0)).collect() }];
        let matrix = || Curvature {
            cells: cells.clone(),
            unknown: unknown.clone(),
            floor: 1.0 - size * weight,
        };
        let cliques: Vec<_> = (1..SIZE).map(|at| vec![at - 1, at]).collect();
        let order = Arc::new(Order::new(SIZE, &cliques).expect("sparse"));
        let right: Vec<f64> = (0..7).cycle().take(SIZE).map(|it| f64::from(it) / 1000.0).collect();
        let [sparse, dense] =
            [Factor::sparse(matrix(), order), Factor::new(matrix().whole(), 1e-9)];
        assert!(are_close(&sparse.solve(&right), &dense.solve(&right)));
    }

    #[test]
    fn one_that_stays_for_long_comes_last() {
        let met = (50..SIZE - 7).step_by(50).map(|at| vec![3, at]);
        let order = Order::new(SIZE, &cliques().into_iter().chain(met).collect::<Vec<_>>());
        let order = order.expect("sparse");
        assert_eq!(order.parameters[SIZE - 2..], [3, 0], "all met the first one");
        let mut rows = order.first.iter().enumerate().rev().skip(1);
        assert!(rows.all(|(row, first)| first + 1 >= row), "{:?}", order.first);
    }

    #[test]
    fn a_dense_matrix_has_no_better_order() {
        assert!(Order::new(SIZE, &[(0..SIZE).collect()]).is_none());
        assert!(Order::new(2, &[vec![0, 1]]).is_none());
    }
}
