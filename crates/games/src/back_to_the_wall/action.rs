//! A player's submission and its text form.

use std::fmt;

use super::map::{ByPiece, Piece};
use super::squares::Squares;
use crate::board::Direction;
use crate::point::Point;

/// A submission: a direction for each own piece, and the squares named as walls (T10). The squares
/// are a set, so their order in the text does not matter.
///
/// `W` is the type of the named squares. Only an action that is parsed from text and not yet
/// checked has another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action<W = Squares> {
    /// The directions of the two pieces.
    pub directions: ByPiece<Direction>,
    /// The named squares, as many as the board demands.
    pub walls: W,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [circle, square] = Piece::BOTH.map(|piece| self.directions[piece].letter());
        write!(f, "{circle} {square}")?;
        self.walls.iter().try_for_each(|wall| write!(f, " {wall}"))
    }
}

impl Action<Vec<Point>> {
    /// Parses `text` strictly: two directions, then any squares; `None` if it does not have the
    /// form of a submission. The squares may be off the board.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let mut direction = || words.next().and_then(Direction::from_letter);
        let directions = ByPiece { circle: direction()?, square: direction()? };
        let walls = words.map(Point::read).collect::<Option<_>>()?;
        Some(Self { directions, walls })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_texts_are_exact() {
        for text in ["R U 3,5", "L L 3,5 3,5", "D U", "U D 99,0 1,1 2,2 3,3", "U U 999,1"] {
            assert!(Action::read(text).is_some(), "{text}");
        }
        let bad = [
            "",
            "R",
            "RU 3,5",
            "r U 3,5",
            "R  U 3,5",
            "R U 3,5 ",
            "R U 03,5",
            "R U 3, 5",
            "R U +3,5",
            "R U 3,5,1",
            "R U 3",
            "R U 3,5;4,4",
            "X U 3,5",
            "3,5 R U",
            "R U\t3,5",
        ];
        for text in bad {
            assert!(Action::read(text).is_none(), "{text}");
        }
    }
}
