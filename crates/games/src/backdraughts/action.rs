//! Actions with their text form, and the results of the dice.

use std::fmt;

use crate::board::{Square, write_board_move};
use crate::point::{Point, split_point_text};
use crate::two_player::BySide;

/// An action of a seat. The actions of one position sort in the order of their texts.
///
/// `S` is the type of its squares. Only an action that is parsed from text and not yet checked has
/// another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action<S = Square> {
    /// Moves a pawn (B3, B11).
    Move {
        /// The square where the pawn stands.
        from: S,
        /// The square where it goes.
        to: S,
    },
    /// Captures every enemy beside the pawn on this square (B6).
    Capture(S),
    /// Declines to play an action that the other seat overlooked (B8).
    Decline,
    /// Passes, because no action is legal (B7) or one is overlooked (B8).
    Pass,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { from, to } => write_board_move(f, *from, *to),
            Self::Capture(square) => write!(f, "capture {square}"),
            Self::Decline => f.write_str("decline"),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// A roll of the referee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Chance {
    /// The number for the seat on turn (B1).
    Roll(u8),
    /// A number for each seat; the higher one begins (B2).
    First(BySide<u8>),
}

impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll(value) => write!(f, "roll {value}"),
            Self::First(BySide { first, second }) => write!(f, "roll {first} {second}"),
        }
    }
}

impl Action<Point> {
    /// Parses `text` strictly; `None` if it does not have the form of an action. The squares may be
    /// off the board.
    pub(super) fn read(text: &str) -> Option<Self> {
        if let Some(square) = text.strip_prefix("capture ") {
            return Some(Self::Capture(Point::read(square)?));
        }
        match text {
            "pass" => Some(Self::Pass),
            "decline" => Some(Self::Decline),
            _ => {
                let (from, to) = split_point_text(text, b'>')?;
                Some(Self::Move { from: Point::read(from)?, to: Point::read(to)? })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_texts_are_exact() {
        for text in ["3,4>3,4", "9,9>300,1", "capture 0,0", "capture 9,9", "pass", "decline"] {
            assert!(Action::read(text).is_some(), "{text}");
        }
        let bad = [
            "",
            "3,4",
            "3,4>",
            "3,4>3,5>3,6",
            "3,4 > 3,5",
            "03,4>3,5",
            "capture",
            "capture ",
            "capture  3,4",
            "capture 3,4>3,5",
            "Capture 3,4",
            "declined",
            "Pass",
            "roll 4",
        ];
        for text in bad {
            assert!(Action::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_texts() {
        let at = Square::new;
        let actions = [
            Action::Move { from: at(0, 7), to: at(7, 7) },
            Action::Move { from: at(1, 0), to: at(0, 0) },
            Action::Capture(at(0, 0)),
            Action::Decline,
            Action::Pass,
        ];
        assert!(actions.is_sorted());
        assert!(actions.map(|action| action.to_string()).is_sorted());
    }
}
