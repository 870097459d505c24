//! Sets of squares on boards up to 15×15.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

use crate::board::{Direction, Square};

/// A set of squares. Each row has sixteen bits, of which a board uses at most fifteen. A step over
/// the side of the board lands in the sixteenth bit, which an intersection with the squares of the
/// board removes. The order of the bits is row by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Squares([u128; 2]);

/// Bits per row.
const ROW: u32 = 16;
/// Rows in each of the two words.
const ROWS: u8 = 8;

impl Squares {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 2]);

    /// The set with only this square, whose column and row must be below 15.
    pub const fn of(square: Square) -> Self {
        let bit = 1 << (ROW * (square.row % ROWS) as u32 + square.column as u32);
        if square.row < ROWS { Self([bit, 0]) } else { Self([0, bit]) }
    }

    /// All squares of a board of this size.
    pub fn board(width: u8, height: u8) -> Self {
        let row = |row| (0..width).map(move |column| Square::new(column, row));
        (0..height).flat_map(row).collect()
    }

    /// Returns whether the set contains this square.
    pub const fn contains(self, square: Square) -> bool {
        self.meets(Self::of(square))
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// Returns whether the two sets have a square in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0[0] & other.0[0] | self.0[1] & other.0[1] != 0
    }

    /// The number of squares.
    pub const fn len(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    /// Moves every square by one. Intersect the result with the squares of a board.
    #[must_use]
    pub const fn step(self, direction: Direction) -> Self {
        let [low, high] = self.0;
        Self(match direction {
            Direction::Up => [low >> ROW | high << (128 - ROW), high >> ROW],
            Direction::Down => [low << ROW, high << ROW | low >> (128 - ROW)],
            Direction::Left => [low >> 1, high >> 1],
            Direction::Right => [low << 1, high << 1],
        })
    }

    /// The squares that share a side with one of the set. Intersect the result with the squares of
    /// a board.
    #[must_use]
    pub const fn beside(self) -> Self {
        self.step(Direction::Up)
            .or(self.step(Direction::Down))
            .or(self.step(Direction::Left))
            .or(self.step(Direction::Right))
    }

    /// The squares that share a side or a corner with one of the set. Intersect the result with the
    /// squares of a board.
    #[must_use]
    pub const fn around(self) -> Self {
        let sides = self.step(Direction::Left).or(self.step(Direction::Right));
        let row = self.or(sides);
        row.step(Direction::Up).or(row.step(Direction::Down)).or(sides)
    }

    /// The part of `ground` that can be reached from the set, square by square. The set must be a
    /// subset of `ground`.
    #[must_use]
    pub fn flood(self, ground: Self) -> Self {
        let mut reached = self;
        loop {
            let next = (reached | reached.beside()) & ground;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Removes the first square from the set and returns it.
    pub fn pop(&mut self) -> Option<Square> {
        let word = usize::from(self.0[0] == 0);
        let bits = self.0[word];
        if bits == 0 {
            return None;
        }
        self.0[word] &= bits - 1;
        #[expect(clippy::cast_possible_truncation, reason = "a bit's number is below 128")]
        let (bit, first) = (bits.trailing_zeros() as u8, word as u8 * ROWS);
        Some(Square::new(bit % 16, first + bit / 16))
    }

    /// Iterates over the squares row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut left = self;
        std::iter::from_fn(move || left.pop())
    }

    const fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl fmt::Debug for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.iter().map(|square| square.to_string());
        f.debug_set().entries(texts).finish()
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

impl BitAnd for Squares {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitOr for Squares {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.or(other)
    }
}

impl BitOrAssign for Squares {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Sub for Squares {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

impl SubAssign for Squares {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_come_row_by_row() {
        let all: Vec<_> = Squares::board(15, 15).iter().collect();
        assert_eq!(all.len(), 225);
        assert!(all.is_sorted_by_key(|square| (square.row, square.column)));
    }

    #[test]
    fn steps_and_neighbours_stay_on_the_board() {
        let board = Squares::board(15, 15);
        for square in board.iter() {
            let near = |other: Square| {
                (square.column.abs_diff(other.column), square.row.abs_diff(other.row))
            };
            let expect = |fits: fn((u8, u8)) -> bool| -> Squares {
                board.iter().filter(|other| fits(near(*other))).collect()
            };
            let set = Squares::of(square);
            assert_eq!(set.beside() & board, expect(|(x, y)| x + y == 1));
            assert_eq!(set.around() & board, expect(|(x, y)| x.max(y) == 1));
        }
        for direction in Direction::ALL {
            let back = (board.step(direction) & board).step(direction.opposite()) & board;
            assert_eq!(back.len(), 15 * 14);
        }
    }

    #[test]
    fn a_flood_stops_at_the_edge_of_the_ground() {
        let wall: Squares = (0..15).map(|row| Square::new(7, row)).collect();
        let ground = Squares::board(15, 15) - wall;
        assert_eq!(Squares::of(Square::new(0, 0)).flood(ground), Squares::board(7, 15));
    }
}
