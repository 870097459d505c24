//! Ratings in Elo: estimated ones with their intervals, and given ones.

use std::f64::consts::LN_10;

use crate::significance::Z95;

/// The maximum number of players that are rated together. That many take about 40 seconds and 0.7 GB;
/// time grows with the cube of their number, and memory with its square.
pub const MOST_PLAYERS: usize = 2_000;

/// Elo points per natural unit of strength in a game without draws.
pub(crate) const ELO: f64 = 400.0 / LN_10;

/// An estimate in Elo with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Estimate {
    /// The estimated value.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// An estimate with this standard error.
    pub(crate) fn with_error(value: f64, error: f64) -> Self {
        Self { value, low: value - Z95 * error, high: value + Z95 * error }
    }

    /// Half the width of the interval.
    pub fn margin(self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// A fixed rating, not a fitted one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixedRating {
    /// The player's number.
    pub player: usize,
    /// Its rating, in Elo.
    pub rating: f64,
}
