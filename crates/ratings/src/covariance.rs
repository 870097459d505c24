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
use rand::Rng;

use crate::dense::Symmetric;
use crate::linear::{Local, PairPredictor};
use crate::matrix::Matrix;
use crate::model::{Chances, MapEstimate, Model};
use crate::pairs::{PairCounts, Side};
use crate::sandwich::Sandwich;

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
    sandwich: Sandwich,
    pub(crate) correlation: Correlation,
}

impl Covariance {
    pub(crate) fn new(
        model: &Model,
        estimate: &MapEstimate,
        pairings: &[(usize, usize, PairCounts)],
    ) -> Self {
        let inverse = estimate.information.inverse();
        let nu = estimate.point[model.layout.draw()].exp();
        let predictor =
            |(upper, lower, _): &(usize, usize, PairCounts)| model.layout.pair(*upper, *lower);
        let spread = |pairing: &(usize, usize, PairCounts)| {
            let predictor = predictor(pairing);
            let chances = predictor.leads(&estimate.point).map(|lead| Chances::at(lead, nu));
            Spread::new(&predictor, chances, &inverse, &pairing.2)
        };
        let spreads: Vec<Spread> = pairings.iter().map(spread).collect();
        let correlation = correlation(&spreads);
        let terms = pairings
            .iter()
            .zip(&spreads)
            .map(|(pairing, spread)| (predictor(pairing), spread.gradient(correlation)));
        let sandwich = Sandwich::new(model, &estimate.information, inverse, terms);
        Self { sandwich, correlation }
    }

    /// The covariance of every parameter with the quantity that has this gradient.
    pub(crate) fn with(&self, gradient: &[f64]) -> Vec<f64> {
        self.sandwich.with(gradient)
    }

    /// The covariance of these parameters; none if there are too many to write it down.
    pub(crate) fn between(&self, parameters: &[usize]) -> Option<Symmetric> {
        self.sandwich.between(parameters)
    }

    /// The variances of weighted sums of parameters.
    pub(crate) fn variances(&self, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        self.sandwich.variances(sums)
    }

    /// The variance of a weighted sum of parameters.
    pub(crate) fn variance(&self, weights: Vec<(usize, f64)>) -> f64 {
        self.variances(&[weights])[0]
    }

    /// The variance that the model alone gives to a weighted sum of parameters, ignoring pairs.
    pub(crate) fn model_variance(&self, weights: &[(usize, f64)]) -> f64 {
        self.sandwich.model_variance(weights)
    }

    /// Random deviations of all parameters: one row per round.
    pub(crate) fn deviations(&self, rounds: usize, luck: &mut impl Rng) -> Array2<f32> {
        self.sandwich.deviations(rounds, luck)
    }
}

/// How the gradient of two players' games varies.
#[derive(Debug, Clone, Copy)]
struct Spread {
    /// Its covariance in the parts of the [`PairPredictor`], without the correlation that the model
    /// expects within pairs.
    uncorrelated: Local,
    /// The covariance of the two games' scores, and of their draws, that the model expects if they
    /// are fully correlated, summed over all pairs.
    together: [f64; 2],
    /// The observed covariance.
    observed: [f64; 2],
    /// The share of the model's expectation in the covariance, 0 … 1.
    expected: f64,
}

