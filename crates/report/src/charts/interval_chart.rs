//! An interval chart: one row per player, each an interval with its middle, on a common scale.

use plotters::chart::ChartBuilder;
use plotters::element::{Circle, PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle};

use super::{ACCENT, Area, ChartRoom, Drawn, GRID, INK, MUTED, TEXT, WARM, render_chart};
use crate::text_columns::cut_to_columns;

/// Charts with more rows set them closer together.
const MANY: usize = 60;

/// One row of the chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IntervalRow {
    /// The rank, if the player has one.
    pub(crate) rank: Option<usize>,
    /// The name.
    pub(crate) label: String,
    /// The lower end.
    pub(crate) low: f64,
    pub(crate) middle: f64,
    /// The upper end.
    pub(crate) high: f64,
    /// An additional point.
    pub(crate) most: Option<f64>,
}

/// The scale that maps values to positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntervalScale {
    /// Linear, in Elo.
    Elo,
    /// Linear, in points.
    Points,
    /// Logarithmic, in milliseconds.
    Time,
}

impl IntervalScale {
    fn position(self, value: f64) -> f64 {
        match self {
            Self::Elo | Self::Points => value,
            Self::Time => value.max(0.001).log10(),
        }
    }

    fn tick_label(self, place: f64) -> String {
        match self {
            Self::Elo => format!("{place:.0}"),
            // Without what rounding leaves.
            Self::Points => ((place * 1e9).round() / 1e9 + 0.0).to_string(),
            Self::Time if (place - place.round()).abs() > 0.01 => String::new(),
            Self::Time if place < 0.0 => format!("{} µs", 10_f64.powf(place + 3.0).round()),
            Self::Time if place < 3.0 => format!("{} ms", 10_f64.powf(place).round()),
            Self::Time => format!("{} s", 10_f64.powf(place - 3.0).round()),
        }
    }
}

/// Draws these rows, at least one, from top to bottom.
pub(crate) fn interval_chart(rows: &[IntervalRow], scale: IntervalScale, label: &str) -> String {
    let row_height = if rows.len() > MANY { 16 } else { 22 };
    let axes = if rows.len() > MANY { 60 } else { 36 };
    let height = u32::try_from(rows.len()).unwrap_or(u32::MAX / 64) * row_height + axes;
    render_chart(height, label, |area, room| render_interval_rows(area, room, rows, scale))
}

fn render_interval_rows(
    area: &Area<'_>,
    room: ChartRoom,
    rows: &[IntervalRow],
    scale: IntervalScale,
) -> Drawn {
    let both_axes = rows.len() > MANY;
    let places = rows.iter().flat_map(|row| [row.low, row.high, row.most.unwrap_or(row.high)]);
    let places: Vec<f64> = places.map(|value| scale.position(value)).collect();
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (low - 1.0, low + 1.0) };
    let margin = (high - low) * 0.02;
    let count = f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    let mut chart = ChartBuilder::on(area)
        .margin_right(20)
        .y_label_area_size(room.names)
        .x_label_area_size(28)
        .top_x_label_area_size(if both_axes { 28 } else { 0 })
        .margin_top(if both_axes { 0 } else { 6 })
        .build_cartesian_2d(low - margin..high + margin, 0.0..count)?;
    let text = ("sans-serif", TEXT).into_font().color(&MUTED);
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(room.labels)
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(ShapeStyle::from(&GRID.mix(0.0)))
        .label_style(text)
        .x_label_formatter(&|place| scale.tick_label(*place))
        .draw()?;
    let style = |colour: RGBColor| {
        let style = ("sans-serif", TEXT).into_font().color(&colour);
        style.pos(Pos::new(HPos::Right, VPos::Center))
    };
    for (at, row) in rows.iter().enumerate() {
        let y = count - f64::from(u32::try_from(at).unwrap_or(u32::MAX)) - 0.5;
        let place = |value| (scale.position(value), y);
        let line = ShapeStyle::from(&ACCENT.mix(0.55)).stroke_width(5);
        chart.draw_series([PathElement::new(vec![place(row.low), place(row.high)], line)])?;
        chart.draw_series([Circle::new(place(row.middle), 4, ACCENT.filled())])?;
        if let Some(most) = row.most {
            chart.draw_series([Circle::new(place(most), 3, WARM.stroke_width(2))])?;
        }
        let (_, y) = chart.backend_coord(&place(row.middle));
        let left = i32::try_from(room.names).unwrap_or(0);
        let rank = row.rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        area.draw(&Text::new(cut_to_columns(&row.label, room.name), (left - 36, y), style(INK)))?;
        area.draw(&Text::new(rank, (left - 8, y), style(MUTED)))?;
    }
    Ok(())
}
