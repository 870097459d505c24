//! The three sizes of the board.

use serde::{Deserialize, Serialize};

use crate::board::{Bitboard, Square};
use crate::two_player::Side;

/// The size of the board, after 0, 1 or 2 shrinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BoardSize {
    /// 8×8, the whole board.
    Full,
    /// 6×6, after the first shrink.
    Middle,
    /// 4×4, after the second shrink.
    Small,
}

/// The corners in the order in which a shrink makes them (W8), by size.
const CORNERS: [[Square; 4]; 3] = [corners_at_ring(0), corners_at_ring(1), corners_at_ring(2)];
const CORNER_SETS: [Bitboard; 3] =
    [corner_set(CORNERS[0]), corner_set(CORNERS[1]), corner_set(CORNERS[2])];
const AREAS: [Bitboard; 3] = [area_within_ring(0), area_within_ring(1), area_within_ring(2)];
const ZONES: [Bitboard; 2] = [
    Bitboard::rectangle((0, 7), placement_zone_rows(Side::First)),
    Bitboard::rectangle((0, 7), placement_zone_rows(Side::Second)),
];

impl BoardSize {
    /// Every size, the largest first.
    pub(crate) const ALL: [Self; 3] = [Self::Full, Self::Middle, Self::Small];

    /// The side of the board: 8, 6 or 4.
    pub(crate) const fn side(self) -> u8 {
        match self {
            Self::Full => 8,
            Self::Middle => 6,
            Self::Small => 4,
        }
    }

    /// The size after a shrink; the small board stays unchanged.
    #[must_use]
    pub(crate) const fn shrunk(self) -> Self {
        match self {
            Self::Full => Self::Middle,
            Self::Middle | Self::Small => Self::Small,
        }
    }

    /// All squares that are left, corners included.
    pub const fn area(self) -> Bitboard {
        AREAS[self as usize]
    }

    /// The four corners as a set (W1).
    pub const fn corners(self) -> Bitboard {
        CORNER_SETS[self as usize]
    }

    /// The four corners in the order of W8: top left, bottom left, bottom right, top right.
    pub(crate) const fn corners_in_order(self) -> [Square; 4] {
        CORNERS[self as usize]
    }
}

/// The first and the last row where `seat` may place (W2).
pub(super) const fn placement_zone_rows(seat: Side) -> (u8, u8) {
    match seat {
        Side::First => (0, 5),
        Side::Second => (2, 7),
    }
}

/// The squares of the rows where `seat` may place (W2). The corners are included, although placing
/// there is forbidden.
pub const fn placement_zone(seat: Side) -> Bitboard {
    ZONES[seat as usize]
}

const fn corners_at_ring(low: u8) -> [Square; 4] {
    let high = 7 - low;
    [Square::new(low, low), Square::new(low, high), Square::new(high, high), Square::new(high, low)]
}

const fn corner_set(squares: [Square; 4]) -> Bitboard {
    let [a, b, c, d] = squares;
    Bitboard(
        Bitboard::from_square(a).0
            | Bitboard::from_square(b).0
            | Bitboard::from_square(c).0
            | Bitboard::from_square(d).0,
    )
}

const fn area_within_ring(low: u8) -> Bitboard {
    Bitboard::rectangle((low, 7 - low), (low, 7 - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_their_sides() {
        for size in BoardSize::ALL {
            assert_eq!(size.area().len(), u32::from(size.side()).pow(2));
            assert_eq!((size.area() & size.corners()).len(), 4);
        }
    }

    #[test]
    fn corners_come_in_the_order_of_w8() {
        let texts = |size: BoardSize| size.corners_in_order().map(|square| square.to_string());
        assert_eq!(texts(BoardSize::Middle), ["1,1", "1,6", "6,6", "6,1"]);
        assert_eq!(texts(BoardSize::Small), ["2,2", "2,5", "5,5", "5,2"]);
    }
}
