//! The options for points that the source leaves open, and the rules in force.

use super::board::EndCheck;
use serde::Deserialize;

/// The rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rules {
    /// W10: when to test for the end of the game on moves that shrink the board.
    pub end_check: EndCheck,
    /// W11: what happens when neither side can ever move again.
    pub mutual_block: MutualBlock,
    /// W11: the number of occurrences of a position that make a draw; 0 for never.
    pub repetition: u32,
    /// W11: the number of moves in the moving phase after which the game is a draw; 0 for no limit.
    pub max_moves: u32,
}

/// What happens when neither side can ever move again (W11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutualBlock {
    /// The game is a draw at once.
    Draw,
    /// Nothing: both sides keep passing.
    Off,
}

impl Rules {
    /// The reason why a game under these rules might never end, if there is one (W11).
    pub(super) fn endless(&self) -> Option<String> {
        (self.max_moves == 0 && self.repetition == 0).then(|| {
            "with max-moves=0 and repetition=0 a game may never end (W11); set one of them"
                .to_owned()
        })
    }
}
