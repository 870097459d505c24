//! Formats Elo values for people.

/// Elo as a whole number, never `-0`.
pub fn whole(elo: f64) -> String {
    format!("{:.0}", elo.round() + 0.0)
}

/// The half width of an interval.
pub fn margin(elo: f64) -> String {
    format!("±{}", whole(elo))
}
