//! Elo figures as people read them.

/// Elo to the point, never `-0`.
pub(super) fn whole(elo: f64) -> String {
    format!("{:.0}", elo.round() + 0.0)
}

/// Half the width of an interval.
pub(super) fn margin(elo: f64) -> String {
    format!("±{}", whole(elo))
}
