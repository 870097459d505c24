//! Is one player better than another? A sequential test over pairs of games, which stops as soon as
//! the answer is clear.
//!
//! The test is a generalised sequential probability ratio test (GSPRT). Its outcomes are the five
//! scores that a pair can have (0, ½, … 2), so it is valid however the games of a pair depend on
//! each other. The hypotheses are two strengths. For each, the five probabilities are the maximum
//! likelihood ones with that strength. The test accepts a hypothesis when the likelihood ratio
//! leaves `0.8 β … 1/(0.8 α)`. Wald's bounds, `β/(1−α)` and `(1−β)/α`, would end it a little
//! sooner, but would keep the error rates only approximately. One pseudo-pair, half won and half
//! lost, keeps identical early pairs from ending the test.

use std::f64::consts::{LN_10, SQRT_2};

use crate::estimate::Estimate;
use crate::results::pairs::Pentanomial;
use crate::sequential::test_motion::TestMotion;

/// A score that has not occurred counts as this many pairs, so that none is impossible.
const UNSEEN: f64 = 1e-3;
/// Normalized Elo is the mean score in standard deviations of a game, times this factor.
const NORMALIZED: f64 = 800.0 / LN_10;
/// The same, with the mean score in standard deviations of the mean of two independent games.
const PAIR_NORMALIZED: f64 = NORMALIZED / SQRT_2;
/// A normally distributed value is within this many deviations with 95%.
const NORMAL_95: f64 = 1.959_963_984_540_054;
/// The bounds are those of error rates smaller by this factor. The likelihood ratio uses fitted
/// probabilities, so it is slightly less reliable than one with known probabilities.
const MARGIN: f64 = 0.8;
/// The number of bisections for a root, enough for the last bit.
const HALVINGS: usize = 64;
/// The number of iterations for a given normalized Elo; it converges within a few.
const ROUNDS: usize = 12;

/// The unit of a difference in strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Unit {
    /// Elo by the expected score, `1/(1+10^(−d/400))`.
    #[default]
    Logistic,
    /// The mean score minus ½, in standard deviations of a game, times 800/ln 10. It determines how
    /// many games a test needs, regardless of the draw rate and the correlation within pairs.
    Normalized,
}

impl Unit {
    /// The unit's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic Elo",
            Self::Normalized => "normalized Elo",
        }
    }
}

/// The result of a test so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SprtVerdict {
    /// The first player is better: the upper hypothesis is accepted.
    Better,
    /// The first player is not better: the lower hypothesis is accepted.
    NotBetter,
    /// More games are needed.
    Undecided,
}

/// Why a test cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SprtError {
    /// The strengths are too close to each other, or out of range.
    #[error(
        "the upper strength must be above the lower one by 0.1 Elo or more, and both within -150 … \
         150"
    )]
    Hypotheses,
    /// An error probability is out of range.
    #[error("the chance of an error must lie between 0.000001 and 0.5")]
    Errors,
}

/// A sequential test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    unit: Unit,
    hypotheses: (f64, f64),
    errors: (f64, f64),
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SprtState {
    /// The log of the likelihood ratio.
    pub llr: f64,
    /// The lower hypothesis is accepted at or below this.
    pub lower: f64,
    /// The upper hypothesis is accepted at or above this.
    pub upper: f64,
    /// The result so far.
    pub verdict: SprtVerdict,
}

impl Sprt {
    /// A test between two strengths `(lower, upper)` in `unit`. `errors` is `(α, β)`: the
    /// probabilities of accepting the upper strength if the lower one is true, and the reverse.
    ///
    /// # Errors
    ///
    /// If the strengths or the probabilities are out of range.
    pub fn new(unit: Unit, hypotheses: (f64, f64), errors: (f64, f64)) -> Result<Self, SprtError> {
        let (low, high) = hypotheses;
        let in_range = |elo: f64| (-150.0..=150.0).contains(&elo);
        if !in_range(low) || !in_range(high) || high - low < 0.1 {
            return Err(SprtError::Hypotheses);
        }
        let small = |chance: f64| (1e-6..=0.5).contains(&chance);
        if !small(errors.0) || !small(errors.1) {
            return Err(SprtError::Errors);
        }
        Ok(Self { unit, hypotheses, errors })
    }

    /// The unit of the strengths.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The two strengths, lower first.
    pub fn hypotheses(&self) -> (f64, f64) {
        self.hypotheses
    }

    /// The error probabilities α and β.
    pub fn errors(&self) -> (f64, f64) {
        self.errors
    }

