//! The clocks in messages, in whole milliseconds, rounded down.

use serde::{Deserialize, Serialize};

/// The kind of time that is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Wall time.
    #[default]
    Wall,
    /// CPU time of the process tree. Wall time is limited too, to ten times the allowance plus one
    /// second.
    Cpu,
}

/// The time limits of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InitClock {
    /// Limit of the start-up, from the start of the process to its greeting.
    pub startup_ms: u64,
    /// Budget for all turns together; unlimited if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
    /// The time added to the budget after each reply, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// Limit of one turn; unlimited if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u64>,
    /// The kind of time that is limited.
    #[serde(default, skip_serializing_if = "Measure::is_wall")]
    pub measure: Measure,
}

impl Measure {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
    fn is_wall(&self) -> bool {
        *self == Self::Wall
    }
}

/// The clocks at a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnClock {
    /// The time left of the player's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The time left of the opponent's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_left_ms: Option<u64>,
    /// The time used on the player's last turn.
    pub used_ms: u64,
}
