//! Charts as SVG text, each drawn twice: for wide screens and for phones; the style sheet shows one
//! of the two. Colours are roles that the page's style sheet fills in, so that charts are
//! readable in light, in dark and on paper. Names are escaped, and cut if they are long.

mod histogram;
mod interval_chart;
mod line_chart;

use std::fmt::Write as _;

use plotters::backend::SVGBackend;
use plotters::prelude::{DrawingAreaErrorKind, RGBColor};

pub(crate) use histogram::{Bin, group_into_bins, histogram};
pub(crate) use interval_chart::{IntervalRow, IntervalScale, interval_chart};
pub(crate) use line_chart::{ChartLine, render_line_chart};

/// The area a chart is drawn on.
type Area<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// The result of drawing. Drawing into a string only fails on shapes that cannot be drawn.
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The room for a chart at its natural size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ChartRoom {
    /// The class by which the style sheet shows or hides the chart.
    class: &'static str,
    /// The width, in pixels.
    width: u32,
    /// The width of the players' names, in pixels.
    names: u32,
    /// The longest name, in columns of text.
    name: usize,
    /// The approximate maximum of labels on the horizontal axis.
    labels: usize,
}

const WIDE: ChartRoom =
    ChartRoom { class: "chart wide", width: 900, names: 210, name: 26, labels: 9 };
const NARROW: ChartRoom =
    ChartRoom { class: "chart narrow", width: 380, names: 132, name: 14, labels: 4 };
/// The font size, in pixels.
const TEXT: u32 = 12;

/// The role of a colour. [`finish_chart_svg`] replaces roles by the style sheet's colours.
const INK: RGBColor = RGBColor(1, 1, 1);
const MUTED: RGBColor = RGBColor(2, 2, 2);
const GRID: RGBColor = RGBColor(3, 3, 3);
const ACCENT: RGBColor = RGBColor(4, 4, 4);
const WARM: RGBColor = RGBColor(5, 5, 5);
/// The roles, in the order of their numbers.
const ROLES: [&str; 5] = ["ink", "muted", "grid", "accent", "warm"];
/// How many lines have their own colour.
pub(crate) const SERIES: usize = 8;

/// The colour of one of [`SERIES`] lines.
fn chart_series_colour(number: usize) -> RGBColor {
    RGBColor(16 + u8::try_from(number % SERIES).unwrap_or(0), 0, 0)
}

/// Draws a chart of this height in both rooms; `label` describes it for people who cannot see it.
fn render_chart(
    height: u32,
    label: &str,
    content: impl Fn(&Area<'_>, ChartRoom) -> Drawn,
) -> String {
    let draw_in = |room: ChartRoom| {
        let mut svg = String::new();
        {
            let backend = SVGBackend::with_string(&mut svg, (room.width, height));
            let area = plotters::drawing::IntoDrawingArea::into_drawing_area(backend);
            let drawn = content(&area, room).and_then(|()| area.present());
            if let Err(error) = drawn {
                tracing::warn!("the chart {label:?} is not complete: {error}");
            }
        }
        finish_chart_svg(&svg, label, room)
    };
    [WIDE, NARROW].map(draw_in).concat()
}

/// Replaces the roles by the style sheet's colours, and labels the chart.
fn finish_chart_svg(svg: &str, label: &str, room: ChartRoom) -> String {
    let mut done = svg.replacen(
        "<svg ",
        &format!("<svg role=\"img\" aria-label=\"{label}\" class=\"{}\" ", room.class),
        1,
    );
    for (number, role) in (1..).zip(ROLES) {
        done = done.replace(
            &format!("\"#{number:02X}{number:02X}{number:02X}\""),
            &chart_colour_variable(role),
        );
    }
    for number in 0..SERIES {
        let code = format!("\"#{:02X}0000\"", 16 + number);
        done = done.replace(&code, &chart_colour_variable(&format!("series-{number}")));
    }
    done.replace(" opacity=\"1\"", "").replace(">\n", ">")
}

fn chart_colour_variable(role: &str) -> String {
    let mut text = String::new();
    // Writing into a string does not fail.
    let _ = write!(text, "\"var(--{role})\"");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_become_colours_of_the_style_sheet() {
        let svg =
            r##"<svg x="1"><line stroke="#040404"/><line stroke="#110000" opacity="1"/></svg>"##;
        assert_eq!(
            finish_chart_svg(svg, "a chart", NARROW),
            "<svg role=\"img\" aria-label=\"a chart\" class=\"chart narrow\" x=\"1\">\
             <line stroke=\"var(--accent)\"/><line stroke=\"var(--series-1)\"/></svg>"
        );
    }
}
