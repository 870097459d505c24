//! Sparse symmetric matrices, and linear systems by the method of conjugate gradients.
//!
//! The priors bound the condition of the systems, so the method needs few steps, whatever the
//! schedule, and no memory besides the matrix. Its two triangles, each easily solved, bring the
//! system close to the unit matrix. Several right-hand sides are solved at once: their numbers lie
//! side by side, so each cell of the matrix is read once for all of them.

use std::ops::Range;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::significance::count;

/// The number of systems that are solved at once.
pub(crate) const LANES: usize = 16;
/// The number of random vectors behind the inverse of a large matrix. The difference of two
/// unknowns then has a variance with an error of 6%.
const PROBES: usize = 512;
/// The relative error of the solution for the common level.
const LEVEL_TOLERANCE: f32 = 1e-5;
/// A sum that is smaller than its largest term by this factor is 0, up to rounding.
const ROUNDING: f64 = 1e-10;
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
///
/// Rows and columns are scaled so that its diagonal is 1. It is `I − L − U` then, where `L` is below
/// the diagonal, and `U` above it.
#[derive(Debug, Clone)]
pub(crate) struct Solver {
    /// `L + U`, and cells on the diagonal that are not used.
    beside: Multiplier,
    /// The index of each row's cell on the diagonal.
    middles: Vec<usize>,
    /// The factor of each row and column.
    scale: Vec<f32>,
    /// The solution whose right side is 1 everywhere, and its sum.
    level: (Vec<f32>, f32),
}

/// Sums that are added up in chunks.
struct Sums<const W: usize> {
    total: [f32; W],
    /// The sums of the last terms.
    part: [f32; W],
    /// How many terms that are.
    terms: usize,
}

