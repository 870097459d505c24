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

use crate::cholesky::{Factor, Symmetric, dot};
use crate::linear::LinearPredictor;
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

/// The pairs of two players, with what the model expects of one pair.
struct Pairing<'a> {
    counts: &'a PairCounts,
    predictors: [LinearPredictor; 2],
    chances: [Chances; 2],
    /// The covariance of a pair of independent games.
    apart: Block,
    /// The part of the covariance of a pair's residuals that fitting removed.
    lost: Block,
}

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
    information: Factor,
    gradient: Factor,
    pub(crate) correlation: Correlation,
}

impl Covariance {
    pub(crate) fn new(
        model: &Model,
        estimate: &MapEstimate,
        pairings: &[(usize, usize, PairCounts)],
    ) -> Self {
        let information = estimate.information.clone().factor(model.floor());
        let inverse = information.inverse();
        let pairings: Vec<_> = pairings
            .iter()
            .map(|(upper, lower, counts)| {
                Pairing::new(model, estimate, &inverse, (*upper, *lower), counts)
            })
            .collect();
        let correlation = correlation(&pairings);
        let mut gradient = Symmetric::diagonal(&model.precisions);
        for pairing in &pairings {
            pairing.add_to(&mut gradient, correlation, model.layout.draw());
        }
        Self { information, gradient: gradient.factor(model.floor()), correlation }
    }

    /// A vector whose squared length is the variance of the quantity with this gradient. The inner
    /// product of two such vectors is the covariance of their quantities.
    pub(crate) fn half(&self, gradient: &[f64]) -> Vec<f64> {
        self.gradient.transposed_times(&self.information.solve(gradient))
    }

    /// The variance of the quantity with this gradient in the parameters.
    pub(crate) fn variance(&self, gradient: &[f64]) -> f64 {
        let half = self.half(gradient);
        dot(&half, &half)
    }

    /// The variance that the model alone gives to the quantity with this gradient, ignoring pairs.
    pub(crate) fn model_variance(&self, gradient: &[f64]) -> f64 {
        dot(gradient, &self.information.solve(gradient))
    }

    /// Turns independent standard normal numbers into a random deviation of all parameters.
    pub(crate) fn deviation(&self, normal: &[f64]) -> Vec<f64> {
        self.information.solve(&self.gradient.times(normal))
    }
}

impl<'a> Pairing<'a> {
    fn new(
        model: &Model,
        estimate: &MapEstimate,
        inverse: &Symmetric,
        players: (usize, usize),
        counts: &'a PairCounts,
    ) -> Self {
        let draw = model.layout.draw();
        let predictors =
            [Side::Upper, Side::Lower].map(|side| model.layout.predictor_of(players, side));
        let chances = [0, 1]
            .map(|game| Chances::at(predictors[game].at(&estimate.point), estimate.point[draw]));
        let mut apart = Block::default();
        for (game, chances) in chances.iter().enumerate() {
            let covariance = chances.covariance();
            for row in 0..2 {
                apart[2 * game + row][2 * game..2 * game + 2].copy_from_slice(&covariance[row]);
            }
        }
        let directions = directions(&predictors, draw);
        let leverage: Block = std::array::from_fn(|row| {
            std::array::from_fn(|column| form(inverse, &directions[row], &directions[column]))
        });
        Self {
            counts,
            predictors,
            chances,
            apart,
            lost: product(&product(&apart, &leverage), &apart),
        }
    }

    /// The sum of the outer products of all pairs' residuals, plus the part that fitting removed.
    fn observed(&self) -> Block {
        let mut sum = self.lost.map(|row| row.map(|x| x * f64::from(self.counts.pairs())));
        for (one, other, count) in self.counts.cells() {
            let [a, b] = [self.chances[0].residual(one), self.chances[1].residual(other)];
            let residual = [a[0], a[1], b[0], b[1]];
            for (row, x) in residual.into_iter().enumerate() {
                for (column, y) in residual.into_iter().enumerate() {
                    sum[row][column] += f64::from(count) * x * y;
                }
            }
        }
        sum
    }

    /// The covariance of a pair whose games have this correlation.
    fn together(&self, correlation: Correlation) -> Block {
        let mut block = self.apart;
        // The upper player's score in the second game counts against its first seat.
        for (at, correlation) in [(0, -correlation.score), (1, correlation.draw)] {
            let mixed = correlation * (block[at][at] * block[at + 2][at + 2]).sqrt();
            (block[at][at + 2], block[at + 2][at]) = (mixed, mixed);
        }
        block
    }

    /// How much the pairs tell about their own variance, as a number of pairs between equals.
    fn weight(&self) -> f64 {
        f64::from(self.counts.pairs()) * (self.apart[0][0] * self.apart[2][2]).sqrt() / COIN
    }

    /// Adds the covariance of the gradient of this pairing's games.
    fn add_to(&self, gradient: &mut Symmetric, correlation: Correlation, draw: usize) {
        let pairs = f64::from(self.counts.pairs());
        let trust = self.weight() / (self.weight() + PRIOR_PAIRS);
        let (observed, together) = (self.observed(), self.together(correlation));
        // Single games are independent of each other, so `apart` serves: it has no terms between
        // games.
        let singles = [Side::Upper, Side::Lower].map(|side| f64::from(self.counts.singles(side)));
        let sum: Block = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                trust * observed[row][column]
                    + (1.0 - trust) * pairs * together[row][column]
                    + singles[row / 2] * self.apart[row][column]
            })
        });
        let directions = directions(&self.predictors, draw);
        for (row, one) in directions.iter().enumerate() {
            for (column, other) in directions.iter().enumerate() {
                for &(at, x) in one {
                    // The matrix is symmetric, and only one half is stored.
                    for &(to, y) in other.iter().filter(|(to, _)| *to <= at) {
                        gradient.add(at, to, sum[row][column] * x * y);
                    }
                }
            }
        }
    }
}

/// The parameters that each part of a [`Block`] depends on, with their factors.
fn directions(predictors: &[LinearPredictor; 2], draw: usize) -> [Vec<(usize, f64)>; 4] {
    let by_draw = vec![(draw, 1.0)];
    [predictors[0].terms.clone(), by_draw.clone(), predictors[1].terms.clone(), by_draw]
}

/// `xᵀ A y` of two sparse vectors.
fn form(matrix: &Symmetric, x: &[(usize, f64)], y: &[(usize, f64)]) -> f64 {
    let row =
        |&(at, x): &(usize, f64)| x * y.iter().map(|&(to, y)| matrix.at(at, to) * y).sum::<f64>();
    x.iter().map(row).sum()
}

fn product(left: &Block, right: &Block) -> Block {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..4).map(|k| left[row][k] * right[k][column]).sum())
    })
}

/// Estimates the correlation within pairs for the whole tournament.
fn correlation(pairings: &[Pairing<'_>]) -> Correlation {
    let of = |at: usize| {
        let together: f64 = pairings.iter().map(|pairing| pairing.observed()[at][at + 2]).sum();
        let apart: f64 = pairings
            .iter()
            .map(|pairing| {
                let deviation = (pairing.apart[at][at] * pairing.apart[at + 2][at + 2]).sqrt();
                f64::from(pairing.counts.pairs()) * deviation
            })
            .sum();
        (together / (apart + INDEPENDENT_PAIRS * COIN)).clamp(-MOST, MOST)
    };
    Correlation { score: -of(0), draw: of(1) }
}
