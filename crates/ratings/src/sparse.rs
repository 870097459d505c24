//! Sparse symmetric matrices, and linear systems by the method of conjugate gradients.
//!
//! The priors bound the condition of the systems, so the method needs few steps, whatever the
//! schedule, and no memory besides the matrix. Several right-hand sides are solved at once: their
//! numbers lie side by side, so each cell of the matrix is read once for all of them.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::significance::count;

/// The number of systems that are solved at once.
pub(crate) const LANES: usize = 16;
/// The number of random vectors behind the inverse of a large matrix. The difference of two
/// unknowns then has a variance with an error of 6%.
const PROBES: usize = 512;
/// Sums of this many terms are added up, so that rounding stays small.
const CHUNK: usize = 64;

/// A sparse symmetric matrix with a fixed pattern. Both triangles are stored, row by row.
#[derive(Debug, Clone)]
pub(crate) struct SparseSymmetric {
    /// The index of each row's first cell, and of the end.
    starts: Vec<usize>,
    columns: Vec<u32>,
    cells: Vec<f64>,
}

/// One row per unknown, one column per right-hand side. Single precision is more than the
/// tolerances of the solutions need.
pub(crate) type Columns<const W: usize> = Vec<[f32; W]>;

/// A sparse symmetric matrix in single precision, ready for products.
#[derive(Debug, Clone)]
pub(crate) struct Multiplier {
    starts: Vec<usize>,
    columns: Vec<u32>,
    cells: Vec<f32>,
}

/// A positive definite sparse matrix in single precision, ready for systems.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    matrix: Multiplier,
    /// The inverse of the diagonal.
    scale: Vec<f32>,
}

impl SparseSymmetric {
    /// A matrix of zeros that has a diagonal and the cells of this `pattern`, each given in one or
    /// both triangles.
    pub(crate) fn zero(size: usize, pattern: impl Iterator<Item = (usize, usize)>) -> Self {
        let narrow = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let mut cells: Vec<(u32, u32)> = pattern
            .flat_map(|(row, column)| [(row, column), (column, row)])
            .chain((0..size).map(|at| (at, at)))
            .map(|(row, column)| (narrow(row), narrow(column)))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let mut starts = vec![0; size + 1];
        for &(row, _) in &cells {
            starts[row as usize + 1] += 1;
        }
        for row in 0..size {
            starts[row + 1] += starts[row];
        }
        let columns: Vec<u32> = cells.into_iter().map(|(_, column)| column).collect();
        Self { starts, cells: vec![0.0; columns.len()], columns }
    }

    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of cells in both triangles.
    pub(crate) fn stored(&self) -> usize {
        self.cells.len()
    }

    /// A matrix with the same pattern and these numbers on the diagonal.
    pub(crate) fn with_diagonal(&self, diagonal: &[f64]) -> Self {
        let mut matrix = Self { cells: vec![0.0; self.cells.len()], ..self.clone() };
        for (at, &value) in diagonal.iter().enumerate() {
            matrix.add(at, at, value);
        }
        matrix
    }

