//! What a sequential test says about the strength, given how it ended.
//!
//! A test stops when results look extreme. So the mean score at its end is too extreme, and the
//! usual interval misses the truth too often. Instead, this module orders all the ways in which a
//! test can end: first stops at the lower bound, from early to late; then ends at the maximum
//! length, by place; then stops at the upper bound, from late to early. The median-unbiased estimate
//! is the strength under which an ending at least as high as the observed one has a probability of
//! 50%; the ends of the 95% interval are those with 2.5% and 97.5%. This is the stagewise ordering
//! (Siegmund, *Estimation following sequential tests*, Biometrika 65, 1978; Jennison and Turnbull,
//! *Group Sequential Methods with Applications to Clinical Trials*, 2000, chapter 8).
//!
//! The log-likelihood ratio of the test moves nearly like a Brownian motion X with drift μ between
//! two bounds `a < 0 < b`. For an ending at time t and place x, images of the start mirrored at the
//! bounds give, with L = b − a and the sums over all integers k:
//!
//! ```text
//! P(X reaches b before a, and by t)
//!     = Σ sgn(c) [e^(μ(b−|c|)) Φ((μt−|c|)/√t) + e^(μ(b+|c|)) Φ((−μt−|c|)/√t)],  c = b + 2kL
//! P(X reaches neither by t, and X(t) ≥ x)
//!     = Σ e^(μc) P(x ≤ N(c + μt, t) ≤ b),  c = 2kL,  less the same sum with c = 2b + 2kL
//! ```

use crate::significance::normal_below;

/// The most images on each side. A few are enough, unless a test is very long.
const MOST_IMAGES: u32 = 1000;
/// An image that adds less than this is the last; those behind it add still less.
const NEGLIGIBLE: f64 = 1e-13;
/// The number of bisections for a root, enough for the last bit.
const HALVINGS: usize = 64;

/// The end of a Brownian motion that starts at 0 and has variance 1 per unit of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MotionEnd {
    /// The bounds that end it, one below 0 and one above.
    pub(crate) bounds: (f64, f64),
    /// When it ended, above 0.
    pub(crate) time: f64,
    /// Where it ended: at a bound, or between them if the time was all it had.
    pub(crate) place: f64,
}

impl MotionEnd {
    /// The drift under which the probability of an ending at least as high is `chance`.
    pub(crate) fn drift_at_chance(&self, chance: f64) -> f64 {
        let Self { bounds, time, place } = *self;
        let reach = 10.0 / time.sqrt() + 20.0 / bounds.1.min(-bounds.0);
        let (mut low, mut high) = (place / time - reach, place / time + reach);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if self.chance_as_high(middle) < chance { low = middle } else { high = middle }
        }
        f64::midpoint(low, high)
    }

    /// The probability of an ending at least as high as this one under a drift.
    pub(crate) fn chance_as_high(&self, drift: f64) -> f64 {
        let (below, above) = self.bounds;
        let period = 2.0 * (above - below);
        let mut sum = 0.0;
        for image in 0..MOST_IMAGES {
            let shift = f64::from(image) * period;
            let terms = [shift, -shift - period].map(|shift| {
                self.reaching_term(drift, above + shift) + self.inside_term(drift, shift)
                    - self.inside_term(drift, 2.0 * above + shift)
            });
            sum += terms[0] + terms[1];
            if terms[0].abs() + terms[1].abs() < NEGLIGIBLE {
                break;
            }
        }
        sum
    }

    /// The term of an upper bound at `image` for reaching the upper bound in time.
    fn reaching_term(&self, drift: f64, image: f64) -> f64 {
        let (above, distance) = (self.bounds.1, image.abs());
        let chance = |way: f64| normal_below((way * self.time - distance) / self.time.sqrt());
        let with = weight_motion_chance(drift * (above - distance), chance(drift));
        let against = weight_motion_chance(drift * (above + distance), chance(-drift));
        image.signum() * (with + against)
    }

    /// The term of a start at `image` for ending between the place and the upper bound.
    fn inside_term(&self, drift: f64, image: f64) -> f64 {
        let scaled = |x: f64| (x - image - drift * self.time) / self.time.sqrt();
        let (from, to) = (scaled(self.place), scaled(self.bounds.1));
        // The smaller tail keeps its digits.
        let chance = if from > 0.0 {
            normal_below(-from) - normal_below(-to)
        } else {
            normal_below(to) - normal_below(from)
        };
        weight_motion_chance(drift * image, chance)
    }
}

