//! Formats numbers for people.

/// Elo as a whole number, never `-0`.
pub(super) fn whole(elo: f64) -> String {
    format!("{:.0}", elo.round() + 0.0)
}

/// The half width of an interval.
pub(super) fn margin(elo: f64) -> String {
    format!("±{}", whole(elo))
}

/// Elo as a whole number, with a real minus sign, for the page.
pub(super) fn elo(value: f64) -> String {
    whole(value).replace('-', "−")
}

/// A share as a percentage.
pub(super) fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}%", 100.0 * part / whole) } else { "–".to_owned() }
}

/// A time in a suitable unit.
pub(super) fn time(ns: u64) -> String {
    let humane = |value: f64| match value {
        value if value < 10.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    let ns = ns as f64;
    match ns {
        _ if ns < 1e6 => format!("{} µs", humane(ns / 1e3)),
        _ if ns < 1e9 => format!("{} ms", humane(ns / 1e6)),
        _ => format!("{} s", humane(ns / 1e9)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        assert_eq!([-0.2, -12.6, 40.4].map(elo), ["0", "−13", "40"]);
        let times = [900, 9_460, 12_000_000, 3_400_000_000];
        assert_eq!(times.map(time), ["0.9 µs", "9.5 µs", "12 ms", "3.4 s"]);
        assert_eq!((percent(1.0, 3.0), percent(1.0, 0.0)), ("33.3%".into(), "–".into()));
    }
}
