//! The clocks in messages, in whole milliseconds, rounded down.

use referee_games::SeatMap;
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
    /// The number of turns after which the budget is added again, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TurnClock {
    /// The time left of the player's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// The time left of the opponent's budget, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent_left_ms: Option<u64>,
    /// The time left of the budget of every other seat, in a game with more than two and nothing
    /// hidden, if all have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_left_ms: Option<Box<SeatMap<u64>>>,
    /// The number of turns, with this one, until the budget is added again, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves_to_go: Option<u32>,
    /// The time used on the player's last turn.
    pub used_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_limits_are_left_out() {
        let clock = InitClock { startup_ms: 5, ..InitClock::default() };
        let text = serde_json::to_string(&clock).expect("plain data");
        assert_eq!(text, r#"{"startup_ms":5}"#);
        let cpu = InitClock { measure: Measure::Cpu, move_ms: Some(7), ..clock };
        let text = serde_json::to_string(&cpu).expect("plain data");
        assert_eq!(text, r#"{"startup_ms":5,"move_ms":7,"measure":"cpu"}"#);
        assert_eq!(serde_json::from_str::<InitClock>(&text).expect("a clock"), cpu);
    }

    #[test]
    fn a_turn_says_what_is_left_of_a_budget_alone() {
        let clock = TurnClock { used_ms: 3, ..TurnClock::default() };
        assert_eq!(serde_json::to_string(&clock).expect("plain data"), r#"{"used_ms":3}"#);
        assert!(serde_json::from_str::<TurnClock>(r#"{"used_ms":-1}"#).is_err());
    }
}
