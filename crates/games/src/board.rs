//! Squares of a board, directions, and bitboards.

use std::borrow::Cow;
use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Sub, SubAssign};
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A square: column and row count from zero at the top left, rows downwards. Squares sort by
/// column, then row, which is the order of their texts on the board sizes in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square {
    /// The column.
    pub column: u8,
    /// The row.
    pub row: u8,
}

impl Square {
    /// The square in this column and row.
    pub const fn new(column: u8, row: u8) -> Self {
        Self { column, row }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.column, self.row)
    }
}

/// Writes a move on a board with at most ten columns and rows, faster than number by number: moves
/// are most of a list of legal actions.
pub(crate) fn write_board_move(
    f: &mut fmt::Formatter<'_>,
    from: Square,
    to: Square,
) -> fmt::Result {
    let digit = |number: u8| b'0' + number;
    let [one, two] = [from, to].map(|square| [digit(square.column), b',', digit(square.row)]);
    let text = [one[0], one[1], one[2], b'>', two[0], two[1], two[2]];
    f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
}

impl Serialize for Square {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Self, NotASquare> {
        let (column, row) = text.split_once(',').ok_or(NotASquare)?;
        let number = |text: &str| text.parse().map_err(|_| NotASquare);
        Ok(Self::new(number(column)?, number(row)?))
    }
}

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A text that is not a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a square as `column,row`")]
pub struct NotASquare;

/// One of the four directions along a row or a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// Towards row 0.
    Up,
    /// Towards the last row.
    Down,
    /// Towards column 0.
    Left,
    /// Towards the last column.
    Right,
}

/// The directions in the order of the squares to which they lead from a square.
pub(crate) const WAYS: [Direction; 4] =
    [Direction::Left, Direction::Up, Direction::Down, Direction::Right];

impl Direction {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    /// The letter of the direction in texts.
    pub(crate) const fn letter(self) -> &'static str {
        match self {
            Self::Up => "U",
            Self::Down => "D",
            Self::Left => "L",
            Self::Right => "R",
        }
    }

    /// The direction that `letter` stands for.
    pub(crate) fn from_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.letter() == letter)
    }

    /// The opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// A set of squares of the 8×8 board. Bit `8 * column + row` stands for a square, so the order of
/// the bits is the order of the squares' texts. In JSON, a hexadecimal text: not all languages read
/// numbers of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

impl Serialize for Bitboard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Bitboard {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map(Self).map_err(de::Error::custom)
    }
}

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The set of all 64 squares.
    pub(crate) const WHOLE: Self = Self(!0);

    const TOP_ROW: u64 = 0x0101_0101_0101_0101;
    const BOTTOM_ROW: u64 = Self::TOP_ROW << 7;

    /// The set with only this square, which must be on the 8×8 board.
    pub const fn from_square(square: Square) -> Self {
        Self(1 << (8 * square.column + square.row))
    }

    /// The rectangle of these columns and rows, ends included, all below 8.
    pub const fn rectangle(columns: (u8, u8), rows: (u8, u8)) -> Self {
        let mut bits = 0;
        let mut column = columns.0;
        while column <= columns.1 {
            let mut row = rows.0;
            while row <= rows.1 {
                bits |= Self::from_square(Square::new(column, row)).0;
                row += 1;
            }
            column += 1;
        }
        Self(bits)
    }

    /// Returns whether the set contains this square.
    pub const fn contains(self, square: Square) -> bool {
        self.0 & Self::from_square(square).0 != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the two sets have a square in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether the set has at least two squares.
    pub(crate) const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The number of squares, 0 to 64.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Moves every square by one and drops those that leave the 8×8 board.
    #[must_use]
    #[inline]
    pub const fn step(self, direction: Direction) -> Self {
        Self(match direction {
            Direction::Up => (self.0 & !Self::TOP_ROW) >> 1,
            Direction::Down => (self.0 & !Self::BOTTOM_ROW) << 1,
            Direction::Left => self.0 >> 8,
            Direction::Right => self.0 << 8,
        })
    }

    /// Iterates over the squares in the order of their texts.
    pub fn iter(self) -> BitboardIter {
        BitboardIter(self.0)
    }
}

/// The squares that share a side with one of these.
#[inline]
pub(crate) fn bitboard_neighbours(squares: Bitboard) -> Bitboard {
    bitboard_union(WAYS.map(|way| squares.step(way)))
}

/// The union of four sets.
#[inline]
pub(crate) const fn bitboard_union([one, two, three, four]: [Bitboard; 4]) -> Bitboard {
    Bitboard(one.0 | two.0 | three.0 | four.0)
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = BitboardIter;
    fn into_iter(self) -> BitboardIter {
        self.iter()
    }
}

/// An iterator over the squares of a [`Bitboard`] in the order of their texts.
#[derive(Debug, Clone)]
pub struct BitboardIter(u64);

impl Iterator for BitboardIter {
    type Item = Square;

    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a bit's number is below 64")]
        let bit = self.0.trailing_zeros() as u8;
        self.0 &= self.0 - 1;
        Some(Square::new(bit / 8, bit % 8))
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Sub for Bitboard {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl SubAssign for Bitboard {
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl Not for Bitboard {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_come_in_the_order_of_their_texts() {
        let texts: Vec<_> = (!Bitboard::EMPTY).iter().map(|square| square.to_string()).collect();
        assert_eq!(texts.len(), 64);
        assert!(texts.is_sorted());
    }

    #[test]
    fn steps_over_the_edge_leave_the_board() {
        let rectangle = Bitboard::rectangle((0, 7), (0, 7));
        for direction in Direction::ALL {
            assert_eq!(rectangle.step(direction).len(), 56);
            let back = rectangle.step(direction).step(direction.opposite());
            assert_eq!(back.len(), 56);
        }
        let at = |column, row| Bitboard::from_square(Square::new(column, row));
        assert_eq!(at(3, 4).step(Direction::Up), at(3, 3));
        assert_eq!(at(3, 4).step(Direction::Right), at(4, 4));
        assert_eq!(at(3, 0).step(Direction::Up), Bitboard::EMPTY);
        assert_eq!(at(7, 3).step(Direction::Right), Bitboard::EMPTY);
    }
}