    /// Adds `value` at (`row`, `column`) and at its mirror image. Both must be in the pattern.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        for (row, column) in [(row, column), (column, row)] {
            if let Some(cell) = self.index(row, column) {
                self.cells[cell] += value;
            }
            if row == column {
                break;
            }
        }
    }

    /// The value at (`row`, `column`); 0 outside the pattern.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.index(row, column).map_or(0.0, |cell| self.cells[cell])
    }

    fn index(&self, row: usize, column: usize) -> Option<usize> {
        let start = self.starts[row];
        let columns = &self.columns[start..self.starts[row + 1]];
        // The rows of the advantage and of the draws are nearly full.
        let is_there = |at: &usize| columns.get(*at).is_some_and(|&found| found as usize == column);
        let at = Some(column)
            .filter(is_there)
            .or_else(|| columns.binary_search_by_key(&column, |&found| found as usize).ok())?;
        Some(start + at)
    }

    /// The cells of the lower triangle.
    pub(crate) fn lower(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        let row = move |row: usize| {
            let range = self.starts[row]..self.starts[row + 1];
            range.map(move |cell| (row, self.columns[cell] as usize, self.cells[cell]))
        };
        (0..self.size()).flat_map(row).filter(|(row, column, _)| column <= row)
    }

    /// The difference from another matrix with the same pattern.
    pub(crate) fn minus(mut self, other: &Self) -> Self {
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, other)| *cell -= other);
        self
    }

    /// The same matrix, ready for products.
    pub(crate) fn multiplier(&self) -> Multiplier {
        Multiplier {
            starts: self.starts.clone(),
            columns: self.columns.clone(),
            cells: self.cells.iter().map(|&cell| single(cell)).collect(),
        }
    }

    /// The same matrix, ready for systems.
    pub(crate) fn solver(&self) -> Solver {
        let scale = (0..self.size()).map(|at| single(1.0 / self.at(at, at))).collect();
        Solver { matrix: self.multiplier(), scale }
    }

    /// The inverse, as far as the pattern goes: exact up to `tolerance` for a small matrix. For a
    /// large one it is an estimate without bias, from [`PROBES`] random vectors of signs.
    pub(crate) fn inverse_on_pattern(&self, tolerance: f32) -> Self {
        let (solver, mut inverse) = (self.solver(), self.with_diagonal(&[]));
        let is_small = self.size() <= PROBES;
        let probes = if is_small { self.size() } else { PROBES };
        let share = if is_small { 1.0 } else { 1.0 / count(PROBES) };
        let mut luck = ChaCha8Rng::seed_from_u64(0);
        for start in (0..probes).step_by(LANES) {
            let probes = if is_small {
                units(self.size(), start)
            } else {
                (0..self.size()).map(|_| signs(&mut luck)).collect()
            };
            inverse.add_products(&solver.solve(probes.clone(), tolerance), &probes, share);
        }
        inverse
    }

    /// Adds `share` times the symmetric part of `left rightᵀ`, as far as the pattern goes.
    fn add_products(&mut self, left: &Columns<LANES>, right: &Columns<LANES>, share: f64) {
        let both = |row: usize, column: usize| {
            let lanes = (0..LANES).map(|lane| {
                left[row][lane] * right[column][lane] + left[column][lane] * right[row][lane]
            });
            f64::from(lanes.sum::<f32>() / 2.0)
        };
        for row in 0..self.size() {
            for cell in self.starts[row]..self.starts[row + 1] {
                self.cells[cell] += share * both(row, self.columns[cell] as usize);
            }
        }
    }
}

/// The columns of the unit matrix from `start`, and columns of zeros after them.
fn units(size: usize, start: usize) -> Columns<LANES> {
    let mut units = vec![[0.0; LANES]; size];
    for (lane, row) in units[start..].iter_mut().take(LANES).enumerate() {
        row[lane] = 1.0;
    }
    units
}

/// Random signs, −1 or 1.
fn signs(luck: &mut impl Rng) -> [f32; LANES] {
    let signs: u16 = luck.random();
    std::array::from_fn(|lane| signed(1.0, signs, lane))
}

/// The number, or minus that number if the bit at `lane` is set.
pub(crate) fn signed(number: f32, signs: u16, lane: usize) -> f32 {
    if signs >> lane & 1 == 0 { number } else { -number }
}

impl Multiplier {
    /// The product with each column.
    pub(crate) fn times<const W: usize>(&self, x: &Columns<W>) -> Columns<W> {
        let mut product = vec![[0.0; W]; x.len()];
        self.multiply(x, &mut product);
        product
    }

    fn multiply<const W: usize>(&self, x: &Columns<W>, product: &mut Columns<W>) {
        for (row, sums) in self.starts.windows(2).zip(product) {
            let mut sum = [0.0; W];
            let range = row[0]..row[1];
            for (&column, &cell) in self.columns[range.clone()].iter().zip(&self.cells[range]) {
                let x = &x[column as usize];
                for lane in 0..W {
                    sum[lane] += cell * x[lane];
                }
            }
            *sums = sum;
        }
    }
}

