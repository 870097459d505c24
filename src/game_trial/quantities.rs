//! Statistical summaries for a portrait.

use serde::Serialize;

/// The quantiles of a list of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Quantiles {
    /// The smallest.
    pub least: u32,
    /// The lower quartile.
    pub lower: u32,
    /// The median.
    pub median: u32,
    /// The upper quartile.
    pub upper: u32,
    /// The largest.
    pub most: u32,
    /// The mean.
    pub mean: f64,
}

impl Quantiles {
    /// The quantiles; `None` for an empty list.
    pub(super) fn of(mut numbers: Vec<u32>) -> Option<Self> {
        numbers.sort_unstable();
        let last = numbers.len().checked_sub(1)?;
        let at = |quarter: usize| numbers[last * quarter / 4];
        let (sum, count) = numbers
            .iter()
            .fold((0.0, 0.0), |(sum, count), &number| (sum + f64::from(number), count + 1.0));
        let mean = sum / count;
        Some(Self { least: at(0), lower: at(1), median: at(2), upper: at(3), most: at(4), mean })
    }
}

/// A share with its 95% interval (Wilson's).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ShareInterval {
    /// The share, from 0 to 1.
    pub share: f64,
    /// The low end of the interval.
    pub low: f64,
    /// The high end of the interval.
    pub high: f64,
    /// The number of games.
    pub of: u32,
}

impl ShareInterval {
    /// The share of `points` in this many games. Draws may count as half a point: this can make the
    /// interval too wide, never too narrow.
    pub(super) fn new(points: f64, of: u32) -> Self {
        const Z: f64 = 1.959_964;
        let games = f64::from(of.max(1));
        let (share, square) = (points / games, Z * Z / games);
        let centre = (share + square / 2.0) / (1.0 + square);
        let spread = (share * (1.0 - share) / games + square / (4.0 * games)).sqrt();
        let half = Z * spread / (1.0 + square);
        Self { share, low: (centre - half).max(0.0), high: (centre + half).min(1.0), of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_few_numbers() {
        assert_eq!(Quantiles::of(Vec::new()), None);
        let one = Quantiles::of(vec![7]).expect("a number");
        assert_eq!((one.least, one.median, one.most, one.mean), (7, 7, 7, 7.0));
        let five = Quantiles::of(vec![5, 1, 4, 2, 3]).expect("numbers");
        assert_eq!((five.least, five.lower, five.median, five.upper, five.most), (1, 2, 3, 4, 5));
    }

    #[test]
    fn wilsons_interval() {
        let half = ShareInterval::new(50.0, 100);
        assert!((half.low - 0.4038).abs() < 1e-4 && (half.high - 0.5962).abs() < 1e-4, "{half:?}");
        let none = ShareInterval::new(0.0, 10);
        assert!(none.low.abs() < 1e-9 && (none.high - 0.2775).abs() < 1e-4, "{none:?}");
    }
}
