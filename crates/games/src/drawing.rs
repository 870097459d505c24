//! Boards drawn for people: square by square, and as rows of characters.

use crate::board::{Bitboard, Square};
use crate::seat::Seat;

/// The most pieces on a square.
const MOST_PIECES: usize = 4;

/// A square and what is on it, as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnSquare {
    /// The character that represents the whole square.
    pub symbol: char,
    /// Its owner, in games whose squares have owners.
    pub owner: Option<Seat>,
    /// The seat whose goal it is, in games with goals.
    pub goal: Option<Seat>,
    /// The letters of the pieces on it if there are several, followed by zeros.
    shared: [u8; MOST_PIECES],
}

impl DrawnSquare {
    /// A square of which nothing is known but its character.
    pub(crate) const fn new(symbol: char) -> Self {
        Self { symbol, owner: None, goal: None, shared: [0; MOST_PIECES] }
    }

    /// The same square with several pieces on it, at most four, given by ASCII letters.
    #[must_use]
    pub(crate) fn shared_by(mut self, letters: impl IntoIterator<Item = u8>) -> Self {
        self.shared.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter);
        self
    }

    /// The letters of the pieces on it if there are several; otherwise none.
    pub fn shared(&self) -> impl Iterator<Item = char> {
        self.shared.into_iter().take_while(|&letter| letter > 0).map(char::from)
    }
}

/// A board, square by square. The same value can be drawn again and again, one position after
/// another.
#[derive(Debug, Clone, Default)]
pub struct DrawnBoard {
    squares: Vec<DrawnSquare>,
    /// The number of squares in each row.
    widths: Vec<usize>,
}

impl DrawnBoard {
    /// Removes all rows.
    pub(crate) fn clear(&mut self) {
        self.squares.clear();
        self.widths.clear();
    }

    /// Adds a row at the bottom.
    pub(crate) fn add_row(&mut self, row: impl IntoIterator<Item = DrawnSquare>) {
        let begin = self.squares.len();
        self.squares.extend(row);
        self.widths.push(self.squares.len() - begin);
    }

    /// Draws these rows of characters, in place of all other rows.
    pub(crate) fn draw_texts(&mut self, rows: &[String]) {
        self.clear();
        for row in rows {
            self.add_row(row.chars().map(DrawnSquare::new));
        }
    }

    /// The squares, row by row.
    pub fn squares(&self) -> &[DrawnSquare] {
        &self.squares
    }

    /// The rows, from top to bottom.
    pub fn rows(&self) -> impl Iterator<Item = &[DrawnSquare]> {
        let mut rest = &self.squares[..];
        self.widths.iter().map(move |&width| {
            let (row, others) = rest.split_at(width);
            rest = others;
            row
        })
    }

    /// The number of squares in the first row.
    pub fn width(&self) -> usize {
        self.widths.first().copied().unwrap_or(0)
    }

    /// Whether both boards have rows of the same lengths.
    pub fn has_shape_of(&self, other: &Self) -> bool {
        self.widths == other.widths
    }
}

/// The 8×8 board as rows of ASCII characters, from top to bottom. Draws the squares of each set as
/// its ASCII character, later sets over earlier ones, and all other squares as `.`.
pub(crate) fn symbol_rows<const N: usize>(sets: [(Bitboard, u8); N]) -> Vec<String> {
    let mut rows = [[b'.'; 8]; 8];
    for (squares, symbol) in sets {
        for Square { column, row } in squares {
            rows[usize::from(row)][usize::from(column)] = symbol;
        }
    }
    rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect()
}

/// An error in a drawing of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// They are not eight rows of eight characters.
    #[error("expected eight rows of eight characters")]
    Size,
    /// The square shows an unexpected character.
    #[error("expected {expected} on {square}")]
    Character {
        /// The square.
        square: Square,
        /// The characters that it may show.
        expected: &'static str,
    },
    /// A corner of the board with sides of this length is not drawn as `X`.
    #[error("expected an X on each corner of the {0}×{0} board")]
    Corner(u8),
    /// The removed squares are not those of a smaller board.
    #[error("expected # on no square, the outer ring or the two outer rings")]
    Removed,
    /// A side has more pieces than this.
    #[error("expected at most {0}")]
    TooMany(&'static str),
}
