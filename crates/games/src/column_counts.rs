//! Finds the square with a given number in sets of squares, column by column. The sets are the bits
//! of a [`Bitboard`](crate::board::Bitboard), one byte per column.

/// The number of squares in each column and all columns before it, one byte each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColumnCounts(u64);

/// A 1 in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;

impl ColumnCounts {
    /// Counts the squares of these sets, at most 127 together.
    #[inline]
    pub(crate) fn of<const SETS: usize>(sets: [u64; SETS]) -> Self {
        let by_column: u64 = sets.into_iter().map(by_column).sum();
        // Each byte of the product is the sum of the bytes up to it.
        Self(by_column.wrapping_mul(EACH))
    }

    /// The number of squares in all columns.
    #[inline]
    pub(crate) const fn count(self) -> u32 {
        (self.0 >> 56) as u32
    }

    /// The column of the square with this number, counted from 0, and its number in that column.
    #[inline]
    pub(crate) fn find(self, number: u32) -> Option<(u8, u32)> {
        if number >= self.count() {
            return None;
        }
        // All bytes are compared at once: the highest bit stays where one is greater than `number`.
        let greater = ((self.0 | (128 * EACH)) - (u64::from(number) + 1) * EACH) & (128 * EACH);
        let first_bit = greater.trailing_zeros() - 7;
        let before = self.0 << 8 >> first_bit & 0xff;
        Some((u8::try_from(first_bit / 8).ok()?, number - before as u32))
    }
}

/// The number of squares in each column, one byte each.
#[inline]
const fn by_column(set: u64) -> u64 {
    // Counts in groups of two, four and eight bits.
    let twos = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}