impl Solver {
    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.scale.len()
    }

    /// Solves `A X = right` by conjugate gradients scaled by the diagonal. The error is about
    /// `tolerance` times the solution, in the norm of `A`.
    pub(crate) fn solve<const W: usize>(&self, right: Columns<W>, tolerance: f32) -> Columns<W> {
        let mut solution = vec![[0.0; W]; right.len()];
        let mut rest = right;
        let mut direction = solution.clone();
        let mut image = solution.clone();
        let mut length = self.scaled_square(&rest);
        let goal = length.map(|length| length * tolerance * tolerance);
        let mut turn = [0.0; W];
        // In exact arithmetic, as many steps as unknowns are enough.
        for _ in 0..rest.len() {
            if length.iter().zip(&goal).all(|(length, goal)| length <= goal) {
                break;
            }
            for ((direction, rest), scale) in direction.iter_mut().zip(&rest).zip(&self.scale) {
                for lane in 0..W {
                    direction[lane] = scale * rest[lane] + turn[lane] * direction[lane];
                }
            }
            self.matrix.multiply(&direction, &mut image);
            let curvature = inner(&direction, &image);
            let step: [f32; W] = std::array::from_fn(|lane| ratio(length[lane], curvature[lane]));
            let rows = solution.iter_mut().zip(&mut rest).zip(direction.iter().zip(&image));
            for ((solution, rest), (direction, image)) in rows {
                for lane in 0..W {
                    solution[lane] += step[lane] * direction[lane];
                    rest[lane] -= step[lane] * image[lane];
                }
            }
            let next = self.scaled_square(&rest);
            turn = std::array::from_fn(|lane| ratio(next[lane], length[lane]));
            length = next;
        }
        solution
    }

    /// The squared length of each column, scaled by the inverse of the diagonal.
    fn scaled_square<const W: usize>(&self, columns: &Columns<W>) -> [f32; W] {
        let mut sum = [0.0; W];
        for (rows, scales) in columns.chunks(CHUNK).zip(self.scale.chunks(CHUNK)) {
            let mut part = [0.0; W];
            for (row, scale) in rows.iter().zip(scales) {
                for lane in 0..W {
                    part[lane] += scale * row[lane] * row[lane];
                }
            }
            sum = std::array::from_fn(|lane| sum[lane] + part[lane]);
        }
        sum
    }
}

/// The inner product of each column with the same column of the other.
pub(crate) fn inner<const W: usize>(left: &Columns<W>, right: &Columns<W>) -> [f32; W] {
    let mut sum = [0.0; W];
    for (left, right) in left.chunks(CHUNK).zip(right.chunks(CHUNK)) {
        let mut part = [0.0; W];
        for (left, right) in left.iter().zip(right) {
            for lane in 0..W {
                part[lane] += left[lane] * right[lane];
            }
        }
        sum = std::array::from_fn(|lane| sum[lane] + part[lane]);
    }
    sum
}

/// The quotient; 0 for a column that is solved exactly.
fn ratio(upper: f32, lower: f32) -> f32 {
    if lower > 0.0 { upper / lower } else { 0.0 }
}

/// A number in single precision.
#[expect(clippy::cast_possible_truncation, reason = "only digits are lost")]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_systems_match_the_inverse() {
        // A path of eight players, with a border.
        let edges = || (0..7).map(|at| (at + 1, at)).chain((0..8).map(|at| (8, at)));
        let mut matrix = SparseSymmetric::zero(9, edges()).with_diagonal(&[3.0; 9]);
        edges()
            .for_each(|(row, column)| matrix.add(row, column, if row == 8 { 0.1 } else { -1.0 }));
        let (solver, inverse) = (matrix.solver(), matrix.inverse_on_pattern(1e-6));
        let right: Columns<1> =
            vec![[-3.0], [-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0], [4.0], [5.0]];
        let again = matrix.multiplier().times(&solver.solve(right.clone(), 1e-6));
        assert!(again.iter().zip(&right).all(|(a, b)| (a[0] - b[0]).abs() < 1e-4), "{again:?}");
        for column in 0..9 {
            let mut unit = vec![[0.0]; 9];
            unit[column] = [1.0];
            let solution = solver.solve(unit, 1e-6);
            for row in [column, 8] {
                assert!((f64::from(solution[row][0]) - inverse.at(row, column)).abs() < 1e-5);
            }
        }
        assert_eq!(matrix.at(0, 5).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn the_inverse_of_a_large_matrix_is_estimated() {
        // A ring.
        let size = PROBES + 88;
        let edges = || (0..size).map(|at| (at, (at + 1) % size));
        let mut matrix = SparseSymmetric::zero(size, edges()).with_diagonal(&vec![2.0; size]);
        edges().for_each(|(row, column)| matrix.add(row, column, -0.5));
        let inverse = matrix.inverse_on_pattern(1e-3);
        let exact = matrix.solver().solve(units(size, 0), 1e-6);
        let mut errors = 0.0;
        for (row, column) in edges() {
            let apart =
                inverse.at(row, row) + inverse.at(column, column) - 2.0 * inverse.at(row, column);
            let exact = f64::from(2.0 * (exact[0][0] - exact[1][0]));
            errors += (apart / exact - 1.0).powi(2);
            assert!((apart / exact - 1.0).abs() < 0.3, "{apart} {exact}");
        }
        let error = (errors / count(size)).sqrt();
        assert!(error < 0.08, "{error}");
    }
}
