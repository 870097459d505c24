//! Formats numbers for people.

/// Elo as a whole number, never `-0`.
pub(super) fn format_whole_number(elo: f64) -> String {
    format!("{:.0}", elo.round() + 0.0)
}

/// Points with this many decimals, never `-0`.
pub(super) fn format_points(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let is_nothing = text.bytes().all(|byte| b"-0.".contains(&byte));
    if is_nothing { text.trim_start_matches('-').to_owned() } else { text }
}

/// The half width of an interval.
pub(super) fn format_margin(elo: f64) -> String {
    format!("±{}", format_whole_number(elo))
}

/// Elo as a whole number, with a real minus sign, for the page.
pub(super) fn format_elo(value: f64) -> String {
    format_whole_number(value).replace('-', "−")
}

/// A share as a percentage.
pub(super) fn format_percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1}%", 100.0 * part / whole) } else { "–".to_owned() }
}

/// A time in a suitable unit.
pub(super) fn format_nanoseconds(ns: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
    format_mean_nanoseconds(ns as f64)
}

/// A mean time in nanoseconds, or a difference, in a suitable unit.
pub(super) fn format_mean_nanoseconds(ns: f64) -> String {
    match ns.abs() {
        size if size < 1e6 => format!("{} µs", format_short_number(ns / 1e3)),
        size if size < 1e9 => format!("{} ms", format_short_number(ns / 1e6)),
        _ => format!("{} s", format_short_number(ns / 1e9)),
    }
}

/// A large number, such as that of nodes.
pub(super) fn format_large_number(number: f64) -> String {
    match number {
        _ if number < 1e4 => format!("{number:.0}"),
        _ if number < 1e6 => format!("{} k", format_short_number(number / 1e3)),
        _ if number < 1e9 => format!("{} M", format_short_number(number / 1e6)),
        _ => format!("{} G", format_short_number(number / 1e9)),
    }
}

/// One digit behind the point if there is only one before it.
fn format_short_number(value: f64) -> String {
    if value.abs() < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// A number of games, rounded to its two significant digits.
pub(super) fn round_to_two_digits(games: f64) -> String {
    let mut unit = 1.0;
    while games / unit >= 100.0 {
        unit *= 10.0;
    }
    format!("{:.0}", (games / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_rounded_to_two_digits() {
        let rounded = [0.0, 7.0, 99.0, 104.0, 105.0, 995.0, 260_884.0].map(round_to_two_digits);
        assert_eq!(rounded, ["0", "7", "99", "100", "110", "1000", "260000"]);
    }

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        assert_eq!([-0.2, -12.6, 40.4].map(format_elo), ["0", "−13", "40"]);
        let times = [900, 9_460, 12_000_000, 3_400_000_000];
        assert_eq!(times.map(format_nanoseconds), ["0.9 µs", "9.5 µs", "12 ms", "3.4 s"]);
        assert_eq!([-150e3, 2.5e6].map(format_mean_nanoseconds), ["-150 µs", "2.5 ms"]);
        let counts = [9_999.0, 45_678.0, 1_234_567.0, 3e10].map(format_large_number);
        assert_eq!(counts, ["9999", "46 k", "1.2 M", "30 G"]);
        assert_eq!(
            (format_percent(1.0, 3.0), format_percent(1.0, 0.0)),
            ("33.3%".into(), "–".into())
        );
    }
}
