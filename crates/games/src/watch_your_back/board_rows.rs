//! Boards as rows of characters: `W`, `B`, `.`, `X` for a corner, `#` for a removed square.

use super::board::{Board, PLACEMENTS};
use super::board_size::BoardSize;
use crate::drawn_board::{Symbols, render_board_symbols, squares_showing_symbol, symbol_rows};
use crate::two_player::{BySide, Side};

impl Board {
    /// The board with these rows after `ply` actions; `None` if no board has them. The number of
    /// actions determines the phase, the counts and the side to move.
    pub fn from_rows(rows: &[impl AsRef<str>], ply: u32) -> Option<Self> {
        let removed = squares_showing_symbol(rows, b'#');
        let size = BoardSize::ALL.into_iter().find(|size| !size.area() == removed)?;
        let pieces =
            BySide::new(squares_showing_symbol(rows, b'W'), squares_showing_symbol(rows, b'B'));
        let board = Self::from_pieces(pieces, ply, size);
        let has_rows = board.rows().iter().eq(rows.iter().map(AsRef::as_ref));
        let few = pieces.iter().all(|(_, pieces)| pieces.len() <= PLACEMENTS / 2);
        (has_rows && few).then_some(board)
    }

    /// The rows from top to bottom, in the form that [`from_rows`](Self::from_rows) takes.
    pub(crate) fn rows(&self) -> Vec<String> {
        symbol_rows(&self.symbols())
    }

    /// The characters of the rows.
    pub(crate) fn symbols(&self) -> Symbols {
        let (area, corners) = (self.size().area(), self.size().corners());
        let [white, black] = Side::BOTH.map(|seat| self.pieces(seat));
        render_board_symbols([(black, b'B'), (white, b'W'), (corners, b'X'), (!area, b'#')])
    }
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
    fn wrong_drawings_are_refused() {
        for (row, text) in [(3, "##...##"), (2, "##.WBX##"), (3, "##.?..##"), (1, "###.####")] {
            let mut rows = SMALL;
            rows[row] = text;
            assert_eq!(Board::from_rows(&rows, 216), None, "{text}");
        }
        assert_eq!(Board::from_rows(&SMALL[1..], 216), None);
        let crowded = [
            "X......X", "........", "WWWWWWWW", "WWWWW...", "........", "........", "........",
            "X......X",
        ];
        assert_eq!(Board::from_rows(&crowded, 24), None, "thirteen pieces");
    }
}
