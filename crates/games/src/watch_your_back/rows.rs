//! Boards as rows of characters: `W`, `B`, `.`, `X` for a corner, `#` for a removed square.

use super::board::Board;
use super::size::BoardSize;
use crate::board::{Bitboard, Square};
use crate::drawing::{DrawingError, symbol_rows};
use crate::seat::{BySeat, Seat};

impl Board {
    /// Parses the board in `rows`, eight rows of eight characters, after `ply` actions.
    ///
    /// The number of actions determines the phase, the counts and the side to move. The removed
    /// squares in the drawing determine the size. Corners and removed squares must be where a board
    /// of that size has them, and a side has at most twelve pieces.
    pub fn from_rows(rows: &[impl AsRef<str>], ply: u32) -> Result<Self, DrawingError> {
        let grid: Vec<&[u8]> = rows.iter().map(|row| row.as_ref().as_bytes()).collect();
        if grid.len() != 8 || grid.iter().any(|row| row.len() != 8) {
            return Err(DrawingError::Size);
        }
        let size = size_of(drawn(&grid, b'#'))?;
        if drawn(&grid, b'X') != size.corners() {
            return Err(DrawingError::Corner(size.side()));
        }
        let pieces = BySeat::new(drawn(&grid, b'W'), drawn(&grid, b'B'));
        let known = pieces.first | pieces.second | drawn(&grid, b'.') | size.corners();
        if let Some(square) = (size.area() - known).iter().next() {
            return Err(DrawingError::Character { square, expected: "W, B, ., X or #" });
        }
        if pieces.first.len() > 12 || pieces.second.len() > 12 {
            return Err(DrawingError::TooMany("twelve pieces per side"));
        }
        Ok(Self::with(pieces, ply, size))
    }

    /// The rows from top to bottom, in the form that [`from_rows`](Self::from_rows) takes.
    pub(crate) fn rows(&self) -> Vec<String> {
        let (area, corners) = (self.size().area(), self.size().corners());
        let [white, black] = Seat::BOTH.map(|seat| self.pieces(seat));
        symbol_rows([(black, b'B'), (white, b'W'), (corners, b'X'), (!area, b'#')])
    }
}

/// The squares where `grid` shows `symbol`.
fn drawn(grid: &[&[u8]], symbol: u8) -> Bitboard {
    let whole = BoardSize::Full.area();
    let shows =
        |square: &Square| grid[usize::from(square.row)][usize::from(square.column)] == symbol;
    whole.iter().filter(shows).fold(Bitboard::EMPTY, |set, square| set | Bitboard::of(square))
}

fn size_of(removed: Bitboard) -> Result<BoardSize, DrawingError> {
    let fits = |size: &BoardSize| BoardSize::Full.area() - size.area() == removed;
    BoardSize::ALL.into_iter().find(fits).ok_or(DrawingError::Removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: [&str; 8] = [
        "########", "########", "##XWBX##", "##....##", "##...W##", "##X..X##", "########",
        "########",
    ];

    #[test]
    fn rows_round_trip() {
        let board = Board::from_rows(&SMALL, 216).expect("a board");
        assert_eq!(board.rows(), SMALL);
        assert_eq!(Board::START.rows()[0], "X......X");
    }

    #[test]
    fn wrong_drawings_are_refused_with_a_reason() {
        let refused = |row: usize, text: &'static str| {
            let mut rows = SMALL;
            rows[row] = text;
            Board::from_rows(&rows, 216).expect_err("a refusal").to_string()
        };
        assert_eq!(refused(3, "##...##"), "expected eight rows of eight characters");
        assert_eq!(refused(2, "##.WBX##"), "expected an X on each corner of the 4×4 board");
        assert_eq!(refused(3, "##.?..##"), "expected W, B, ., X or # on 3,3");
        assert!(refused(1, "###.####").starts_with("expected # on no square"));
        assert!(Board::from_rows(&SMALL[1..], 216).is_err());
    }
}
