//! The covariance of the fitted parameters when the two games of a pair are correlated.
//!
//! It is the sandwich estimate `H⁻¹ (B + P) H⁻¹`. `H` is the observed information, `P` the
//! information of the priors, and `B` the covariance of the gradient, summed over the observed
//! pairs. The games of a pair may depend on each other in any way; pairs are independent.
//!
//! With few pairs, the observed outcomes are a poor estimate of their own variance. Two corrections
//! help. First, fitting makes residuals smaller, so the part that it removed is added again, as the
//! model predicts it. Second, the observed covariance of two players' pairs is averaged with the
//! covariance that the model expects, given one correlation within pairs for the whole tournament.
//! The expectation weighs as much as [`PRIOR_PAIRS`] pairs between equals.

use ndarray::Array2;

use crate::dense::Symmetric;
use crate::linear::{Local, PairPredictor};
use crate::model::{Chances, MapEstimate, Model};
use crate::pairs::{PairCounts, Side};

/// The model's expectation weighs as much as this many pairs between equals.
const PRIOR_PAIRS: f64 = 20.0;
/// The correlation within pairs is shrunk towards 0 as if by this many pairs of independent games.
const INDEPENDENT_PAIRS: f64 = 5.0;
/// The variance of the score of one game between equals without draws.
const COIN: f64 = 0.25;
/// The bounds of the correlation: −0.95 to 0.95.
const MOST: f64 = 0.95;

/// A symmetric matrix over the score and the draw of one game, followed by those of the other.
type Block = [[f64; 4]; 4];

/// The correlation between the two games of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correlation {
    /// The correlation of one player's scores in the two games.
    pub(crate) score: f64,
    /// The correlation of the two games being drawn.
    pub(crate) draw: f64,
}

/// The uncertainty of fitted parameters.
#[derive(Debug, Clone)]
pub(crate) struct Covariance {
    /// `H⁻¹`.
    inverse: Symmetric,
    /// `H⁻¹ G`, where `G Gᵀ = B + P`.
    root: Array2<f64>,
    /// The covariance: the root times its transpose.
    cells: Symmetric,
    pub(crate) correlation: Correlation,
}

impl Covariance {
    pub(crate) fn new(
        model: &Model,
        estimate: &MapEstimate,
        pairings: &[(usize, usize, PairCounts)],
    ) -> Self {
        let inverse = estimate.information.clone().factor(model.floor()).inverse();
        let spreads: Vec<_> = pairings
            .iter()
            .map(|pairing| Spread::new(model, estimate, &inverse, pairing))
            .collect();
        let correlation = correlation(&spreads);
        let mut gradient = Symmetric::diagonal(&model.precisions);
        for ((upper, lower, _), spread) in pairings.iter().zip(&spreads) {
            let local = spread.gradient(correlation);
            let predictor = model.layout.pair(*upper, *lower);
            predictor.add_matrix(&local, |row, column, cell| gradient.add(row, column, cell));
        }
        let root = gradient.factor(model.floor()).times_lower(&inverse);
        let cells = Symmetric::of_rows(&root);
        Self { inverse, root, cells, correlation }
    }

    /// The covariance of two parameters.
    pub(crate) fn at(&self, row: usize, column: usize) -> f64 {
        self.cells.at(row, column)
    }

    /// The covariance of every parameter with the quantity that has this gradient.
    pub(crate) fn with(&self, gradient: &[f64]) -> Vec<f64> {
        self.cells.times(gradient)
    }

    /// The variance of a weighted sum of parameters.
    pub(crate) fn variance(&self, weights: &[(usize, f64)]) -> f64 {
        form(&self.cells, weights).max(0.0)
    }

    /// The variance that the model alone gives to a weighted sum of parameters, ignoring pairs.
    pub(crate) fn model_variance(&self, weights: &[(usize, f64)]) -> f64 {
        form(&self.inverse, weights)
    }

    /// Turns each row of independent standard normal numbers into a random deviation of all
    /// parameters.
    pub(crate) fn deviations(&self, normals: &Array2<f64>) -> Array2<f64> {
        normals.dot(&self.root.t())
    }
}

/// `xᵀ A x` of a sparse vector.
fn form(matrix: &Symmetric, x: &[(usize, f64)]) -> f64 {
    let row =
        |&(at, by): &(usize, f64)| by * x.iter().map(|&(to, y)| matrix.at(at, to) * y).sum::<f64>();
    x.iter().map(row).sum()
}

/// How the gradient of two players' games varies.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// Its covariance in the parts of the [`PairPredictor`], without the correlation that the model
    /// expects within pairs.
    uncorrelated: Local,
    /// What the model expects the two games' scores, and their draws, to vary together, if they are
    /// fully correlated: all pairs together.
    together: [f64; 2],
    /// How much they did vary together.
    observed: [f64; 2],
    /// The share of the model's expectation in the covariance, 0 … 1.
    expected: f64,
}

