//! A line chart. The first few lines have a colour and a name at their end; the others show the
//! rest of the field.

use plotters::chart::ChartBuilder;
use plotters::element::{PathElement, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, ShapeStyle, TextStyle};

use super::{
    Area, ChartRoom, Drawn, GRID, INK, MUTED, SERIES, TEXT, chart_series_colour, render_chart,
};
use crate::text_columns::cut_to_columns;

/// The smallest distance between two names, in pixels.
const APART: i32 = 16;
const HEIGHT: u32 = 380;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChartLine {
    /// The name.
    pub(crate) label: String,
    /// Its points, two or more, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Draws these lines, the coloured ones first.
pub(crate) fn render_line_chart(lines: &[ChartLine], x_title: &str, label: &str) -> String {
    render_chart(HEIGHT, label, |area, room| render_chart_lines(area, room, lines, x_title))
}

fn render_chart_lines(
    area: &Area<'_>,
    room: ChartRoom,
    lines: &[ChartLine],
    x_title: &str,
) -> Drawn {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut last = 1.0_f64;
    for &(x, y) in points() {
        (low, high, last) = (low.min(y), high.max(y), last.max(x));
    }
    let (low, high) = if low < high { (low, high) } else { (-1.0, 1.0) };
    let margin = (high - low) * 0.05;
    let mut chart = ChartBuilder::on(area)
        .margin_right(room.names)
        .margin_top(8)
        .y_label_area_size(48)
        .x_label_area_size(44)
        .build_cartesian_2d(0.0..last, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(ShapeStyle::from(&GRID.mix(0.0)))
        .label_style(("sans-serif", TEXT).into_font().color(&MUTED))
        .x_desc(x_title)
        .x_labels(room.labels)
        .y_labels(7)
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .draw()?;
    for (number, line) in lines.iter().enumerate().rev() {
        let style = if number < SERIES {
            ShapeStyle::from(&chart_series_colour(number)).stroke_width(2)
        } else {
            ShapeStyle::from(&MUTED.mix(0.3))
        };
        chart.draw_series([PathElement::new(line.points.clone(), style)])?;
    }
    let ends = lines.iter().take(SERIES).enumerate();
    let mut ends: Vec<(i32, usize)> = ends
        .filter_map(|(number, line)| Some((chart.backend_coord(line.points.last()?).1, number)))
        .collect();
    ends.sort_unstable();
    spread_line_names(&mut ends, i32::try_from(HEIGHT).unwrap_or(0) - 52);
    let right = i32::try_from(room.width - room.names).unwrap_or(0);
    for (y, number) in ends {
        let style = TextStyle::from(("sans-serif", TEXT).into_font())
            .color(&INK)
            .pos(Pos::new(HPos::Left, VPos::Center));
        let colour = ShapeStyle::from(&chart_series_colour(number)).stroke_width(4);
        area.draw(&PathElement::new(vec![(right + 6, y), (right + 16, y)], colour))?;
        area.draw(&Text::new(
            cut_to_columns(&lines[number].label, room.name),
            (right + 20, y),
            style,
        ))?;
    }
    Ok(())
}

/// Moves names apart that are too close, but none below `bottom` as long as there is room.
fn spread_line_names(places: &mut [(i32, usize)], bottom: i32) {
    let mut least = 8;
    for (y, _) in &mut *places {
        *y = (*y).max(least);
        least = *y + APART;
    }
    let mut most = bottom;
    for (y, _) in places.iter_mut().rev() {
        *y = (*y).min(most);
        most = *y - APART;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_names_are_moved_apart() {
        let mut places = [(10, 0), (11, 1), (60, 2), (298, 3), (299, 4)];
        spread_line_names(&mut places, 300);
        assert_eq!(places.map(|(y, _)| y), [10, 26, 60, 284, 300]);
    }
}
