//! What turns a place or a score into marks.

/// The marks that a tournament gives. A player that plays has the sum of both parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Grades {
    /// For the rank: the first line that the player's best possible rank reaches counts.
    pub ranks: Vec<RankMark>,
    /// For the score against a player, usually one of the house: every line that is met counts.
    pub against: Vec<ScoreMark>,
    /// All marks of a player that failed the check, is quarantined, or finished no game without a
    /// fault of its own.
    pub failed: f64,
    /// The players that are not graded: those of the house, and anchors of any kind.
    pub exempt: Vec<String>,
}

/// Marks for a rank or a better one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankMark {
    /// The rank, 1 or more.
    pub rank: u32,
    /// The marks.
    pub marks: f64,
}

/// Marks for a score against one player.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreMark {
    /// The player to score against.
    pub player: String,
    /// The least share of the points, 0 … 1.
    pub score: f64,
    /// The marks.
    pub marks: f64,
}
