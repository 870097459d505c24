//! Lays out text columns to fit a width: names are cut first, then whole columns are left out.

use std::fmt::Display;

use unicode_width::UnicodeWidthStr;

use crate::colour::{Colour, ColouredText};

/// The number of blanks between two columns.
const GAP: usize = 2;
/// Names are not cut below this width; columns are left out instead.
const NAME: usize = 8;

/// The side to which cells are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// For text.
    Left,
    /// For numbers.
    Right,
}

/// The treatment of a column on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// It always stays whole.
    Always,
    /// Whether cells may be cut.
    Cut,
    /// It may be left out. Columns with the lowest rank go first, all of the same rank together.
    Rank(u8),
}

/// The text of a cell and its style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextColumnCell {
    text: String,
    bad: bool,
}

impl TextColumnCell {
    pub(super) fn plain(text: impl Display) -> Self {
        Self { text: text.to_string(), bad: false }
    }

    /// A plain cell, or a dash if there is no text.
    pub(super) fn or_dash(text: Option<impl Display>) -> Self {
        text.map_or_else(|| Self::plain("–"), Self::plain)
    }

    /// A cell that marks something wrong.
    pub(super) fn bad(text: impl Display) -> Self {
        Self { text: text.to_string(), bad: true }
    }
}

/// A column: its heading and one cell per row.
#[derive(Debug, Clone)]
pub(super) struct TextColumn {
    pub(super) heading: String,
    pub(super) keep: Keep,
    pub(super) align: Align,
    pub(super) cells: Vec<TextColumnCell>,
}

impl TextColumn {
    /// The text of a row's cell.
    pub(super) fn cell_text(&self, row: usize) -> &str {
        &self.cells[row].text
    }

    /// Whether a row's cell marks something wrong.
    pub(super) fn is_bad(&self, row: usize) -> bool {
        self.cells[row].bad
    }

    /// Whether a narrow page leaves the column out: there, bars show the margins of ratings.
    pub(super) fn is_minor(&self) -> bool {
        matches!(self.keep, Keep::Rank(0..=2 | 4 | 5))
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.text.width());
        cells.chain([self.heading.width()]).max().unwrap_or(0)
    }

    /// The smallest width the column can have.
    fn min_width(&self, floor: usize) -> usize {
        if self.keep == Keep::Cut { self.width().min(floor) } else { self.width() }
    }
}

/// Lays out a table in at most `width` columns of text if possible; the first line holds the
/// headings.
pub(super) fn lay_out_columns(
    columns: &[TextColumn],
    width: usize,
    colour: Colour,
) -> Vec<ColouredText> {
    let columns = choose_columns(columns, width);
    let needed: usize = columns.iter().map(|column| column.min_width(0)).sum();
    let room = width.saturating_sub(needed + GAP * columns.len().saturating_sub(1)).max(1);
    let fitted: Vec<(&TextColumn, usize)> = columns
        .iter()
        .map(|&column| (column, column.width().min(column_width_limit(column, room))))
        .collect();
    let heading = render_columns_line(&fitted, |column| (&*column.heading, None), colour);
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let bold = colour.paint(&heading, "1");
    std::iter::once(bold)
        .chain((0..rows).map(|row| render_columns_row(&fitted, row, colour)))
        .collect()
}

fn column_width_limit(column: &TextColumn, room: usize) -> usize {
    if column.keep == Keep::Cut { room } else { usize::MAX }
}

/// Chooses the columns that fit.
fn choose_columns(columns: &[TextColumn], width: usize) -> Vec<&TextColumn> {
    let mut kept: Vec<&TextColumn> = columns.iter().collect();
    while least_columns_width(&kept) > width {
        let ranks = kept.iter().filter_map(|column| match column.keep {
            Keep::Rank(rank) => Some(rank),
            Keep::Always | Keep::Cut => None,
        });
        let Some(lowest) = ranks.min() else { break };
        kept.retain(|column| column.keep != Keep::Rank(lowest));
    }
    kept
}

/// The width with names cut to a readable width.
fn least_columns_width(columns: &[&TextColumn]) -> usize {
    let cells: usize = columns.iter().map(|column| column.min_width(NAME)).sum();
    cells + GAP * columns.len().saturating_sub(1)
}