    /// The state of the test after these pairs.
    pub fn judge(&self, pairs: &Pentanomial) -> SprtState {
        let llr = self.llr(pairs);
        let (lower, upper) = self.llr_bounds();
        let verdict = if llr >= upper {
            SprtVerdict::Better
        } else if llr <= lower {
            SprtVerdict::NotBetter
        } else {
            SprtVerdict::Undecided
        };
        SprtState { llr, lower, upper, verdict }
    }

    fn llr(&self, pairs: &Pentanomial) -> f64 {
        let count: u32 = pairs.iter().sum();
        if count == 0 {
            return 0.0;
        }
        let weights = sprt_weights(pairs).map(|weight| weight.max(UNSEEN));
        let total: f64 = weights.iter().sum();
        let seen = weights.map(|weight| weight / total);
        let [low, high] = [self.hypotheses.0, self.hypotheses.1].map(|elo| match self.unit {
            Unit::Logistic => {
                fit_sprt_mean(&seen, &POINTS.map(|points| points - logistic_score(elo)))
            }
            Unit::Normalized => fit_sprt_effect(&seen, elo / PAIR_NORMALIZED),
        });
        (0..5).map(|at| weights[at] * (high[at] / low[at]).ln()).sum()
    }

    /// The first player's estimated strength in this test's unit, with a 95% interval. Both allow for
    /// the test's stopping early: the estimate is as often too high as too low. Where the test has
    /// no verdict, they are those of a test with these pairs as its maximum length.
    pub fn estimate(&self, pairs: &Pentanomial) -> Estimate {
        let moments = SprtMoments::from_pairs(pairs);
        let motion = self.test_motion(&moments);
        let at = |chance| {
            self.elo_at_score(motion.score_at_drift(motion.end.drift_at_chance(chance)), &moments)
        };
        Estimate { value: at(0.5), low: at(0.025), high: at(0.975) }
    }

    /// The likelihood of superiority: the probability that the first player is better, 0 … 1. Like
    /// the estimate, it allows for the test.
    pub fn los(&self, pairs: &Pentanomial) -> f64 {
        let motion = self.test_motion(&SprtMoments::from_pairs(pairs));
        (1.0 - motion.end.chance_as_high(motion.drift_at_score(0.5))).clamp(0.0, 1.0)
    }

    fn llr_bounds(&self) -> (f64, f64) {
        ((MARGIN * self.errors.1).ln(), -(MARGIN * self.errors.0).ln())
    }

    /// The test as a Brownian motion.
    fn test_motion(&self, moments: &SprtMoments) -> TestMotion {
        let [low, high] = [self.hypotheses.0, self.hypotheses.1]
            .map(|elo| self.score_at_elo(elo, moments.deviation));
        TestMotion::new((low, high), self.llr_bounds(), (moments.mean, moments.error))
    }

    /// The mean score at a strength in this test's unit. It may be out of range.
    fn score_at_elo(&self, elo: f64, deviation: f64) -> f64 {
        match self.unit {
            Unit::Logistic => logistic_score(elo),
            Unit::Normalized => 0.5 + elo * deviation / PAIR_NORMALIZED,
        }
    }

    /// The strength in this test's unit at a mean score, which may be out of range.
    fn elo_at_score(&self, score: f64, moments: &SprtMoments) -> f64 {
        match self.unit {
            Unit::Logistic => logistic_elo(score, moments.error),
            Unit::Normalized => PAIR_NORMALIZED * (score - 0.5) / moments.deviation,
        }
    }
}

/// The Elo of this mean score of pairs with this standard error.
fn logistic_elo(score: f64, error: f64) -> f64 {
    // No score is closer to 0 or 1 than all the pairs together can show.
    let least = error.powi(2).min(0.1) / 4.0;
    let score = score.clamp(least, 1.0 - least);
    400.0 / LN_10 * (score / (1.0 - score)).ln()
}

/// The first player's Elo after these pairs, with a 95% interval, without regard to any test. `None`
/// if no pair differs from the others.
pub fn match_elo(pairs: &Pentanomial) -> Option<Estimate> {
    let total: f64 = pairs.iter().copied().map(f64::from).sum();
    let (mean, variance) = sprt_mean_and_variance(&pairs.map(|count| f64::from(count) / total));
    let error = (variance / total).sqrt();
    let at = |deviations: f64| logistic_elo(mean + deviations * error, error);
    (variance > 0.0).then(|| Estimate { value: at(0.0), low: at(-NORMAL_95), high: at(NORMAL_95) })
}

