//! Moves in straight lines on the 8×8 board, as sets of squares.

use rand::{Rng, RngCore};

use super::board::{Bitboard, Direction, Square, WAYS, union};
use super::column_counts::ColumnCounts;

/// For each direction, in the order of [`WAYS`], the squares where a move in this
/// direction starts. How far a move goes follows from the rules of the game.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Starts(pub(crate) [Bitboard; 4]);

impl Starts {
    /// The number of moves.
    #[inline]
    pub(crate) fn count(self) -> u32 {
        let [one, two, three, four] = self.0;
        one.len() + two.len() + three.len() + four.len()
    }

    /// Returns whether no piece can move.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        union(self.0).is_empty()
    }

    /// Numbers the moves, in the order of [`for_each`](Starts::for_each).
    #[inline]
    pub(crate) fn numbered(self) -> NumberedMoves {
        NumberedMoves { starts: self, columns: ColumnCounts::of(self.0.map(|starts| starts.0)) }
    }

    /// Calls `each` with the moves, direction by direction: the square where it starts, as a set,
    /// and the direction.
    #[inline]
    pub(crate) fn each(self, mut each: impl FnMut(Bitboard, Direction)) {
        for (starts, way) in self.0.into_iter().zip(WAYS) {
            for from in starts.singles() {
                each(from, way);
            }
        }
    }

    /// Calls `each` with the moves, sorted by the squares where they start, then by those where
    /// they end.
    #[inline]
    pub(crate) fn for_each(self, mut each: impl FnMut(Square, Direction)) {
        for from in union(self.0) {
            for (starts, way) in self.0.iter().zip(&WAYS) {
                if starts.contains(from) {
                    each(from, *way);
                }
            }
        }
    }
}

/// Moves with numbers, from 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberedMoves {
    starts: Starts,
    columns: ColumnCounts,
}

impl NumberedMoves {
    /// The number of moves.
    #[inline]
    pub(crate) const fn count(self) -> u32 {
        self.columns.count()
    }

    /// The move with this number: where it starts and goes.
    #[inline]
    pub(crate) fn nth(self, number: u32) -> Option<(Square, Direction)> {
        let (column, left) = self.columns.find(number)?;
        // Bit `4 * row + index of the way` stands for a move that starts in the column.
        let mut moves = 0;
        for (index, starts) in self.starts.0.into_iter().enumerate() {
            let rows = starts.0.to_le_bytes()[usize::from(column)];
            moves |= SPREAD[usize::from(rows)] << index;
        }
        for _ in 0..left {
            moves &= moves - 1;
        }
        let first = u8::try_from(moves.trailing_zeros()).ok()?;
        Some((Square::new(column, first / 4), WAYS[usize::from(first % 4)]))
    }
}

/// The bits of each byte, four times as far apart.
const SPREAD: [u32; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                spread[byte] |= 1 << (4 * bit);
            }
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// Draws a number below `count`; `None` if it is 0.
#[inline]
pub(crate) fn draw(count: u32, rng: &mut (impl RngCore + ?Sized)) -> Option<u32> {
    (count > 0).then(|| rng.random_range(0..count))
}