fn render_columns_row(
    columns: &[(&TextColumn, usize)],
    row: usize,
    colour: Colour,
) -> ColouredText {
    render_columns_line(
        columns,
        |column| (&column.cells[row].text, column.cells[row].bad.then_some("31")),
        colour,
    )
}

/// One line: `cell` gives the text and the colour for each column.
fn render_columns_line<'a>(
    columns: &[(&'a TextColumn, usize)],
    cell: impl Fn(&'a TextColumn) -> (&'a str, Option<&'static str>),
    colour: Colour,
) -> ColouredText {
    let cells = columns.iter().map(|&(column, width)| {
        let (text, code) = cell(column);
        let text = cut_to_columns(text, width);
        let blanks = ColouredText::plain(&" ".repeat(width - text.width().min(width)));
        let text =
            code.map_or_else(|| ColouredText::plain(&text), |code| colour.paint(&text, code));
        let parts = match column.align {
            Align::Left => [text, blanks],
            Align::Right => [blanks, text],
        };
        ColouredText::join(parts, "")
    });
    ColouredText::join(cells, &" ".repeat(GAP))
}

/// Cuts `text` to at most `width` columns, with `…` in place of what was cut.
pub(super) fn cut_to_columns(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(start, _)| start);
    let kept = ends.take_while(|&end| text[..end].width() < width).last().unwrap_or(0);
    format!("{}…", &text[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_not_characters() {
        assert_eq!(cut_to_columns("greedy", 6), "greedy");
        assert_eq!(cut_to_columns("greedy", 5), "gree…");
        assert_eq!(cut_to_columns("象棋象棋", 5), "象棋…");
        assert_eq!(cut_to_columns("象棋象棋", 4), "象…");
        assert_eq!(cut_to_columns("greedy", 1), "…");
    }

    fn column(heading: &'static str, align: Align, cells: &[&str]) -> TextColumn {
        let cells = cells.iter().map(TextColumnCell::plain).collect();
        TextColumn { heading: heading.to_owned(), keep: Keep::Always, align, cells }
    }

    #[test]
    fn text_stands_left_and_numbers_right() {
        let columns = [
            column("name", Align::Left, &["ant", "象棋 bot"]),
            column("n", Align::Right, &["7", "1000"]),
        ];
        assert_eq!(
            lay_out_columns(&columns, 80, Colour::Plain),
            ["name         n", "ant          7", "象棋 bot  1000"]
        );
    }

    #[test]
    fn only_bad_cells_and_headings_are_coloured() {
        let bad =
            TextColumn { cells: vec![TextColumnCell::bad(3)], ..column("f", Align::Right, &[]) };
        let lines = lay_out_columns(&[column("n", Align::Left, &["1"]), bad], 80, Colour::Ansi);
        assert_eq!(lines, ["\x1b[1mn  f\x1b[0m", "1  \x1b[31m3\x1b[0m"]);
    }

    #[test]
    fn a_missing_value_is_a_dash() {
        assert_eq!(TextColumnCell::or_dash(None::<u32>), TextColumnCell::plain("–"));
        assert_eq!(TextColumnCell::or_dash(Some(3)), TextColumnCell::plain(3));
    }

    #[test]
    fn a_table_without_columns_is_an_empty_line() {
        assert_eq!(lay_out_columns(&[], 80, Colour::Plain), [""]);
    }

    #[test]
    fn the_lowest_rank_goes_first() {
        let column = |heading, keep| TextColumn { keep, ..column(heading, Align::Left, &[]) };
        let columns = [
            column("name", Keep::Cut),
            column("one", Keep::Rank(1)),
            column("two", Keep::Rank(2)),
            column("uno", Keep::Rank(1)),
        ];
        let headings = |width| lay_out_columns(&columns, width, Colour::Plain)[0].clone();
        assert_eq!(headings(19), "name  one  two  uno");
        assert_eq!(headings(18), "name  two");
        assert_eq!(headings(8), "name");
        assert_eq!(headings(3), "na…");
    }
}
