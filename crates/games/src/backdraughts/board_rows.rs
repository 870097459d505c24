//! Boards as rows of characters: `W`, `B` and `.`.

use super::board::{Board, PAWNS};
use crate::drawn_board::{Symbols, render_board_symbols, squares_showing_symbol, symbol_rows};
use crate::two_player::{BySide, Side};

impl Board {
    /// The board with these rows; `None` if no board has them.
    pub fn from_rows(rows: &[impl AsRef<str>]) -> Option<Self> {
        let board = Self::from_pawns(BySide::new(
            squares_showing_symbol(rows, b'W'),
            squares_showing_symbol(rows, b'B'),
        ));
        let has_rows = board.rows().iter().eq(rows.iter().map(AsRef::as_ref));
        let few = Side::BOTH.iter().all(|&seat| board.pawns(seat).len() <= PAWNS);
        (has_rows && few).then_some(board)
    }

    /// The rows from top to bottom, in the form that [`from_rows`](Self::from_rows) takes.
    pub(crate) fn rows(&self) -> Vec<String> {
        symbol_rows(&self.symbols())
    }

    /// The characters of the rows.
    pub(crate) fn symbols(&self) -> Symbols {
        let [white, black] = Side::BOTH.map(|seat| self.pawns(seat));
        render_board_symbols([(black, b'B'), (white, b'W')])
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
        assert_eq!(Board::from_rows(&START), Some(Board::START));
    }

    #[test]
    fn wrong_drawings_are_refused() {
        for row in [".......", "..X.....", "W......."] {
            let mut rows = START;
            rows[0] = row;
            assert_eq!(Board::from_rows(&rows), None, "{row}");
        }
        assert_eq!(Board::from_rows(&START[1..]), None);
    }
}
