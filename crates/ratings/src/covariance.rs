//! How uncertain fitted parameters are when the two games of a pair share their luck.
//!
//! The covariance is the sandwich `H⁻¹ (B + P) H⁻¹`: `H` is the observed information, `P` the
//! prior's, and `B` the covariance of the gradient, summed over pairs as they came out. The games
//! of a pair may depend on each other in any way; pairs are independent.
//!
//! For few pairs, outcomes as they came are a poor witness of their own spread. Two things help.
//! What fitting took from the residuals is added again, as the model would have it. And the
//! pairs of two players are weighed against what the model expects of a pair, given one
//! correlation between the games of a pair for the whole tournament: [`PRIOR_PAIRS`] pairs
//! between equals weigh as much as the expectation.

use crate::cholesky::{Factor, Symmetric, dot};
use crate::linear::LinearPredictor;
use crate::model::{Chances, MapEstimate, Model};
use crate::pairs::{PairCounts, Side};

/// So many pairs between equals weigh as much as the model's expectation.
const PRIOR_PAIRS: f64 = 20.0;
/// The correlation within pairs is drawn to 0 as if by so many pairs of independent games.
const INDEPENDENT_PAIRS: f64 = 5.0;
/// The variance of the score of a game between equals without draws.
const COIN: f64 = 0.25;
/// No correlation is taken to be closer to −1 or 1.
const MOST: f64 = 0.95;

/// A symmetric matrix over the score and the draw of one game, then those of the other.
type Block = [[f64; 4]; 4];

/// The pairs of two players beside what the model expects of one.
struct Pairing<'a> {
    counts: &'a PairCounts,
    predictors: [LinearPredictor; 2],
    chances: [Chances; 2],
    /// The covariance of a pair of independent games.
    apart: Block,
    /// What fitting took from the covariance of a pair's residuals.
    lost: Block,
}

/// How the games of a pair hang together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Correlation {
    /// Of one player's scores in the two games.
    pub(crate) score: f64,
    /// Of the two games being drawn.
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

    /// A vector whose squared length is the variance of what has this gradient; inner products
    /// of two are covariances.
    pub(crate) fn half(&self, gradient: &[f64]) -> Vec<f64> {
        self.gradient.transposed_times(&self.information.solve(gradient))
    }

    /// The variance of what has this gradient in the parameters.
    pub(crate) fn variance(&self, gradient: &[f64]) -> f64 {
        let half = self.half(gradient);
        dot(&half, &half)
    }

    /// The variance that the model has for what has this gradient, without regard to pairs.
    pub(crate) fn model_variance(&self, gradient: &[f64]) -> f64 {
        dot(gradient, &self.information.solve(gradient))
    }

    /// A deviation of all parameters, from independent standard normal numbers.
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

    /// The sum of the outer products of all pairs' residuals, what fitting took included.
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

    /// The covariance of a pair whose games hang together.
    fn together(&self, correlation: Correlation) -> Block {
        let mut block = self.apart;
        // The upper player's score in the second game counts against its first seat.
        for (at, correlation) in [(0, -correlation.score), (1, correlation.draw)] {
            let mixed = correlation * (block[at][at] * block[at + 2][at + 2]).sqrt();
            (block[at][at + 2], block[at + 2][at]) = (mixed, mixed);
        }
        block
    }

    /// How much the pairs tell of their own spread, as a number of pairs between equals.
    fn weight(&self) -> f64 {
        f64::from(self.counts.pairs()) * (self.apart[0][0] * self.apart[2][2]).sqrt() / COIN
    }

    /// Adds the covariance of the gradient of this pairing's games.
    fn add_to(&self, gradient: &mut Symmetric, correlation: Correlation, draw: usize) {
        let pairs = f64::from(self.counts.pairs());
        let trust = self.weight() / (self.weight() + PRIOR_PAIRS);
        let (observed, together) = (self.observed(), self.together(correlation));
        // Single games are independent of each other: as `apart`, which joins no two games.
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
                    // The matrix is symmetric and keeps one half.
                    for &(to, y) in other.iter().filter(|(to, _)| *to <= at) {
                        gradient.add(at, to, sum[row][column] * x * y);
                    }
                }
            }
        }
    }
}

/// The parameters that each part of a [`Block`] moves, with their factors.
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

/// The correlation within the pairs of the whole tournament.
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
