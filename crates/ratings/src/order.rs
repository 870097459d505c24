//! An order of parameters in which most of a sparse matrix's Cholesky factor is zero.
//!
//! In a league, a version only meets those that were there at the same time. If those that left
//! early come first, and those that stayed for long last, then each row of the factor is zero up
//! to where its matrix begins (the *envelope*), and only what is inside of it is kept and computed:
//! see `triangle.rs`.

use std::ops::Range;

use crate::blocks::{BLOCK, blocks};

/// An order of the parameters, and the envelope of the factor in this order.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The parameter at each place.
    parameters: Vec<usize>,
    /// The place of each parameter.
    places: Vec<usize>,
    /// The first block of columns that is not zero in each block of rows.
    first: Vec<usize>,
    /// Whether anything is gained by it.
    is_sparse: bool,
}

impl Order {
    /// The order of a matrix of this size that may have cells anywhere.
    pub(crate) fn dense(size: usize) -> Self {
        let parameters: Vec<usize> = (0..size).collect();
        let first = vec![0; size.div_ceil(BLOCK)];
        Self { places: parameters.clone(), parameters, first, is_sparse: false }
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
        let is_sparse = 6 * work < all * all * all;
        if is_sparse { Self { parameters, places, first, is_sparse } } else { Self::dense(size) }
    }

    /// The number of parameters.
    pub(crate) fn len(&self) -> usize {
        self.parameters.len()
    }

    /// Whether most of a factor in this order is zero.
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
        BLOCK * self.first[row]..self.len().min(BLOCK * (row + 1))
    }

    /// The blocks of rows below this one that may have cells in its columns.
    pub(crate) fn below(&self, column: usize) -> impl Iterator<Item = usize> {
        (column + 1..self.first.len()).filter(move |&row| self.first[row] <= column)
    }

    /// The first column and the one after the last of each block.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        blocks(self.len())
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

/// The place of each parameter in this order.
fn places_of(parameters: &[usize]) -> Vec<usize> {
    let mut places = vec![0; parameters.len()];
    parameters.iter().enumerate().for_each(|(place, &at)| places[at] = place);
    places
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// As many parameters as fill these blocks.
    pub(crate) const SIZE: usize = 16 * BLOCK;

    /// Each parameter belongs together with one that comes a little later, and all with the first.
    pub(crate) fn cliques() -> Vec<Vec<usize>> {
        let mut cliques: Vec<_> = (1..SIZE - 7).map(|at| vec![0, at, at + 7]).collect();
        cliques.push(vec![20, 30, 40]);
        cliques
    }

    #[test]
    fn one_that_stays_for_long_comes_last() {
        let met = (50..SIZE - 7).step_by(50).map(|at| vec![3, at]);
        let order = Order::new(SIZE, &cliques().into_iter().chain(met).collect::<Vec<_>>());
        assert_eq!(order.parameters[SIZE - 2..], [3, 0], "all met the first one");
        let mut rows = order.first.iter().enumerate().rev().skip(1);
        assert!(rows.all(|(row, first)| first + 1 >= row), "{:?}", order.first);
    }

    #[test]
    fn a_dense_matrix_has_no_better_order() {
        assert!(!Order::new(SIZE, &[(0..SIZE).collect()]).is_sparse());
        assert!(!Order::new(2, &[vec![0, 1]]).is_sparse());
    }
}