/// The first player's normalized Elo after these pairs, with a 95% interval, as fastchess computes
/// it: it does not depend on the test, nor allow for its stopping early. `None` if no pair differs
/// from the others.
pub fn normalized_elo(pairs: &Pentanomial) -> Option<Estimate> {
    let total: f64 = pairs.iter().copied().map(f64::from).sum();
    let (mean, variance) = sprt_mean_and_variance(&pairs.map(|count| f64::from(count) / total));
    let value = PAIR_NORMALIZED * (mean - 0.5) / variance.sqrt();
    let error = PAIR_NORMALIZED * NORMAL_95 / total.sqrt();
    let estimate = Estimate { value, low: value - error, high: value + error };
    (variance > 0.0).then_some(estimate)
}

/// The mean score per game of each possible pair result, 0 … 1.
const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn logistic_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The pairs, plus half a pair lost and half a pair won. A few pairs often look more alike than
/// many; without this, tests would too often end too early.
fn sprt_weights(pairs: &Pentanomial) -> [f64; 5] {
    let mut weights = pairs.map(f64::from);
    weights[0] += 0.5;
    weights[4] += 0.5;
    weights
}

/// The mean score of pairs per game, 0 … 1.
struct SprtMoments {
    mean: f64,
    /// The standard error of the mean.
    error: f64,
    /// The standard deviation of a pair.
    deviation: f64,
}

impl SprtMoments {
    fn from_pairs(pairs: &Pentanomial) -> Self {
        let weights = sprt_weights(pairs);
        let total: f64 = weights.iter().sum();
        let (mean, variance) = sprt_mean_and_variance(&weights.map(|weight| weight / total));
        Self { mean, error: (variance / total).sqrt(), deviation: variance.sqrt() }
    }
}

fn sprt_mean_and_variance(chances: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = chances.iter().zip(POINTS).map(|(p, points)| p * points).sum();
    let square = |(p, points): (&f64, f64)| p * (points - mean).powi(2);
    (mean, chances.iter().zip(POINTS).map(square).sum())
}

/// The probabilities with the highest likelihood of `seen` for which `values` has mean 0. They are
/// `seen / (1 + x values)`, where `x` is the root of a decreasing function.
fn fit_sprt_mean(seen: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..HALVINGS {
        let x = f64::midpoint(low, high);
        let sum: f64 = seen.iter().zip(values).map(|(p, v)| p * v / (1.0 + x * v)).sum();
        if sum > 0.0 { low = x } else { high = x }
    }
    let x = f64::midpoint(low, high);
    std::array::from_fn(|at| seen[at] / (1.0 + x * values[at]))
}

