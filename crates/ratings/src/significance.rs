//! P-values, and corrections for multiple tests.

use rand::Rng;
use statrs::function::beta::beta_reg;
use statrs::function::erf::erfc;
use statrs::function::gamma::gamma_ur;

/// The number of standard deviations each way that covers 95% of a normal distribution.
pub(crate) const Z95: f64 = 1.959_963_984_540_054;

/// The significance level, 5%: chance alone crosses it in one of twenty tournaments.
pub(crate) const SIGNIFICANT: f64 = 0.05;

/// Converts a number of players, or of degrees of freedom, to a divisor.
pub(crate) fn count_as_f64(players: usize) -> f64 {
    f64::from(u32::try_from(players).unwrap_or(u32::MAX))
}

/// The probability that a standard normal number is below `x`.
pub(crate) fn normal_below(x: f64) -> f64 {
    erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// The two-sided p-value of a deviation in standard deviations.
pub fn two_sided(deviation: f64) -> f64 {
    2.0 * normal_below(-deviation.abs())
}

/// The probability that a χ² number with `free` degrees of freedom is above `x`.
pub(crate) fn chi_square_above(x: f64, free: usize) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(count_as_f64(free) / 2.0, x / 2.0) }
}

/// The probability that an F number with `free` and `left` degrees of freedom is above `x`.
pub(crate) fn f_distribution_above(x: f64, free: usize, left: usize) -> f64 {
    let (free, left) = (count_as_f64(free), count_as_f64(left));
    if x <= 0.0 { 1.0 } else { beta_reg(left / 2.0, free / 2.0, left / (left + free * x)) }
}

/// The two-sided p-value of a sign test: `won` and `lost` pairs between equals.
pub(crate) fn sign_test(won: u32, lost: u32) -> f64 {
    let above = if won == 0 { 1.0 } else { beta_reg(f64::from(won), f64::from(lost) + 1.0, 0.5) };
    (2.0 * above).min(1.0)
}

/// Sorts by p-value and corrects by Holm's method: the probability that any result below a level
/// arose by chance stays below that level.
pub fn holm<T>(tested: &mut [(T, f64)]) {
    tested.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (all, mut before) = (tested.len(), 0.0_f64);
    for (at, (_, p_value)) in tested.iter_mut().enumerate() {
        *p_value = (*p_value * count_as_f64(all - at)).min(1.0).max(before);
        before = *p_value;
    }
}

/// A number in single precision.
#[expect(clippy::cast_possible_truncation, reason = "only digits are lost")]
pub(crate) fn to_single_precision(x: f64) -> f32 {
    x as f32
}

/// Two independent standard normal numbers, by the Box–Muller method.
pub(crate) fn draw_two_normals(luck: &mut impl Rng) -> [f32; 2] {
    // In (0, 1], so that the logarithm is finite.
    let (u, v) = (1.0 - luck.random::<f32>(), luck.random::<f32>());
    let (sine, cosine) = (std::f32::consts::TAU * v).sin_cos();
    let radius = (-2.0 * u.ln()).sqrt();
    [radius * cosine, radius * sine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_corrected_for_multiple_tests() {
        let mut tested = vec![('a', 0.04), ('b', 0.01), ('c', 0.03)];
        holm(&mut tested);
        let expected = [('b', 0.03), ('c', 0.06), ('a', 0.06)];
        for (one, other) in tested.iter().zip(expected) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-12, "{tested:?}");
        }
    }

    #[test]
    fn the_sign_test_counts_coins() {
        assert!((sign_test(5, 0) - 2.0 / 32.0).abs() < 1e-12);
        assert!((sign_test(4, 1) - 12.0 / 32.0).abs() < 1e-12);
        assert!((sign_test(1, 1) - 1.0).abs() < 1e-12);
        assert!((two_sided(1.959_964) - 0.05).abs() < 1e-6);
    }

    #[test]
    fn the_tail_of_f() {
        // 95% quantiles from tables.
        for (x, free, left) in [(4.964_603, 1, 10), (3.098_391, 3, 20), (2.368_270, 5, 60)] {
            let p_value = f_distribution_above(x, free, left);
            assert!((p_value - 0.05).abs() < 1e-6, "{p_value}");
        }
    }

    #[test]
    fn the_tail_of_chi_square() {
        // 95% quantiles from tables.
        for (x, free) in [(3.841_459, 1), (5.991_465, 2), (18.307_038, 10)] {
            assert!((chi_square_above(x, free) - 0.05).abs() < 1e-6);
        }
    }
}
