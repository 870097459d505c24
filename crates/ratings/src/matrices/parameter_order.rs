//! An order of parameters in which most of a sparse matrix's Cholesky factor is zero.
//!
//! In a league, a version only meets those that were there at the same time. If those that left
//! early come first, and those that stayed for long last, then each row of the factor is zero up
//! to where its matrix begins (the *envelope*), and only what is inside of it is kept and computed:
//! see `triangle.rs`.

use std::ops::Range;

use crate::matrices::blocks::split_into_blocks;
use crate::significance::count_as_f64;

/// An order of the parameters, and the envelope of the factor in this order.
#[derive(Debug, Clone)]
pub(crate) struct ParameterOrder {
    /// The parameter at each place.
    parameters: Vec<usize>,
    /// The place of each parameter.
    places: Vec<usize>,
    blocks: Vec<Range<usize>>,
    /// The first block of columns that is not zero in each block of rows.
    first: Vec<usize>,
    /// Each row.
    rows: Vec<Row>,
    /// Whether factoring in it takes less than half of the work.
    is_sparse: bool,
}

/// A row of a matrix in an order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The block that has it.
    pub(crate) block: usize,
    /// Its place there.
    pub(crate) at: usize,
    /// The first column that may have a cell.
    pub(crate) begin: usize,
}

impl ParameterOrder {
    /// The order of a matrix of this size that may have cells anywhere.
    pub(crate) fn dense(size: usize) -> Self {
        let parameters: Vec<usize> = (0..size).collect();
        let blocks: Vec<_> = split_into_blocks(0..size).collect();
        let first = vec![0; blocks.len()];
        let rows = parameter_rows_in_order(&blocks, &first);
        Self { places: parameters.clone(), parameters, blocks, first, rows, is_sparse: false }
    }

    /// An order for a matrix of this size whose cells are zero except between the parameters of each
    /// clique; the dense one if nothing is gained by another.
    pub(crate) fn new(size: usize, cliques: &[Vec<usize>]) -> Self {
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
        let mut places = parameter_places_in_order(&parameters);
        let mut starts = places.clone();
        for clique in cliques {
            let start = clique.iter().map(|&at| places[at]).min().unwrap_or(0);
            for &at in clique {
                starts[at] = starts[at].min(start);
            }
        }
        // One that stayed for long would make all rows of its block as long as its own.
        let stayed = |&at: &usize| 2 * (places[at] - starts[at]) > size;
        let left = size - parameters.iter().filter(|at| stayed(at)).count();
        parameters.sort_by_key(stayed);
        places = parameter_places_in_order(&parameters);
        let blocks: Vec<_> =
            split_into_blocks(0..left).chain(split_into_blocks(left..size)).collect();
        let mut first: Vec<usize> = (0..blocks.len()).collect();
        let block_of = |at: usize| blocks.partition_point(|rows| rows.end <= places[at]);
        for clique in cliques {
            let start = clique.iter().map(|&at| block_of(at)).min().unwrap_or(0);
            for &at in clique {
                let begin = &mut first[block_of(at)];
                *begin = start.min(*begin);
            }
        }
        // For each row, factoring takes the square of its length; without zeros, a third of the cube
        // of the size in all.
        let work = |(rows, &first): (&Range<usize>, &usize)| {
            count_as_f64(rows.len()) * count_as_f64(rows.end - blocks[first].start).powi(2)
        };
        let work: f64 = blocks.iter().zip(&first).map(work).sum();
        let is_sparse = 6.0 * work < count_as_f64(size).powi(3);
        if !is_sparse {
            return Self::dense(size);
        }
        let rows = parameter_rows_in_order(&blocks, &first);
        Self { parameters, places, blocks, first, rows, is_sparse }
    }

    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether factoring in this order takes less than half of the work.
    pub(crate) fn is_sparse(&self) -> bool {
        self.is_sparse
    }

    /// The place of a parameter.
    pub(crate) fn place(&self, parameter: usize) -> usize {
        self.places[parameter]
    }

    /// The parameters in this order.
    pub(crate) fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// The columns of a block of rows that may have cells on or below the diagonal.
    pub(crate) fn columns(&self, row: usize) -> Range<usize> {
        self.blocks[self.first[row]].start..self.blocks[row].end
    }

    /// The blocks of rows below this one that may have cells in its columns.
    pub(crate) fn blocks_below(&self, column: usize) -> impl Iterator<Item = usize> {
        (column + 1..self.blocks.len()).filter(move |&row| self.first[row] <= column)
    }

    /// The rows of each block.
    pub(crate) fn blocks(&self) -> &[Range<usize>] {
        &self.blocks
    }

    /// A row.
    pub(crate) fn row(&self, place: usize) -> Row {
        self.rows[place]
    }

    /// The values of the parameters in this order.
    pub(crate) fn sorted(&self, values: &[f64]) -> Vec<f64> {
        self.parameters.iter().map(|&at| values[at]).collect()
    }

    /// The reverse of [`Self::sorted`].
    pub(crate) fn unsorted(&self, sorted: &[f64]) -> Vec<f64> {
        self.places.iter().map(|&place| sorted[place]).collect()
    }
}

/// The rows of blocks that begin with these blocks of columns.
fn parameter_rows_in_order(blocks: &[Range<usize>], first: &[usize]) -> Vec<Row> {
    let each = blocks.iter().zip(first).enumerate().flat_map(|(block, (rows, &first))| {
        let begin = blocks[first].start;
        (0..rows.len()).map(move |at| Row { block, at, begin })
    });
    each.collect()
}

/// The place of each parameter in this order.
fn parameter_places_in_order(parameters: &[usize]) -> Vec<usize> {
    let mut places = vec![0; parameters.len()];
    parameters.iter().enumerate().for_each(|(place, &at)| places[at] = place);
    places
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::matrices::blocks::BLOCK;

    /// Not a whole number of blocks.
    pub(crate) const SIZE: usize = 16 * BLOCK - 5;

    /// Each parameter belongs together with one that comes a little later, and all with the first.
    pub(crate) fn cliques() -> Vec<Vec<usize>> {
        let mut cliques: Vec<_> = (1..SIZE - 7).map(|at| vec![0, at, at + 7]).collect();
        cliques.push(vec![20, 30, 40]);
        cliques
    }

    #[test]
    fn one_that_stays_for_long_comes_last() {
        let met = (50..SIZE - 7).step_by(50).map(|at| vec![3, at]);
        let order =
            ParameterOrder::new(SIZE, &cliques().into_iter().chain(met).collect::<Vec<_>>());
        assert_eq!(order.parameters[SIZE - 2..], [3, 0], "all met the first one");
        assert_eq!(order.blocks.last(), Some(&(SIZE - 2..SIZE)), "a block of their own");
        let mut rows = order.first.iter().enumerate().rev().skip(1);
        assert!(rows.all(|(row, first)| first + 1 >= row), "{:?}", order.first);
    }

    #[test]
    fn a_dense_matrix_has_no_better_order() {
        assert!(!ParameterOrder::new(SIZE, &[(0..SIZE).collect()]).is_sparse());
        assert!(!ParameterOrder::new(2, &[vec![0, 1]]).is_sparse());
    }
}
