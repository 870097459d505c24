//! Boards as rows of characters: `W`, `B` and `.`.

use super::board::{Board, PAWNS};
use crate::board::Bitboard;
use crate::drawing::{DrawingError, symbol_rows};
use crate::seat::{BySeat, Seat};

impl Board {
    /// Parses the board in `rows`, eight rows of eight characters, with at most ten pawns per side.
    pub fn from_rows(rows: &[impl AsRef<str>]) -> Result<Self, DrawingError> {
        let grid: Vec<&[u8]> = rows.iter().map(|row| row.as_ref().as_bytes()).collect();
        if grid.len() != 8 || grid.iter().any(|row| row.len() != 8) {
            return Err(DrawingError::Size);
        }
        let mut pawns = BySeat::new(Bitboard::EMPTY, Bitboard::EMPTY);
        for square in !Bitboard::EMPTY {
            match grid[usize::from(square.row)][usize::from(square.column)] {
                b'W' => pawns.first |= Bitboard::of(square),
                b'B' => pawns.second |= Bitboard::of(square),
                b'.' => {}
                _ => return Err(DrawingError::Character { square, expected: "W, B or ." }),
            }
        }
        if pawns.first.len() > PAWNS || pawns.second.len() > PAWNS {
            return Err(DrawingError::TooMany("ten pawns per side"));
        }
        Ok(Self::with(pawns))
    }

    /// The rows from top to bottom, in the form that [`from_rows`](Self::from_rows) takes.
    pub(crate) fn rows(&self) -> Vec<String> {
        let [white, black] = Seat::BOTH.map(|seat| self.pawns(seat));
        symbol_rows([(black, b'B'), (white, b'W')])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: [&str; 8] = [
        "........", "...BBBB.", "....BBB.", ".W...BB.", ".WW...B.", ".WWW....", ".WWWW...",
        "........",
    ];

    #[test]
    fn rows_round_trip() {
        assert_eq!(Board::START.rows(), START);
        assert_eq!(Board::from_rows(&START), Ok(Board::START));
    }

    #[test]
    fn wrong_drawings_are_refused_with_a_reason() {
        let refused = |row: &'static str| {
            let mut rows = START;
            rows[0] = row;
            Board::from_rows(&rows).expect_err("a refusal").to_string()
        };
        assert_eq!(refused("......."), "expected eight rows of eight characters");
        assert_eq!(refused("..X....."), "expected W, B or . on 2,0");
        assert_eq!(refused("W......."), "expected at most ten pawns per side");
        assert!(Board::from_rows(&START[1..]).is_err());
    }
}
