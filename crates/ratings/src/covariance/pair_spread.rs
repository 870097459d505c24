//! How the gradient of the likelihood varies where the two games of a pair may depend on each other.
//!
//! With few pairs, the observed outcomes are a poor estimate of their own variance. Two corrections
//! help. First, fitting makes residuals smaller, so the part that it removed is added again, as the
//! model predicts it. Second, the observed covariance of two players' pairs is averaged with the
//! covariance that the model expects, given one correlation within pairs for the whole tournament.
//! The expectation weighs as much as [`PRIOR_PAIRS`] pairs between equals.

use crate::covariance::dispersion::Dispersion;
use crate::matrices::triangle::Cells;
use crate::parameters::{Local, PairPredictor};
use crate::rating_model::{RatingChances, RatingModel};
use crate::results::pairs::{PairCounts, Side};

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
struct Correlation {
    /// The correlation of one player's scores in the two games.
    score: f64,
    /// The correlation of the two games being drawn.
    draw: f64,
}

/// How the gradient of all pairs varies.
pub(crate) struct PairSpreads {
    spreads: Vec<(PairPredictor, PairSpread)>,
    correlation: Correlation,
}

impl PairSpreads {
    pub(crate) fn new(
        model: &RatingModel,
        point: &[f64],
        inverse: &impl Cells,
        pairings: &[(usize, usize, PairCounts)],
    ) -> Self {
        let spreads = estimate_pair_spreads(model, point, inverse, pairings);
        let correlation = estimate_pair_correlation(&spreads);
        Self { spreads, correlation }
    }

    pub(crate) fn dispersion(&self) -> Dispersion {
        let correlation = self.correlation.score;
        Dispersion { within: 1.0, correlation, overall: 1.0 + correlation }
    }

    /// The covariance of the gradient: a matrix for each two players.
    pub(crate) fn gradient_covariances(&self) -> impl Iterator<Item = (PairPredictor, Local)> {
        self.spreads
            .iter()
            .map(|(predictor, it)| (*predictor, it.gradient_covariance(self.correlation)))
    }
}

fn estimate_pair_spreads(
    model: &RatingModel,
    point: &[f64],
    inverse: &impl Cells,
    pairings: &[(usize, usize, PairCounts)],
) -> Vec<(PairPredictor, PairSpread)> {
    let nu = point[model.layout.draw_index()].exp();
    let spread = |(at, (upper, lower, counts)): (usize, &(usize, usize, PairCounts))| {
        let predictor = model.layout.pair_predictor(*upper, *lower);
        let blur = model.prior().blur(at);
        let chances =
            predictor.leads(point).map(|lead| RatingChances::from_blurred_lead(lead, blur, nu));
        (predictor, PairSpread::new(&predictor, chances, inverse, counts))
    };
    pairings.iter().enumerate().map(spread).collect()
}

/// How the gradient of two players' games varies.
#[derive(Debug, Clone, Copy)]
struct PairSpread {
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

impl PairSpread {
    fn new(
        predictor: &PairPredictor,
        chances: [RatingChances; 2],
        inverse: &impl Cells,
        counts: &PairCounts,
    ) -> Self {
        let independent = independent_pair_covariance(&chances);
        // How strongly the fit follows each part of a pair's residuals.
        let leverage = expand_to_pair_block(&predictor.restrict_to_parts(inverse));
        let observed = observed_pair_covariance(counts, &chances, &independent, &leverage);
        let pairs = f64::from(counts.pairs());
        let deviations =
            [0, 1].map(|at| (independent[at][at] * independent[at + 2][at + 2]).sqrt());
        // The pairs' information about their own variance, as a number of pairs between equals.
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
            uncorrelated: contract_pair_block(&block),
            together: deviations.map(|deviation| pairs * deviation),
            observed: [observed[0][2], observed[1][3]],
            expected,
        }
    }

    /// The covariance of the gradient if the games of a pair have this correlation.
    fn gradient_covariance(&self, correlation: Correlation) -> Local {
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
fn independent_pair_covariance(chances: &[RatingChances; 2]) -> Block {
    let mut block = Block::default();
    for (game, chances) in chances.iter().enumerate() {
        for (row, covariance) in chances.covariance.iter().enumerate() {
            block[2 * game + row][2 * game..2 * game + 2].copy_from_slice(covariance);
        }
    }
    block
}

/// The sum of the outer products of all pairs' residuals, plus the part that fitting removed.
fn observed_pair_covariance(
    counts: &PairCounts,
    chances: &[RatingChances; 2],
    independent: &Block,
    leverage: &Block,
) -> Block {
    let pairs = f64::from(counts.pairs());
    let mut sum = sandwich_pair_block(leverage, independent);
    sum.as_flattened_mut().iter_mut().for_each(|cell| *cell *= pairs);
    for (one, other, count) in counts.by_outcome() {
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
fn sandwich_pair_block(block: &Block, independent: &Block) -> Block {
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
    rows(&transpose_pair_block(&rows(block)))
}

fn transpose_pair_block(block: &Block) -> Block {
    std::array::from_fn(|row| block.map(|cells| cells[row]))
}

/// A block in the parts of a [`PairPredictor`]. The contrast counts against the lower player at the
/// first seat.
fn contract_pair_block(block: &Block) -> Local {
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

/// The block whose parts these are: the reverse of [`contract_pair_block`], up to a factor.
fn expand_to_pair_block(local: &Local) -> Block {
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
fn estimate_pair_correlation(spreads: &[(PairPredictor, PairSpread)]) -> Correlation {
    let of = |at: usize| {
        let observed: f64 = spreads.iter().map(|(_, spread)| spread.observed[at]).sum();
        let together: f64 = spreads.iter().map(|(_, spread)| spread.together[at]).sum();
        (observed / (together + INDEPENDENT_PAIRS * COIN)).clamp(-MOST, MOST)
    };
    Correlation { score: -of(0), draw: of(1) }
}