/// The log-likelihood ratio of a test as a Brownian motion with variance 1 per unit of time. Its
/// drift is −½ where the mean score is that of the lower hypothesis and ½ at that of the upper one.
pub(crate) struct TestMotion {
    pub(crate) end: MotionEnd,
    /// The mean score halfway between the hypotheses.
    middle: f64,
    /// The distance of their mean scores.
    width: f64,
}

impl TestMotion {
    /// A test between two mean scores, with these bounds of the ratio, that ended at a mean score
    /// with a standard error. The last results usually take the ratio past a bound; that bound is put
    /// where it ended.
    pub(crate) fn new(
        (low, high): (f64, f64),
        (lower, upper): (f64, f64),
        (mean, error): (f64, f64),
    ) -> Self {
        let (middle, width) = (f64::midpoint(low, high), high - low);
        let time = (width / error).powi(2);
        let place = time * (mean - middle) / width;
        let bounds = (lower.min(place), upper.max(place));
        Self { end: MotionEnd { bounds, time, place }, middle, width }
    }

    /// The drift under which this is the mean score.
    pub(crate) fn drift_at_score(&self, score: f64) -> f64 {
        (score - self.middle) / self.width
    }

    /// The mean score under a drift.
    pub(crate) fn score_at_drift(&self, drift: f64) -> f64 {
        self.middle + drift * self.width
    }
}

/// The chance times e^exponent; the factors alone may be too large or too small.
fn weight_motion_chance(exponent: f64, chance: f64) -> f64 {
    (exponent + chance.ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIFTS: [f64; 7] = [-2.0, -0.7, -0.2, 0.01, 0.3, 0.5, 1.5];

    fn ending(bounds: (f64, f64), time: f64, place: f64) -> MotionEnd {
        MotionEnd { bounds, time, place }
    }

    #[test]
    fn without_an_end_in_time_the_chances_are_those_of_wald() {
        for drift in DRIFTS {
            let expected = (1.0 - (2.0 * drift * -2.0).exp()) / (1.0 - (2.0 * drift * -5.0).exp());
            let chance = ending((-2.0, 3.0), 400.0, 3.0).chance_as_high(drift);
            assert!((chance - expected).abs() < 1e-9, "{drift}: {chance}, not {expected}");
        }
    }

    #[test]
    fn with_distant_bounds_the_interval_is_the_usual_one() {
        let ending = ending((-90.0, 90.0), 4.0, 1.0);
        for (chance, expected) in
            [(0.025, 0.25 - 0.979_982), (0.5, 0.25), (0.975, 0.25 + 0.979_982)]
        {
            assert!((ending.drift_at_chance(chance) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_mirrored_ending_has_the_mirrored_chance() {
        for (time, place) in [(0.5, -2.0), (6.0, -2.0), (6.0, 1.0), (6.0, 3.0), (60.0, 0.0)] {
            for drift in DRIFTS {
                let chance = ending((-2.0, 3.0), time, place).chance_as_high(drift);
                let mirrored = ending((-3.0, 2.0), time, -place).chance_as_high(-drift);
                assert!((chance + mirrored - 1.0).abs() < 1e-9, "{time} {place} {drift}: {chance}");
            }
        }
    }

    #[test]
    fn endings_rise_from_the_lower_bound_to_the_upper_one() {
        let ordered = [
            (1.0, -2.0),
            (4.0, -2.0),
            (9.0, -2.0),
            (9.0, -1.0),
            (9.0, 2.9),
            (9.0, 3.0),
            (4.0, 3.0),
        ];
        let estimates =
            ordered.map(|(time, place)| ending((-2.0, 3.0), time, place).drift_at_chance(0.5));
        assert!(estimates.is_sorted_by(|one, other| one < other), "{estimates:?}");
    }

    #[test]
    fn chances_stay_in_range_whatever_the_numbers() {
        for (time, place) in [(1e-8, 0.0), (1e-3, 3.0), (0.02, 3.0), (1e4, 0.0), (1e4, -3.0)] {
            for drift in [-1e5, -30.0, 0.0, 30.0, 1e5] {
                let chance = ending((-3.0, 3.0), time, place).chance_as_high(drift);
                assert!((-1e-9..=1.0 + 1e-9).contains(&chance), "{time} {place} {drift}: {chance}");
            }
        }
    }
}
