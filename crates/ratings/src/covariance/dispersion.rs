//! How much more, or less, results scatter than those of independent games of two.

/// How results scatter, as multiples of what the model expects of independent games of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Dispersion {
    /// The variance of a game: 1 with two seats. With more, the comparisons of a game may depend on
    /// each other otherwise than those between equals do.
    pub(crate) within: f64,
    /// The correlation between the games of a pair or deal.
    pub(crate) correlation: f64,
    /// The variance of a pair or deal, on average.
    pub(crate) overall: f64,
}
