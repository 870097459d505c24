//! What a seat may do, and how it is written.

use std::fmt;

use crate::rules::board::Square;

/// What a seat may do. Among the actions of one position the order is that of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Puts a piece on an empty square (W2).
    Place(Square),
    /// Moves or jumps (W6).
    Move {
        /// Where the piece stands.
        from: Square,
        /// Where it goes.
        to: Square,
    },
    /// Forfeits the move, having none (W7).
    Pass,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(f),
            Self::Move { from, to } => write!(f, "{from}>{to}"),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// A text that has the form of an action, on the board or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Place(Point),
    Move { from: Point, to: Point },
    Pass,
}

/// Two whole numbers in the place of a square; one too large for the type stays too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    column: u8,
    row: u8,
}

impl Point {
    /// The square of the 8×8 board that is meant, if it has such a square.
    pub(super) fn square(self) -> Option<Square> {
        (self.column < 8 && self.row < 8).then_some(Square::new(self.column, self.row))
    }
}

impl Written {
    /// Reads `text`, exactly; `None` when it has no form of an action.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text == "pass" {
            return Some(Self::Pass);
        }
        match text.split_once('>') {
            None => Some(Self::Place(point(text)?)),
            Some((from, to)) => Some(Self::Move { from: point(from)?, to: point(to)? }),
        }
    }
}

fn point(text: &str) -> Option<Point> {
    let (column, row) = text.split_once(',')?;
    Some(Point { column: number(column)?, row: number(row)? })
}

/// A whole number without sign and leading zeros, capped at the largest of the type.
fn number(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = text.len() > 1 && text.starts_with('0');
    (digits && !text.is_empty() && !leading_zero).then(|| text.parse().unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_exact() {
        for text in ["3,4", "9,9", "0,0", "12,7", "99999999999999999999,1", "3,4>3,4", "pass"] {
            assert!(Written::read(text).is_some(), "{text}");
        }
        let bad = [
            "",
            ",",
            "3",
            "3,",
            ",4",
            "-1,3",
            "+1,3",
            "03,4",
            "3,00",
            "3, 4",
            " 3,4",
            "3;4",
            "3,4>",
            "3,4>3",
            "3,4>3,5>3,6",
            "3,4 > 3,5",
            "Pass",
            "passes",
            "-",
            "3,4,5",
            "٣,4",
        ];
        for text in bad {
            assert!(Written::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn large_numbers_are_no_squares() {
        let Some(Written::Place(point)) = Written::read("256,7") else { panic!("a placement") };
        assert_eq!(point.square(), None);
    }
}