/// The probabilities with the highest likelihood of `seen` whose mean minus ½ is `effect` standard
/// deviations. Found by linearising the condition around the last probabilities a few times.
fn fit_sprt_effect(seen: &[f64; 5], effect: f64) -> [f64; 5] {
    let mut chances = [0.2; 5];
    for _ in 0..ROUNDS {
        let (mean, variance) = sprt_mean_and_variance(&chances);
        let deviation = variance.sqrt();
        let values = POINTS.map(|points| {
            let away = (mean - points) / deviation;
            points - 0.5 - effect * deviation * (1.0 + away * away) / 2.0
        });
        // The mean can be out of reach only for probabilities far from all observed ones.
        if values.iter().all(|&value| value <= 0.0) || values.iter().all(|&value| value >= 0.0) {
            break;
        }
        chances = fit_sprt_mean(seen, &values);
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(unit: Unit) -> Sprt {
        Sprt::new(unit, (0.0, 10.0), (0.05, 0.05)).expect("a test")
    }

    #[test]
    fn the_elo_of_a_match_is_that_of_its_score() {
        // 60% in 100 pairs, as fastchess computes it.
        let Estimate { value, low, high } = match_elo(&[5, 15, 35, 25, 20]).expect("pairs differ");
        assert_eq!(format!("{value:.0} {low:.0} {high:.0}"), "70 32 111");
        let all = match_elo(&[0, 0, 0, 1, 9]).expect("pairs differ");
        assert!(all.low > 0.0 && all.high.is_finite(), "{all:?}");
        assert_eq!(match_elo(&[0; 5]), None);
        assert_eq!(match_elo(&[0, 0, 0, 0, 7]), None);
    }

    /// The numbers are those of the tests of fastchess.
    #[test]
    fn normalized_elo_is_that_of_fastchess() {
        for (pairs, value, error) in
            [([34, 54, 63, 64, 75], 57.94, 28.28), ([332, 433, 498, 333, 334], -9.17, 10.96)]
        {
            let found = normalized_elo(&pairs).expect("pairs differ");
            assert!((found.value - value).abs() < 0.01, "{found:?}");
            assert!(((found.high - found.low) / 2.0 - error).abs() < 0.01, "{found:?}");
        }
        assert_eq!(normalized_elo(&[0; 5]), None);
        assert_eq!(normalized_elo(&[0, 0, 3, 0, 0]), None);
    }

    #[test]
    fn the_ratio_is_the_one_of_the_normal_approximation_where_that_holds() {
        let pairs = [1000, 5000, 12000, 5400, 1100];
        let SprtMoments { mean, deviation, .. } = SprtMoments::from_pairs(&pairs);
        let total = f64::from(pairs.iter().sum::<u32>());
        let (low, high) = (logistic_score(0.0), logistic_score(10.0));
        let normal = total * (high - low) * (2.0 * mean - low - high) / 2.0 / deviation.powi(2);
        assert!((test(Unit::Logistic).llr(&pairs) / normal - 1.0).abs() < 0.02);

        let (low, high) = (0.0, 10.0 / PAIR_NORMALIZED);
        let effect = (mean - 0.5) / deviation;
        let normal = total * (high - low) * (2.0 * effect - low - high) / 2.0;
        assert!((test(Unit::Normalized).llr(&pairs) / normal - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_mirrored_test_has_the_mirrored_ratio() {
        for unit in [Unit::Logistic, Unit::Normalized] {
            let pairs = [3, 10, 40, 25, 9];
            let mut mirrored = pairs;
            mirrored.reverse();
            let turned = Sprt::new(unit, (-10.0, 0.0), (0.05, 0.05)).expect("a test");
            assert!((test(unit).llr(&pairs) + turned.llr(&mirrored)).abs() < 1e-6);
        }
    }

    #[test]
    fn clear_results_decide_a_test() {
        for unit in [Unit::Logistic, Unit::Normalized] {
            let verdict = |pairs: Pentanomial| test(unit).judge(&pairs).verdict;
            assert_eq!(verdict([0; 5]), SprtVerdict::Undecided);
            assert_eq!(verdict([0, 0, 0, 0, 1]), SprtVerdict::Undecided);
            assert_eq!(verdict([10, 100, 200, 600, 300]), SprtVerdict::Better);
            assert_eq!(verdict([300, 600, 200, 100, 10]), SprtVerdict::NotBetter);
        }
    }

    #[test]
    fn every_shape_of_results_has_finite_numbers() {
        for pairs in
            [[0; 5], [9, 0, 0, 0, 0], [0, 0, 0, 0, 5000], [0, 0, 70, 0, 0], [0, 1, 0, 0, 0]]
        {
            for unit in [Unit::Logistic, Unit::Normalized] {
                let (standing, elo) = (test(unit).judge(&pairs), test(unit).estimate(&pairs));
                assert!(standing.llr.is_finite(), "{pairs:?}");
                assert!(elo.low.is_finite() && elo.high.is_finite(), "{pairs:?}: {elo:?}");
                assert!(elo.low <= elo.value && elo.value <= elo.high, "{pairs:?}: {elo:?}");
            }
            assert!((0.0..=1.0).contains(&test(Unit::Logistic).los(&pairs)));
        }
    }

    #[test]
    fn a_test_that_stopped_early_is_estimated_nearer_to_its_middle() {
        let pairs = [17, 86, 223, 129, 26];
        let moments = SprtMoments::from_pairs(&pairs);
        let SprtMoments { mean, error, .. } = moments;
        let test = test(Unit::Logistic);
        assert_eq!(test.judge(&pairs).verdict, SprtVerdict::Better);
        let estimate = test.estimate(&pairs);
        let [low, value] =
            [mean - 1.96 * error, mean].map(|score| test.elo_at_score(score, &moments));
        assert!(estimate.low < low - 1.0, "{estimate:?}, not {low}");
        assert!(5.0 < estimate.value && estimate.value < value - 1.0, "{estimate:?}, not {value}");
    }

    #[test]
    fn superiority_agrees_with_the_interval() {
        for unit in [Unit::Logistic, Unit::Normalized] {
            let (mut surely, mut all) = (0, 0);
            for won in 60..120 {
                let pairs = [20, 60, 100, won, 20];
                let (los, low) = (test(unit).los(&pairs), test(unit).estimate(&pairs).low);
                assert_eq!(los > 0.975, low > 0.0, "{pairs:?}: {los}, {low}");
                (surely, all) = (surely + i32::from(low > 0.0), all + 1);
            }
            assert!(surely > 0 && surely < all, "{surely}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        assert!(Sprt::new(Unit::Logistic, (10.0, 10.0), (0.05, 0.05)).is_err());
        assert!(Sprt::new(Unit::Logistic, (0.0, f64::NAN), (0.05, 0.05)).is_err());
        assert!(Sprt::new(Unit::Logistic, (0.0, 5.0), (0.0, 0.05)).is_err());
        assert!(Sprt::new(Unit::Logistic, (0.0, 5.0), (0.05, 0.6)).is_err());
    }
}
