//! A histogram.

use std::collections::BTreeMap;

use plotters::chart::ChartBuilder;
use plotters::element::Rectangle;
use plotters::style::{Color, IntoFont, ShapeStyle};

use super::{ACCENT, Area, ChartRoom, Drawn, GRID, MUTED, TEXT, render_chart};

/// The approximate number of bars.
const BARS: u32 = 40;

/// A bar: how many values lie in `from ..= to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bin {
    /// The smallest value.
    pub(crate) from: u32,
    /// The largest value.
    pub(crate) to: u32,
    /// The number of values.
    pub(crate) count: u32,
}

/// Groups counts by value into bars of equal width: 1, 2 or 5 times a power of ten.
pub(crate) fn group_into_bins(counts: &BTreeMap<u32, u32>) -> Vec<Bin> {
    let (Some((&least, _)), Some((&most, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return Vec::new();
    };
    let widths = (0..9).flat_map(|power| [1, 2, 5].map(|factor| factor * 10_u32.pow(power)));
    let fits = |width: &u32| (most - least) / width < BARS;
    let width = widths.into_iter().find(fits).unwrap_or(u32::MAX);
    let first = least / width;
    let mut bins: Vec<Bin> = (first..=most / width)
        .map(|number| Bin { from: number * width, to: number * width + (width - 1), count: 0 })
        .collect();
    for (&value, &count) in counts {
        if let Some(bin) = bins.get_mut((value / width - first) as usize) {
            bin.count += count;
        }
    }
    bins
}

/// Draws these bars.
pub(crate) fn histogram(bins: &[Bin], x_title: &str, label: &str) -> String {
    render_chart(260, label, |area, room| render_histogram_bars(area, room, bins, x_title))
}

fn render_histogram_bars(area: &Area<'_>, room: ChartRoom, bins: &[Bin], x_title: &str) -> Drawn {
    let from = bins.first().map_or(0, |bin| bin.from);
    let to = bins.last().map_or(1, |bin| bin.to.saturating_add(1));
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(1).max(1);
    let mut chart = ChartBuilder::on(area)
        .margin_right(20)
        .margin_top(8)
        .y_label_area_size(56)
        .x_label_area_size(44)
        .build_cartesian_2d(f64::from(from)..f64::from(to), 0.0..f64::from(most) * 1.05)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(ShapeStyle::from(&GRID.mix(0.0)))
        .label_style(("sans-serif", TEXT).into_font().color(&MUTED))
        .x_desc(x_title)
        .x_labels(room.labels)
        .y_labels(5)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| if y.fract() == 0.0 { format!("{y:.0}") } else { String::new() })
        .draw()?;
    let bars = bins.iter().filter(|bin| bin.count > 0).map(|bin| {
        let (left, right) = (f64::from(bin.from), f64::from(bin.to.saturating_add(1)));
        let gap = (right - left) * 0.08;
        let corners = [(left + gap, 0.0), (right - gap, f64::from(bin.count))];
        Rectangle::new(corners, ACCENT.filled())
    });
    chart.draw_series(bars)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_bars_have_round_bounds_and_hold_every_value() {
        let counts = BTreeMap::from([(24, 1), (25, 2), (150, 3), (300, 4)]);
        let bars = group_into_bins(&counts);
        assert_eq!(bars[0], Bin { from: 20, to: 29, count: 3 });
        assert_eq!(bars.len(), 29);
        assert_eq!(bars[28], Bin { from: 300, to: 309, count: 4 });
        assert_eq!(bars.iter().map(|bin| bin.count).sum::<u32>(), 10);
        assert_eq!(group_into_bins(&BTreeMap::new()), []);
        assert_eq!(group_into_bins(&BTreeMap::from([(7, 9)])), [Bin { from: 7, to: 7, count: 9 }]);
    }
}
