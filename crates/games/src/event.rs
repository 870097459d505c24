//! The events of a game, as players and replays receive them.

use serde::Serialize;

use super::board::Square;
use super::seat::SeatMap;
use super::text::Text;

/// An event of a game. Seats are given by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A seat played an action.
    Action {
        /// The seat.
        by: Text,
        /// The action's canonical text.
        action: String,
        /// Whether the seat had no legal action, so that the referee passed for it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        forced: bool,
        /// Whether the action belongs to a given opening and was not chosen by the player.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        opening: bool,
        /// The other seat, if the action was played on its behalf.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        on_behalf_of: Option<Text>,
    },
    /// A die was rolled for a seat.
    Roll {
        /// The seat.
        seat: &'static str,
        /// The number on the die.
        value: u8,
    },
    /// The dice were rolled to decide who begins; equal numbers are rolled again.
    First {
        /// The numbers on the dice, the first seat's first.
        rolls: [u8; 2],
    },
    /// A piece captured pieces beside it.
    Captured {
        /// The squares where they stood, sorted by text.
        squares: Vec<Square>,
    },
    /// Pieces were removed from the board.
    Removed {
        /// The squares where they stood, sorted by text.
        squares: Vec<Square>,
        /// The cause.
        why: Why,
    },
    /// The board shrank.
    Shrink {
        /// The new side length of the board.
        size: u8,
        /// The squares of pieces that stood on the removed ring or on a new corner, sorted by text.
        removed: Vec<Square>,
    },
    /// The squares named by the two seats were placed as walls or refused.
    Walls {
        /// The squares that became walls, by row.
        placed: Vec<Square>,
        /// The squares that did not, by row.
        not_placed: Vec<NotPlaced>,
    },
    /// A piece could not go in the chosen direction and was redirected.
    Redirected {
        /// The seat of the piece.
        by: &'static str,
        /// The name of the piece.
        piece: &'static str,
        /// The chosen direction.
        from: &'static str,
        /// The direction in which it goes.
        to: &'static str,
    },
    /// A piece moved.
    Moved {
        /// The seat of the piece.
        by: &'static str,
        /// The name of the piece.
        piece: &'static str,
        /// The squares it entered, in order.
        path: Vec<Square>,
        /// The squares of the path that it did not capture, because an enemy was there.
        contested: Vec<Square>,
    },
    /// A round of a match ended.
    RoundEnd {
        /// The name of its board.
        board: String,
        /// The name of the winning seat, or `draw`.
        winner: &'static str,
        /// The reason.
        reason: &'static str,
        /// The number of squares of each seat.
        squares: SeatMap<u32>,
    },
    /// The next round of a match started.
    RoundStart {
        /// The name of its board.
        board: String,
        /// The board as rows.
        map: Vec<String>,
        /// The squares of the pieces.
        pieces: SeatMap<PieceSquares>,
    },
    /// The game ended.
    Over {
        /// The name of the winning seat, or `draw`.
        result: Text,
        /// The reason.
        reason: Text,
    },
}

/// A named square that did not become a wall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotPlaced {
    /// The square.
    pub square: Square,
    /// The ids of the clauses that kept it from being placed.
    pub clauses: Vec<&'static str>,
}

/// The squares of a seat's two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PieceSquares {
    /// The square of the circle.
    pub circle: Square,
    /// The square.
    pub square: Square,
}

/// The cause of a piece's removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Two enemies, or an enemy and a corner, on opposite sides after an arrival.
    Surrounded,
    /// A new corner on one side and an enemy on the other, after a shrink.
    Corner,
}
