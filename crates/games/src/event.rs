//! What happened in a game, in order, as players and replays are told it.

use serde::Serialize;

use super::board::Square;
use super::seat::SeatMap;
use super::text::Text;

/// One thing that happened. Seats are given by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A seat played an action.
    Action {
        /// The seat.
        by: Text,
        /// The action's canonical text.
        action: String,
        /// The seat had no legal action and passed by the referee's hand.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        forced: bool,
        /// The action belongs to the opening that was given, not to the player.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        opening: bool,
        /// The other seat, for which it was played.
        #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
        on_behalf_of: Option<Text>,
    },
    /// The die of a seat was rolled.
    Roll {
        /// The seat.
        seat: &'static str,
        /// What the die shows.
        value: u8,
    },
    /// The dice were rolled for who begins; equal ones are rolled again.
    First {
        /// What they show, the first seat's first.
        rolls: [u8; 2],
    },
    /// Pieces left the board by the action of a piece beside them.
    Captured {
        /// Where they stood, sorted by text.
        squares: Vec<Square>,
    },
    /// Pieces left the board.
    Removed {
        /// Where they stood, sorted by text.
        squares: Vec<Square>,
        /// What took them.
        why: Why,
    },
    /// The board shrank.
    Shrink {
        /// The side of the board that is left.
        size: u8,
        /// Where pieces went with the ring or stood on a new corner, sorted by text.
        removed: Vec<Square>,
    },
    /// Squares that both seats named were placed as walls, or not.
    Walls {
        /// What became walls, by row.
        placed: Vec<Square>,
        /// What did not, by row.
        not_placed: Vec<NotPlaced>,
    },
    /// A piece could not go where it was sent and goes another way.
    Redirected {
        /// Whose piece.
        by: &'static str,
        /// Which piece.
        piece: &'static str,
        /// The direction it was sent.
        from: &'static str,
        /// The direction it goes.
        to: &'static str,
    },
    /// A piece moved.
    Moved {
        /// Whose piece.
        by: &'static str,
        /// Which piece.
        piece: &'static str,
        /// The squares it entered, in order.
        path: Vec<Square>,
        /// Those of them that it did not capture, because an enemy was there.
        contested: Vec<Square>,
    },
    /// A round of a match ended.
    RoundEnd {
        /// The name of its board.
        board: String,
        /// The name of the winning seat, or `draw`.
        winner: &'static str,
        /// Why.
        reason: &'static str,
        /// The squares of each seat.
        squares: SeatMap<u32>,
    },
    /// The next round of a match started.
    RoundStart {
        /// The name of its board.
        board: String,
        /// The board as rows.
        map: Vec<String>,
        /// Where the pieces stand.
        pieces: SeatMap<Standing>,
    },
    /// The game ended.
    Over {
        /// The name of the winning seat, or `draw`.
        result: Text,
        /// Why.
        reason: Text,
    },
}

/// A square that was named and did not become a wall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotPlaced {
    /// The square.
    pub square: Square,
    /// The ids of the clauses that kept it from being placed.
    pub clauses: Vec<&'static str>,
}

/// Where the two pieces of a seat stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The circle.
    pub circle: Square,
    /// The square.
    pub square: Square,
}

/// What removed a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Two enemies, or an enemy and a corner, on opposite sides after an arrival.
    Surrounded,
    /// A new corner on one side and an enemy on the other, after a shrink.
    Corner,
}
