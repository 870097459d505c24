//! A sequential test of the mean of values between 0 and 1, by betting.
//!
//! One gambler bets against "the mean is at most μ₀", another against "the mean is at least μ₁",
//! each at odds that are fair or worse if that is true. Then a gambler multiplies the stake by 20
//! with a probability of at most 5%, at any time whatsoever (Ville's inequality; Waudby-Smith and
//! Ramdas, *Estimating means of bounded random variables by betting*, 2024). So the error rates hold
//! for every distribution of the values and every rule by which the test stops.
//!
//! Values come in rounds, which are judged as a whole: those of a round may have different means,
//! and their average is what counts. The stakes of a round depend on earlier rounds alone and are
//! the same for all its values. If these are independent, the expected gain of the round is at most
//! ∏(1 + λ(mᵢ − μ₀)) ≤ e^(λ Σ(mᵢ − μ₀)), which is 1 or less where the average of the mᵢ is at most
//! μ₀. Within a round this does not hold: the first values may be those with the highest means.

use crate::sequential::sprt::SprtVerdict;

/// The variance of a value that a test expects at first: that of half the difference of two
/// independent pairs of games without draws between equals.
const FIRST_VARIANCE: f64 = 1.0 / 16.0;
/// How many values that expectation counts for.
const FIRST_VALUES: f64 = 4.0;
/// The most of a gambler's capital that a single value may cost.
const MOST_LOST: f64 = 0.95;

/// A test whether the mean of values is at most μ₀ or at least μ₁.
///
/// ```
/// use referee_ratings::{BettingTest, SprtVerdict};
///
/// // Both errors at 5%. A round has three values, whose average should be 0.5 or 0.55.
/// let mut test = BettingTest::new((0.05, 0.05));
/// let mut rounds = 0;
/// while test.state().verdict == SprtVerdict::Undecided {
///     test.add_round((0.5, 0.55), &[0.75, 0.5, 0.5]);
///     rounds += 1;
/// }
/// assert_eq!(test.state().verdict, SprtVerdict::Better);
/// assert!((10..60).contains(&rounds), "{rounds}");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BettingTest {
    errors: (f64, f64),
    /// The logarithms of what the two gamblers have for each unit that they began with.
    capitals: [f64; 2],
    /// The sums of squared distances from μ₀ and from μ₁.
    squares: [f64; 2],
    /// The number of values in these sums.
    count: f64,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BettingState {
    /// The evidence that the mean is above μ₀: the logarithm of a gambler's capital.
    pub better: f64,
    /// The evidence that the mean is below μ₁.
    pub not_better: f64,
    /// The evidence that decides each way: ln(1/α) and ln(1/β).
    pub needed: (f64, f64),
    /// The result so far.
    pub verdict: SprtVerdict,
}

impl BettingTest {
    /// A test with these probabilities α of calling a mean of μ₀ better, and β of calling a mean of
    /// μ₁ not better, each above 0 and below 1.
    pub fn new(errors: (f64, f64)) -> Self {
        let squares = [FIRST_VALUES * FIRST_VARIANCE; 2];
        Self { errors, capitals: [0.0; 2], squares, count: FIRST_VALUES }
    }

    /// Adds a round of values, each 0 … 1, whose average should be μ₀ or μ₁, 0 < μ₀ < μ₁ < 1. The
    /// two means may only depend on earlier rounds, and so may the decision to continue.
    pub fn add_round(&mut self, (low, high): (f64, f64), values: &[f64]) {
        let Self { capitals, squares, count, .. } = self;
        let width = high - low;
        let stake = |squares: f64, room: f64| {
            (width / (squares / *count + width.powi(2))).min(MOST_LOST / room)
        };
        let stakes = [stake(squares[0], low), stake(squares[1], 1.0 - high)];
        for value in values {
            capitals[0] += (stakes[0] * (value - low)).ln_1p();
            capitals[1] += (stakes[1] * (high - value)).ln_1p();
            squares[0] += (value - low).powi(2);
            squares[1] += (value - high).powi(2);
            *count += 1.0;
        }
    }

    /// The state after the rounds so far.
    pub fn state(&self) -> BettingState {
        let [better, not_better] = self.capitals;
        let needed = (-self.errors.0.ln(), -self.errors.1.ln());
        let verdict = if better >= needed.0 {
            SprtVerdict::Better
        } else if not_better >= needed.1 {
            SprtVerdict::NotBetter
        } else {
            SprtVerdict::Undecided
        };
        BettingState { better, not_better, needed, verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERRORS: (f64, f64) = (0.05, 0.01);

    /// The state after this many rounds of the same values.
    fn after(rounds: usize, values: &[f64]) -> BettingState {
        let mut test = BettingTest::new(ERRORS);
        (0..rounds).for_each(|_| test.add_round((0.5, 0.52), values));
        test.state()
    }

    #[test]
    fn clear_values_decide() {
        assert_eq!(after(0, &[]).verdict, SprtVerdict::Undecided);
        assert_eq!(after(200, &[0.75, 0.5]).verdict, SprtVerdict::Better);
        assert_eq!(after(200, &[0.25, 0.5]).verdict, SprtVerdict::NotBetter);
        assert_eq!(after(200, &[0.25, 0.77]).verdict, SprtVerdict::Undecided, "between them");
    }

    #[test]
    fn a_verdict_needs_the_evidence_of_its_error_rate() {
        let (alpha, beta) = after(0, &[]).needed;
        assert!((alpha - 20_f64.ln()).abs() < 1e-12 && (beta - 100_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn a_mirrored_test_has_the_mirrored_evidence() {
        let values = [0.25, 0.5, 1.0, 0.375];
        let mut there = BettingTest::new((0.05, 0.05));
        let mut back = there;
        for _ in 0..30 {
            there.add_round((0.5, 0.53), &values);
            back.add_round((0.47, 0.5), &values.map(|value| 1.0 - value));
        }
        assert!((there.state().better - back.state().not_better).abs() < 1e-9);
        assert!((there.state().not_better - back.state().better).abs() < 1e-9);
    }

    #[test]
    fn the_order_in_a_round_does_not_matter() {
        let (one, other) = (after(9, &[0.0, 0.5, 1.0]), after(9, &[1.0, 0.0, 0.5]));
        assert!((one.better - other.better).abs() < 1e-12);
    }

    /// Opponents differ: the first of a round always suits the player, the second never does. On
    /// average there is no difference, so in the long run no bet may win, whatever the stakes.
    #[test]
    fn an_average_at_the_bound_is_no_evidence() {
        let state = after(1000, &[0.75, 0.25]);
        assert!(state.better < 0.0, "{state:?}");
    }

    #[test]
    fn extreme_values_cost_a_part_of_the_capital() {
        for values in [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            let state = after(500, &values);
            assert!(state.better.is_finite() && state.not_better.is_finite(), "{state:?}");
        }
    }
}