impl Spread {
    fn new(
        predictor: &PairPredictor,
        chances: [Chances; 2],
        inverse: &Matrix,
        counts: &PairCounts,
    ) -> Self {
        let independent = independent(&chances);
        let leverage = leverage(predictor, inverse);
        let observed = observed(counts, &chances, &independent, &leverage);
        let pairs = f64::from(counts.pairs());
        let deviations =
            [0, 1].map(|at| (independent[at][at] * independent[at + 2][at + 2]).sqrt());
        // How much the pairs tell about their own variance, as a number of pairs between equals.
        let weight = pairs * deviations[0] / COIN;
        let expected = PRIOR_PAIRS / (weight + PRIOR_PAIRS);
        // Single games are independent of each other.
        let singles = Side::BOTH.map(|side| f64::from(counts.singles(side)));
        let mut block = observed;
        for (row, cells) in block.iter_mut().enumerate() {
            for (cell, independent) in cells.iter_mut().zip(independent[row]) {
                *cell =
                    (1.0 - expected) * *cell + (expected * pairs + singles[row / 2]) * independent;
            }
        }
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
fn leverage(predictor: &PairPredictor, inverse: &Matrix) -> Block {
    expanded(&predictor.restrict(|row, column| inverse.at(row, column)))
}

/// The sum of the outer products of all pairs' residuals, plus the part that fitting removed.
fn observed(
    counts: &PairCounts,
    chances: &[Chances; 2],
    independent: &Block,
    leverage: &Block,
) -> Block {
    let pairs = f64::from(counts.pairs());
    let mut sum = seen_through(leverage, independent);
    sum.as_flattened_mut().iter_mut().for_each(|cell| *cell *= pairs);
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

/// The product `I A I`, where `I` is the covariance of two `independent` games: no number of one game
/// goes with one of the other.
fn seen_through(block: &Block, independent: &Block) -> Block {
    let rows = |block: &Block| {
        let mut product = Block::default();
        for (row, sums) in product.iter_mut().enumerate() {
            let game = row / 2 * 2;
            for (column, sum) in sums.iter_mut().enumerate() {
                *sum = independent[row][game] * block[game][column]
                    + independent[row][game + 1] * block[game + 1][column];
            }
        }
        product
    };
    // The block and the covariance are symmetric.
    rows(&transposed(&rows(block)))
}

fn transposed(block: &Block) -> Block {
    std::array::from_fn(|row| block.map(|cells| cells[row]))
}

/// A block in the parts of a [`PairPredictor`]. The contrast counts against the lower player at the
/// first seat.
fn contracted(block: &Block) -> Local {
    let part = |[score, draw, second_score, second_draw]: [f64; 4]| {
        [score - second_score, score + second_score, draw + second_draw]
    };
    let mut half = [[0.0; 4]; 3];
    for (at, row) in block.iter().enumerate() {
        for (column, cell) in part(*row).into_iter().enumerate() {
            half[column][at] = cell;
        }
    }
    let [contrast, common, draw] = half;
    [part(contrast), part(common), part(draw)]
}

/// The block whose parts these are: the reverse of [`contracted`], up to a factor.
fn expanded(local: &Local) -> Block {
    let spread =
        |[contrast, common, draw]: [f64; 3]| [common + contrast, draw, common - contrast, draw];
    let mut half = [[0.0; 3]; 4];
    for (at, row) in local.iter().enumerate() {
        for (column, cell) in spread(*row).into_iter().enumerate() {
            half[column][at] = cell;
        }
    }
    let [score, draw, second_score, second_draw] = half;
    [spread(score), spread(draw), spread(second_score), spread(second_draw)]
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

#[cfg(test)]
mod tests {
    use ndarray::Axis;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::linear::{Layout, SeatEffect};
    use crate::matrix::Pattern;
    use crate::outcome::GameOutcome::{self, Draw, Loss, Win};
    use crate::results::tests::results;

    /// Twelve players in a circle: each meets the next three.
    fn circle() -> Vec<(usize, usize, PairCounts)> {
        let outcome = |one: usize, step: usize, n: usize| match (5 * one + 3 * step + n) % 7 {
            0 | 3 | 4 => Win,
            1 => Draw,
            _ => Loss,
        };
        let meetings = (0..12).flat_map(|one| (1..4).map(move |step| (one, step)));
        let games: Vec<(usize, usize, GameOutcome)> = meetings
            .flat_map(|(one, step)| (0..4).map(move |n| (one, step, n)))
            .map(|(one, step, n)| (one, (one + step) % 12, outcome(one, step, n)))
            .collect();
        results(12, &games).pairings()
    }

    #[test]
    fn sparse_and_dense_matrices_give_the_same() {
        let pairings = circle();
        for seats in [SeatEffect::Common, SeatEffect::PerPlayer] {
            let dense = Model::new(Layout::new(&[None; 12], seats), &pairings);
            let predictors = pairings.iter().map(|(one, two, _)| dense.layout.pair(*one, *two));
            let zero = Pattern::sparse(dense.layout.len(), predictors);
            let mut sparse = dense.clone();
            sparse.pattern = Pattern::Sparse(zero);
            let [one, two] = [dense, sparse].map(|model| {
                let map = model.map_estimate();
                (Covariance::new(&model, &map, &pairings), map.point)
            });
            for (one, two) in one.1.iter().zip(&two.1) {
                assert!((one - two).abs() < 1e-5, "{one} {two}");
            }
            let sums: Vec<_> = (0..12).map(|at| vec![(at, 1.0), ((at + 5) % 12, -1.0)]).collect();
            let variances = one.0.variances(&sums).into_iter().zip(two.0.variances(&sums));
            for (one, two) in variances {
                assert!((one / two - 1.0).abs() < 0.01, "{one} {two}");
            }
            let mut luck = ChaCha8Rng::seed_from_u64(1);
            let drawn = two.0.deviations(4000, &mut luck);
            for (at, weights) in (0..12).zip(&sums) {
                let apart =
                    &drawn.index_axis(Axis(1), at) - &drawn.index_axis(Axis(1), (at + 5) % 12);
                let drawn = f64::from(apart.dot(&apart) / 4000.0);
                assert!((drawn / two.0.variance(weights.clone()) - 1.0).abs() < 0.1);
            }
        }
    }
}
