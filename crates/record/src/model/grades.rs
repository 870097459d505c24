//! The rules that turn ranks and scores into marks.

use serde::{Deserialize, Serialize};

/// The marks of a tournament. A player's mark is the sum of both parts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    /// Marks for the rank. The first entry that the player's best possible rank reaches counts.
    pub ranks: Vec<RankMark>,
    /// Marks for scores against single players, usually built-in ones. Every entry that is reached
    /// counts.
    pub against: Vec<ScoreMark>,
    /// The total mark of a player that failed the check, is quarantined, or finished no game
    /// without a fault of its own.
    pub failed: f64,
    /// People who handed in no player. They get the marks of one that failed.
    pub absent: Vec<String>,
    /// Players that get no marks: built-in players, and anchors of any kind.
    pub exempt: Vec<String>,
}

/// Marks for this rank or a better one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankMark {
    /// The rank, from 1.
    pub rank: u32,
    /// The marks.
    pub marks: f64,
}

/// Marks for a score against a given player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreMark {
    /// The opponent.
    pub player: String,
    /// The least share of the points, 0 to 1.
    pub score: f64,
    /// The marks.
    pub marks: f64,
}