impl Spread {
    fn new(
        model: &Model,
        estimate: &MapEstimate,
        inverse: &Symmetric,
        (upper, lower, counts): &(usize, usize, PairCounts),
    ) -> Self {
        let predictor = model.layout.pair(*upper, *lower);
        let nu = estimate.point[model.layout.draw()].exp();
        let chances = predictor.leads(&estimate.point).map(|lead| Chances::at(lead, nu));
        let independent = independent(&chances);
        let leverage = leverage(&predictor, inverse);
        let observed = observed(counts, &chances, &independent, &leverage);
        let pairs = f64::from(counts.pairs());
        let deviations =
            [0, 1].map(|at| (independent[at][at] * independent[at + 2][at + 2]).sqrt());
        // How much the pairs tell about their own variance, as a number of pairs between equals.
        let weight = pairs * deviations[0] / COIN;
        let expected = PRIOR_PAIRS / (weight + PRIOR_PAIRS);
        // Single games are independent of each other.
        let singles = Side::BOTH.map(|side| f64::from(counts.singles(side)));
        let block: Block = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                (1.0 - expected) * observed[row][column]
                    + (expected * pairs + singles[row / 2]) * independent[row][column]
            })
        });
        Self {
            uncorrelated: contracted(&block),
            together: deviations.map(|deviation| pairs * deviation),
            observed: [observed[0][2], observed[1][3]],
            expected,
        }
    }

    /// The covariance of the gradient if the games of a pair have this correlation.
    fn gradient(&self, correlation: Correlation) -> Local {
        // The upper player's score in the second game counts against its first seat.
        let [score, draw] = [(0, -correlation.score), (1, correlation.draw)]
            .map(|(at, correlation)| 2.0 * self.expected * correlation * self.together[at]);
        let mut local = self.uncorrelated;
        for (at, added) in [-score, score, draw].into_iter().enumerate() {
            local[at][at] += added;
        }
        local
    }
}

/// The covariance of a pair of independent games.
fn independent(chances: &[Chances; 2]) -> Block {
    let mut block = Block::default();
    for (game, chances) in chances.iter().enumerate() {
        for (row, covariance) in chances.covariance().iter().enumerate() {
            block[2 * game + row][2 * game..2 * game + 2].copy_from_slice(covariance);
        }
    }
    block
}

/// How strongly the fit follows each part of a pair's residuals.
fn leverage(predictor: &PairPredictor, inverse: &Symmetric) -> Block {
    let spread =
        |[contrast, common, draw]: [f64; 3]| [common + contrast, draw, common - contrast, draw];
    let half = predictor.restrict(|row, column| inverse.at(row, column)).map(spread);
    transposed(&transposed(&half).map(spread))
}

/// The sum of the outer products of all pairs' residuals, plus the part that fitting removed.
fn observed(
    counts: &PairCounts,
    chances: &[Chances; 2],
    independent: &Block,
    leverage: &Block,
) -> Block {
    let pairs = f64::from(counts.pairs());
    let lost = product(&product(independent, leverage), independent);
    let mut sum = lost.map(|row| row.map(|cell| cell * pairs));
    for (one, other, count) in counts.cells() {
        let [a, b] = [chances[0].residual(one), chances[1].residual(other)];
        let residual = [a[0], a[1], b[0], b[1]];
        for (row, x) in residual.into_iter().enumerate() {
            for (column, y) in residual.into_iter().enumerate() {
                sum[row][column] += f64::from(count) * x * y;
            }
        }
    }
    sum
}

fn product(left: &Block, right: &Block) -> Block {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..4).map(|k| left[row][k] * right[k][column]).sum())
    })
}

/// A block in the parts of a [`PairPredictor`]. The contrast counts against the lower player at the
/// first seat.
fn contracted(block: &Block) -> Local {
    let part = |[score, draw, second_score, second_draw]: [f64; 4]| {
        [score - second_score, score + second_score, draw + second_draw]
    };
    transposed(&block.map(part)).map(part)
}

fn transposed<const R: usize, const C: usize>(rows: &[[f64; C]; R]) -> [[f64; R]; C] {
    std::array::from_fn(|column| std::array::from_fn(|row| rows[row][column]))
}

/// Estimates the correlation within pairs for the whole tournament.
fn correlation(spreads: &[Spread]) -> Correlation {
    let of = |at: usize| {
        let observed: f64 = spreads.iter().map(|spread| spread.observed[at]).sum();
        let together: f64 = spreads.iter().map(|spread| spread.together[at]).sum();
        (observed / (together + INDEPENDENT_PAIRS * COIN)).clamp(-MOST, MOST)
    };
    Correlation { score: -of(0), draw: of(1) }
}
