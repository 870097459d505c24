//! Charts as SVG text. Colours are roles that the page's style sheet fills in, so that charts are
//! readable in light, in dark and on paper. Names are escaped, and cut if they are long.

mod histogram;
mod interval_chart;
mod lines;

use std::fmt::Write as _;

use plotters::backend::SVGBackend;
use plotters::prelude::{DrawingAreaErrorKind, RGBColor};

pub use histogram::{Bin, bins, histogram};
pub use interval_chart::{AxisScale, IntervalRow, interval_chart};
pub use lines::{ChartLine, lines};

/// The area a chart is drawn on.
type Area<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
/// The result of drawing. Drawing into a string only fails on shapes that cannot be drawn.
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The width of a chart at its natural size, in pixels.
const WIDTH: u32 = 900;
/// The font size, in pixels.
const TEXT: u32 = 12;

/// The role of a colour. [`finish`] replaces roles by the style sheet's colours.
const INK: RGBColor = RGBColor(1, 1, 1);
const MUTED: RGBColor = RGBColor(2, 2, 2);
const GRID: RGBColor = RGBColor(3, 3, 3);
const ACCENT: RGBColor = RGBColor(4, 4, 4);
const WARM: RGBColor = RGBColor(5, 5, 5);
/// The roles, in the order of their numbers.
const ROLES: [&str; 5] = ["ink", "muted", "grid", "accent", "warm"];
/// How many lines have their own colour.
pub const SERIES: usize = 8;

/// The colour of one of [`SERIES`] lines.
fn series(number: usize) -> RGBColor {
    RGBColor(16 + u8::try_from(number % SERIES).unwrap_or(0), 0, 0)
}

/// Draws a chart of this height; `label` describes it for people who cannot see it.
fn draw(height: u32, label: &str, content: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let backend = SVGBackend::with_string(&mut svg, (WIDTH, height));
        let area = plotters::drawing::IntoDrawingArea::into_drawing_area(backend);
        let drawn = content(&area).and_then(|()| area.present());
        if let Err(error) = drawn {
            tracing::warn!("the chart {label:?} is not complete: {error}");
        }
    }
    finish(&svg, label)
}

/// Replaces the roles by the style sheet's colours, and labels the chart.
fn finish(svg: &str, label: &str) -> String {
    let mut done = svg.replacen(
        "<svg ",
        &format!("<svg role=\"img\" aria-label=\"{label}\" class=\"chart\" "),
        1,
    );
    for (number, role) in (1..).zip(ROLES) {
        done = done.replace(&format!("\"#{number:02X}{number:02X}{number:02X}\""), &var(role));
    }
    for number in 0..SERIES {
        let code = format!("\"#{:02X}0000\"", 16 + number);
        done = done.replace(&code, &var(&format!("series-{number}")));
    }
    done.replace(" opacity=\"1\"", "").replace(">\n", ">")
}

fn var(role: &str) -> String {
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
            finish(svg, "a chart"),
            "<svg role=\"img\" aria-label=\"a chart\" class=\"chart\" x=\"1\">\
             <line stroke=\"var(--accent)\"/><line stroke=\"var(--series-1)\"/></svg>"
        );
    }
}
