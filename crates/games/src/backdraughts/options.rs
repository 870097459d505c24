//! The options for points that the source leaves open, and the rules in force.

use serde::Deserialize;

use crate::options::{OptionError, Options};

/// The rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Rules {
    /// B2: who begins.
    pub first: First,
    /// B8: the meaning of a pass when there is an action.
    pub(crate) overlooked: Overlooked,
    /// B9: what decides how far a pawn goes.
    #[serde(rename = "move")]
    pub movement: Movement,
    /// B10: when a capture is allowed.
    pub(crate) capture: Capture,
    /// B11: whether pawns turn when they are blocked.
    pub turning: Turning,
    /// B12: the number of plies after which the game is a draw.
    pub(crate) max_plies: u32,
    /// B12: the number of occurrences of a position that make a draw, without dice; 0 for never.
    #[serde(default)]
    pub repetition: u32,
}

/// The side that begins (B2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum First {
    /// White.
    White,
    /// Black.
    Black,
    /// The side that rolls higher.
    Roll,
}

/// The meaning of a pass when there is an action (B8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Overlooked {
    /// It is illegal.
    Reject,
    /// The opponent may play one of the passer's actions.
    Opponent,
}

/// The rule for how far a pawn goes (B9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Movement {
    /// A die.
    Dice,
    /// The number of pawns that its side has lost.
    NoDice,
}

/// When a capture is allowed (B10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Capture {
    /// With a roll of 6.
    Six,
    /// With no own pawn on the outer ring.
    Ring,
    /// With a roll of 6 or with no own pawn on the outer ring.
    SixOrRing,
}

/// Whether pawns turn when they are blocked (B11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turning {
    /// Pawns only go straight.
    Off,
    /// Pawns turn.
    On,
}

impl Rules {
    /// Builds the rules from `options`, which must be resolved from those of the sheet; fails if they
    /// contradict each other.
    pub(super) fn new(options: &Options) -> Result<Self, OptionError> {
        let rules: Self = options.read();
        let has_dice = rules.movement == Movement::Dice;
        let counts = options.iter().any(|(name, _)| name == "repetition");
        if has_dice && counts {
            let refusal = "`repetition` has no effect with dice (B12); remove it or set \
                           `move=no-dice`";
            return Err(OptionError::Rules(refusal.into()));
        }
        if !has_dice && rules.capture != Capture::Ring {
            let word = if rules.capture == Capture::Six { "six" } else { "six-or-ring" };
            let refusal = format!(
                "`capture={word}` has no effect without dice, because nobody rolls a 6 (B10); \
                 remove it or set `capture=ring`"
            );
            return Err(OptionError::Rules(refusal.into()));
        }
        Ok(rules)
    }
}
