//! Sets of squares on boards up to 15×15.

use std::borrow::Cow;
use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::board::{Direction, Square};

/// A set of squares. Each row has sixteen bits; a board uses at most fifteen. A step over
/// the side of the board lands in the sixteenth bit, which an intersection with the squares of the
/// board removes. The order of the bits is row by row. In JSON, a hexadecimal text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Squares([u64; 4]);

/// Bits per row.
const ROW: u32 = 16;
/// Rows in each of the four words.
const ROWS: u8 = 4;

impl Serialize for Squares {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [one, two, three, four] = self.0;
        serializer.collect_str(&format_args!("{one:x}.{two:x}.{three:x}.{four:x}"))
    }
}

impl<'de> Deserialize<'de> for Squares {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let words: Result<Vec<u64>, _> =
            text.split('.').map(|word| u64::from_str_radix(word, 16)).collect();
        let words = words.map_err(de::Error::custom)?;
        let four = |_| de::Error::custom("expected four words");
        words.try_into().map(Self).map_err(four)
    }
}

impl Squares {
    /// The empty set.
    pub const EMPTY: Self = Self([0; 4]);

    /// The set with only this square, whose column and row must be below 15.
    #[inline]
    pub const fn from_square(square: Square) -> Self {
        let mut words = [0; 4];
        words[square_word_index(square)] = square_bit_mask(square);
        Self(words)
    }

    /// All squares of a board of this size.
    pub(crate) fn whole_board(width: u8, height: u8) -> Self {
        let row = |row| (0..width).map(move |column| Square::new(column, row));
        (0..height).flat_map(row).collect()
    }

    /// Returns whether the set contains this square.
    #[inline]
    pub(crate) const fn contains(self, square: Square) -> bool {
        self.0[square_word_index(square)] & square_bit_mask(square) != 0
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// Returns whether the two sets have a square in common.
    #[inline]
    pub(crate) fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// The number of squares.
    #[inline]
    pub fn len(self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }

    /// Moves every square by one. Intersect the result with the squares of a board.
    #[must_use]
    #[inline]
    pub(crate) const fn step(self, direction: Direction) -> Self {
        let [one, two, three, four] = self.0;
        Self(match direction {
            Direction::Up => [
                one >> ROW | two << (64 - ROW),
                two >> ROW | three << (64 - ROW),
                three >> ROW | four << (64 - ROW),
                four >> ROW,
            ],
            Direction::Down => [
                one << ROW,
                two << ROW | one >> (64 - ROW),
                three << ROW | two >> (64 - ROW),
                four << ROW | three >> (64 - ROW),
            ],
            Direction::Left => [one >> 1, two >> 1, three >> 1, four >> 1],
            Direction::Right => [one << 1, two << 1, three << 1, four << 1],
        })
    }

    /// The squares that share a side with one of the set. Intersect the result with the squares of
    /// a board.
    #[must_use]
    #[inline]
    pub(crate) fn side_neighbours(self) -> Self {
        Direction::ALL.into_iter().fold(Self::EMPTY, |all, way| all | self.step(way))
    }

    /// The squares that share a side or a corner with one of the set. Intersect the result with the
    /// squares of a board.
    #[must_use]
    pub(crate) fn all_neighbours(self) -> Self {
        let sides = self.step(Direction::Left) | self.step(Direction::Right);
        let row = self | sides;
        row.step(Direction::Up) | row.step(Direction::Down) | sides
    }

    /// The part of `ground` that can be reached from the set, square by square. The set must be a
    /// subset of `ground`.
    #[must_use]
    pub(crate) fn flood(self, ground: Self) -> Self {
        let mut reached = self;
        loop {
            let row = reached | reached.step(Direction::Left) | reached.step(Direction::Right);
            let row = row & ground;
            let more = row | row.step(Direction::Up) | row.step(Direction::Down);
            let more = more & ground;
            if more == reached {
                return reached;
            }
            reached = more;
        }
    }

    /// Removes the first square from the set and returns it.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Square> {
        let (word, bits) = (0..).zip(&mut self.0).find(|(_, bits)| **bits != 0)?;
        #[expect(clippy::cast_possible_truncation, reason = "a bit's number is below 64")]
        let bit = bits.trailing_zeros() as u8;
        *bits &= *bits - 1;
        Some(Square::new(bit % 16, word * ROWS + bit / 16))
    }

    /// Iterates over the squares row by row.
    pub fn iter(self) -> impl Iterator<Item = Square> {
        let mut left = self;
        std::iter::from_fn(move || left.pop())
    }

    /// Combines the two sets word by word.
    #[inline]
    fn combine_words(self, other: Self, combine: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }
}

const fn square_word_index(square: Square) -> usize {
    (square.row / ROWS) as usize
}

const fn square_bit_mask(square: Square) -> u64 {
    1 << (ROW * (square.row % ROWS) as u32 + square.column as u32)
}

impl fmt::Debug for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.iter().map(|square| square.to_string());
        f.debug_set().entries(texts).finish()
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | Self::from_square(square))
    }
}

impl BitAnd for Squares {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.combine_words(other, |one, other| one & other)
    }
}

impl BitOr for Squares {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.combine_words(other, |one, other| one | other)
    }
}

impl BitOrAssign for Squares {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl Sub for Squares {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.combine_words(other, |one, other| one & !other)
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
        let all: Vec<_> = Squares::whole_board(15, 15).iter().collect();
        assert_eq!(all.len(), 225);
        assert!(all.is_sorted_by_key(|square| (square.row, square.column)));
    }

    #[test]
    fn steps_and_neighbours_stay_on_the_board() {
        let board = Squares::whole_board(15, 15);
        for square in board.iter() {
            let near = |other: Square| {
                (square.column.abs_diff(other.column), square.row.abs_diff(other.row))
            };
            let expect = |fits: fn((u8, u8)) -> bool| -> Squares {
                board.iter().filter(|other| fits(near(*other))).collect()
            };
            let set = Squares::from_square(square);
            assert_eq!(set.side_neighbours() & board, expect(|(x, y)| x + y == 1));
            assert_eq!(set.all_neighbours() & board, expect(|(x, y)| x.max(y) == 1));
        }
        for direction in Direction::ALL {
            let back = (board.step(direction) & board).step(direction.opposite()) & board;
            assert_eq!(back.len(), 15 * 14);
        }
    }

    #[test]
    fn flood_fill_stays_on_the_ground() {
        let wall: Squares = (0..15).map(|row| Square::new(7, row)).collect();
        let ground = Squares::whole_board(15, 15) - wall;
        assert_eq!(
            Squares::from_square(Square::new(0, 0)).flood(ground),
            Squares::whole_board(7, 15)
        );
    }
}