impl SparseSymmetric {
    /// A matrix of zeros that has a diagonal and the cells of this `pattern`, each given in one or
    /// both triangles.
    pub(crate) fn zero(size: usize, pattern: impl Iterator<Item = (usize, usize)>) -> Self {
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

    /// The matrix `Mᵀ A M` without the cells that are 0 in it. `terms` are the cells of each row of
    /// `M`, by column.
    pub(crate) fn transformed(&self, terms: &[[(usize, f64); 2]]) -> Self {
        let mut of_column = vec![Vec::new(); terms.len()];
        for (row, terms) in terms.iter().enumerate() {
            for &(column, factor) in terms {
                of_column[column].push((row, factor));
            }
        }
        let mut product = Self { starts: vec![0], columns: Vec::new(), cells: Vec::new() };
        let mut sums = RowSums::new(terms.len());
        for (row, of_column) in of_column.iter().enumerate() {
            for &(from, factor) in of_column {
                for cell in self.starts[from]..self.starts[from + 1] {
                    for &(column, other) in &terms[self.columns[cell] as usize] {
                        sums.add(column, factor * self.cells[cell] * other);
                    }
                }
            }
            sums.take(|column, sum, is_zero| {
                if column == row || !is_zero {
                    product.columns.push(narrow(column));
                    product.cells.push(sum);
                }
            });
            product.starts.push(product.columns.len());
        }
        product
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
        let scale: Vec<f64> = (0..self.size()).map(|at| self.at(at, at).sqrt().recip()).collect();
        let mut beside = self.multiplier();
        let mut middles = Vec::with_capacity(self.size());
        for row in 0..self.size() {
            for cell in self.starts[row]..self.starts[row + 1] {
                let column = self.columns[cell] as usize;
                beside.cells[cell] = single(-self.cells[cell] * scale[row] * scale[column]);
                if column == row {
                    middles.push(cell);
                }
            }
        }
        let scale = scale.into_iter().map(single).collect();
        let mut solver = Solver { beside, middles, scale, level: (vec![0.0; self.size()], 0.0) };
        let level = solver.solve(vec![[1.0]; self.size()], LEVEL_TOLERANCE);
        let level: Vec<f32> = level.into_iter().map(|[x]| x).collect();
        let sum = level.iter().sum();
        solver.level = (level, sum);
        solver
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
                (0..self.size()).map(|_| signs(luck.random())).collect()
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

/// The sums of the cells of one row.
struct RowSums {
    /// By column, the sum and its largest term.
    sums: Vec<(f64, f64)>,
    /// The columns that have terms other than 0.
    columns: Vec<usize>,
}

impl RowSums {
    fn new(size: usize) -> Self {
        Self { sums: vec![(0.0, 0.0); size], columns: Vec::new() }
    }

    fn add(&mut self, column: usize, term: f64) {
        let (sum, largest) = &mut self.sums[column];
        if *largest <= 0.0 && term.abs() > 0.0 {
            self.columns.push(column);
        }
        *sum += term;
        *largest = largest.max(term.abs());
    }

    /// Passes each column to `each`, in order, with its sum, and whether that is 0 up to rounding.
    /// Then all sums are 0 again.
    fn take(&mut self, mut each: impl FnMut(usize, f64, bool)) {
        self.columns.sort_unstable();
        for column in self.columns.drain(..) {
            let (sum, largest) = std::mem::take(&mut self.sums[column]);
            each(column, sum, sum.abs() <= ROUNDING * largest);
        }
    }
}

/// An index in four bytes.
fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The columns of the unit matrix from `start`, and columns of zeros after them.
fn units(size: usize, start: usize) -> Columns<LANES> {
    let mut units = vec![[0.0; LANES]; size];
    for (lane, row) in units[start..].iter_mut().take(LANES).enumerate() {
        row[lane] = 1.0;
    }
    units
}

/// The signs, −1 or 1, that the bits of a number stand for.
#[inline]
pub(crate) fn signs(bits: u16) -> [f32; LANES] {
    std::array::from_fn(|lane| if bits & 1 << lane == 0 { 1.0 } else { -1.0 })
}

impl Multiplier {
    /// The product with each column.
    pub(crate) fn times<const W: usize>(&self, x: &Columns<W>) -> Columns<W> {
        self.starts.windows(2).map(|row| self.product(row[0]..row[1], x)).collect()
    }

    /// The product of some cells of one row with each column.
    #[inline]
    fn product<const W: usize>(&self, cells: Range<usize>, x: &Columns<W>) -> [f32; W] {
        let mut sum = [0.0; W];
        for (&column, &cell) in self.columns[cells.clone()].iter().zip(&self.cells[cells]) {
            let x = &x[column as usize];
            for lane in 0..W {
                sum[lane] += cell * x[lane];
            }
        }
        sum
    }
}

impl Solver {
    /// The number of rows.
    pub(crate) fn size(&self) -> usize {
        self.scale.len()
    }

    /// Solves `A X = right`. The error is about `tolerance` times the solution, in the norm of `A`.
    ///
    /// These are conjugate gradients for `(I − L)⁻¹ A (I − U)⁻¹`, which is close to `I`, by
    /// Eisenstat's method: as `A = (I − L) + (I − U) − I`, a step needs no product with `A`, only
    /// one with each triangle. The games hardly tell the common level of all unknowns, which would
    /// cost a step; the start has the right one.
    pub(crate) fn solve<const W: usize>(&self, right: Columns<W>, tolerance: f32) -> Columns<W> {
        let size = self.size();
        let (level, level_sum) = &self.level;
        let mut shares = Sums::<W>::new();
        for (row, level) in right.iter().zip(level) {
            shares.add(|lane| level * row[lane]);
        }
        let shares = shares.all().map(|product| ratio(product, *level_sum));
        let mut rest = right;
        for row in 0..size {
            let below = self.below(row, &rest);
            for lane in 0..W {
                rest[row][lane] = self.scale[row] * (rest[row][lane] - shares[lane]) + below[lane];
            }
        }
        let mut length = inner(&rest, &rest);
        let goal = length.map(|length| length * tolerance * tolerance);
        let mut turn = [0.0; W];
        let zeros = vec![[0.0; W]; size];
        let [mut solution, mut direction] = [zeros.clone(), zeros.clone()];
        // `(I − U)⁻¹` times the direction, and `(I − L)⁻¹` times what that changes.
        let [mut upper, mut lower] = [zeros.clone(), zeros];
        // In exact arithmetic, as many steps as unknowns are enough.
        for _ in 0..size {
            if length.iter().zip(&goal).all(|(length, goal)| length <= goal) {
                break;
            }
            let mut curvature = Sums::<W>::new();
            for row in (0..size).rev() {
                let above = self.above(row, &upper);
                let (direction, upper) = (&mut direction[row], &mut upper[row]);
                for lane in 0..W {
                    direction[lane] = rest[row][lane] + turn[lane] * direction[lane];
                    upper[lane] = direction[lane] + above[lane];
                }
                curvature.add(|lane| upper[lane] * (2.0 * direction[lane] - upper[lane]));
            }
            let curvature = curvature.all();
            let step: [f32; W] = std::array::from_fn(|lane| ratio(length[lane], curvature[lane]));
            let mut next = Sums::<W>::new();
            for row in 0..size {
                let below = self.below(row, &lower);
                let (upper, lower, rest) = (&upper[row], &mut lower[row], &mut rest[row]);
                for lane in 0..W {
                    lower[lane] = direction[row][lane] - upper[lane] + below[lane];
                    solution[row][lane] += step[lane] * upper[lane];
                    rest[lane] -= step[lane] * (upper[lane] + lower[lane]);
                }
                next.add(|lane| rest[lane] * rest[lane]);
            }
            let next = next.all();
            turn = std::array::from_fn(|lane| ratio(next[lane], length[lane]));
            length = next;
        }
        for (row, (scale, level)) in solution.iter_mut().zip(self.scale.iter().zip(level)) {
            for lane in 0..W {
                row[lane] = scale * row[lane] + level * shares[lane];
            }
        }
        solution
    }

    /// A row of `L X`.
    #[inline]
    fn below<const W: usize>(&self, row: usize, x: &Columns<W>) -> [f32; W] {
        self.beside.product(self.beside.starts[row]..self.middles[row], x)
    }

    /// A row of `U X`.
    #[inline]
    fn above<const W: usize>(&self, row: usize, x: &Columns<W>) -> [f32; W] {
        self.beside.product(self.middles[row] + 1..self.beside.starts[row + 1], x)
    }
}

impl<const W: usize> Sums<W> {
    fn new() -> Self {
        Self { total: [0.0; W], part: [0.0; W], terms: 0 }
    }

    /// Adds the term of each lane.
    #[inline]
    fn add(&mut self, term: impl Fn(usize) -> f32) {
        if self.terms == CHUNK {
            *self = Self { total: self.all(), ..Self::new() };
        }
        for lane in 0..W {
            self.part[lane] += term(lane);
        }
        self.terms += 1;
    }

    /// The sums of all terms.
    fn all(&self) -> [f32; W] {
        std::array::from_fn(|lane| self.total[lane] + self.part[lane])
    }
}

/// The inner product of each column with the same column of the other.
pub(crate) fn inner<const W: usize>(left: &Columns<W>, right: &Columns<W>) -> [f32; W] {
    let mut sums = Sums::new();
    for (left, right) in left.iter().zip(right) {
        sums.add(|lane| left[lane] * right[lane]);
    }
    sums.all()
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
