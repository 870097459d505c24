//! Actions and their text form.

use std::fmt;

use crate::board::Square;
use crate::point::Point;

/// An action of a seat. The actions of one position sort in the order of their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// Places a piece on an empty square (W2).
    Place(Square),
    /// Moves or jumps (W6).
    Move {
        /// The square where the piece stands.
        from: Square,
        /// The square where it goes.
        to: Square,
    },
    /// Forfeits the move, because there is none (W7).
    Pass,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place(square) => square.fmt(f),
            Self::Move { from, to } => write!(f, "{from}>{to}"),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// A text in the form of an action, whose squares may be off the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Place(Point),
    Move { from: Point, to: Point },
    Pass,
}

impl Written {
    /// Parses `text` strictly; `None` if it does not have the form of an action.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text == "pass" {
            return Some(Self::Pass);
        }
        match text.split_once('>') {
            None => Some(Self::Place(Point::read(text)?)),
            Some((from, to)) => Some(Self::Move { from: Point::read(from)?, to: Point::read(to)? }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_exact() {
        for text in ["3,4", "9,9", "0,0", "12,7", "99999999999999999999,1", "3,4>3,4", "pass"] {
            assert!(Written::read(text).is_some(), "{text}");
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
            assert!(Written::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn large_numbers_are_no_squares() {
        let Some(Written::Place(point)) = Written::read("256,7") else { panic!("a placement") };
        assert_eq!(point.square(), None);
    }
}
