//! Actions and their text form.

use std::fmt;

use crate::board::{Square, write_board_move};
use crate::point::{Point, split_point_text};

/// An action of a seat. The actions of one position sort in the order of their texts.
///
/// `S` is the type of its squares. Only an action that is parsed from text and not yet checked has
/// another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action<S = Square> {
    /// Places a piece on an empty square (W2).
    Place(S),
    /// Moves or jumps (W6).
    Move {
        /// The square where the piece stands.
        from: S,
        /// The square where it goes.
        to: S,
    },
    /// Forfeits the move, because none is legal (W7).
    Pass,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(f),
            Self::Move { from, to } => write_board_move(f, *from, *to),
            Self::Pass => f.write_str("pass"),
        }
    }
}

impl Action<Point> {
    /// Parses `text` strictly; `None` if it does not have the form of an action. The squares may be
    /// off the board.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text == "pass" {
            return Some(Self::Pass);
        }
        match split_point_text(text, b'>') {
            None => Some(Self::Place(Point::read(text)?)),
            Some((from, to)) => Some(Self::Move { from: Point::read(from)?, to: Point::read(to)? }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_texts_are_exact() {
        for text in ["3,4", "9,9", "0,0", "12,7", "99999999999999999999,1", "3,4>3,4", "pass"] {
            assert!(Action::read(text).is_some(), "{text}");
        }
        let bad = [
            "",
            ",",
            "3",
            "3,",
            ",4",
            "-1,3",
            "+1,3",
            "03,4",
            "3,00",
            "3, 4",
            " 3,4",
            "3;4",
            "3,4>",
            "3,4>3",
            "3,4>3,5>3,6",
            "3,4 > 3,5",
            "Pass",
            "passes",
            "-",
            "3,4,5",
            "٣,4",
        ];
        for text in bad {
            assert!(Action::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn large_numbers_are_not_squares() {
        let Some(Action::Place(point)) = Action::read("256,7") else { panic!("a placement") };
        assert_eq!(point.square(), None);
    }
}
