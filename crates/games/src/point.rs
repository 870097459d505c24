//! The text of a square, on the board or not: what every action is written with.

use super::board::Square;

/// Two whole numbers in the place of a square; one too large for the type stays too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    column: u8,
    row: u8,
}

impl Point {
    /// Reads `text`, exactly: `column,row` without signs, blanks and leading zeros.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (column, row) = text.split_once(',')?;
        Some(Self { column: number(column)?, row: number(row)? })
    }

    /// The square of the 8×8 board that is meant, if it has such a square.
    pub(super) fn square(self) -> Option<Square> {
        self.square_of(8, 8)
    }

    /// The square of the board of this size that is meant, if it has such a square.
    pub(super) fn square_of(self, columns: u8, rows: u8) -> Option<Square> {
        let is_there = self.column < columns && self.row < rows;
        is_there.then_some(Square::new(self.column, self.row))
    }
}

/// A whole number without sign and leading zeros, capped at the largest of the type.
fn number(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    (digits && !text.is_empty() && !leading_zero).then(|| text.parse().unwrap_or(u8::MAX))
}
