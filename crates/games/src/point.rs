//! The text form of squares, on the board or off it, shared by all actions.

use super::board::Square;

/// Two whole numbers written as a square. A number too large for the type is capped, which is still
/// off every board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    column: u8,
    row: u8,
}

impl Point {
    /// Parses `text` strictly: `column,row` without signs, blanks and leading zeros.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (column, row) = split_point_text(text, b',')?;
        Some(Self { column: parse_coordinate(column)?, row: parse_coordinate(row)? })
    }

    /// The square, if it is on the 8×8 board.
    pub(super) fn square(self) -> Option<Square> {
        self.square_of(8, 8)
    }

    /// The square, if it is on a board of this size.
    pub(super) fn square_of(self, columns: u8, rows: u8) -> Option<Square> {
        let is_there = self.column < columns && self.row < rows;
        is_there.then_some(Square::new(self.column, self.row))
    }
}

/// The texts before and after the first such ASCII character. For texts this short, it takes much
/// less time than `split_once`.
pub(super) fn split_point_text(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

/// Parses a whole number without sign and leading zeros, capped at the type's maximum.
fn parse_coordinate(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    (digits && !text.is_empty() && !leading_zero).then(|| text.parse().unwrap_or(u8::MAX))
}
