//! The 8×8 board drawn as rows of characters, and errors in such drawings.

use std::error::Error;
use std::fmt;

use crate::board::Square;

/// The rows of the 8×8 board from top to bottom. `symbol` returns an ASCII character.
pub(crate) fn rows_of(symbol: impl Fn(Square) -> u8) -> Vec<String> {
    let row = |row| {
        let mut symbols = [b'.'; 8];
        for (column, drawn) in (0..).zip(&mut symbols) {
            *drawn = symbol(Square::new(column, row));
        }
        String::from_utf8_lossy(&symbols).into_owned()
    };
    (0..8).map(row).collect()
}

/// An error in a drawing of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawingError {
    /// They are not eight rows of eight characters.
    Size,
    /// The square shows an unexpected character.
    Character {
        /// The square.
        square: Square,
        /// The characters that it may show.
        expected: &'static str,
    },
    /// A corner of the board with sides of this length is not drawn as `X`.
    Corner(u8),
    /// The removed squares are not those of a smaller board.
    Removed,
    /// A side has more pieces than this.
    TooMany(&'static str),
}

impl fmt::Display for DrawingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("expected eight rows of eight characters"),
            Self::Character { square, expected } => write!(f, "expected {expected} on {square}"),
            Self::Corner(side) => {
                write!(f, "expected an X on each corner of the {side}×{side} board")
            }
            Self::Removed => {
                f.write_str("expected # on no square, the outer ring or the two outer rings")
            }
            Self::TooMany(most) => write!(f, "expected at most {most}"),
        }
    }
}

impl Error for DrawingError {}
