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

    /// Numbers the moves, in the order of [`for_each`](Starts::for_each).
    #[inline]
    pub(crate) fn numbered(self) -> NumberedMoves {
        NumberedMoves { starts: self, columns: ColumnCounts::of(self.0.map(|starts| starts.0)) }
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
        let (column, mut left) = self.columns.find(number)?;
        for from in union(self.starts.0) & Bitboard(column) {
            for (starts, way) in self.starts.0.iter().zip(&WAYS) {
                if starts.contains(from) {
                    if left == 0 {
                        return Some((from, *way));
                    }
                    left -= 1;
                }
            }
        }
        None
    }
}

/// Draws a number below `count`; `None` if it is 0.
#[inline]
pub(crate) fn draw(count: u32, rng: &mut (impl RngCore + ?Sized)) -> Option<u32> {
    (count > 0).then(|| rng.random_range(0..count))
}
