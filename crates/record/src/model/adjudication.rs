//! When the referee ends a game before its rules do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The largest score of a rule, in hundredths of a pawn.
pub const HIGHEST_SCORE: u32 = 1_000_000;
/// The fewest plies of a rule about scores: one of each player.
pub const FEWEST_SCORES: u32 = 2;
/// The most plies of a rule about scores.
pub const MOST_SCORES: u32 = 1000;

/// How the reasons of adjudicated games begin; what follows is the key in the configuration.
pub const ADJUDICATED: &str = "adjudicated-";

/// Whether this is the reason of an adjudicated game.
pub fn is_adjudicated(reason: &str) -> bool {
    reason.starts_with(ADJUDICATED)
}

/// When the referee ends a game before its rules do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Adjudication {
    /// A draw, when both players report about zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
    /// A loss, when both players report that the same one is far behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// A draw, when so many plies were played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

/// A rule about the scores of the last plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreRule {
    /// The number of plies before which the rule does not hold.
    #[serde(default)]
    pub after: u32,
    /// The number of plies in a row that must each have a fitting score.
    pub plies: u32,
    /// The bound, in hundredths of a pawn.
    pub score: u32,
}

impl Adjudication {
    /// Whether the values are such as a configuration allows.
    pub(super) fn is_within_bounds(&self) -> bool {
        let is_fit = |rule: &ScoreRule| {
            (FEWEST_SCORES..=MOST_SCORES).contains(&rule.plies) && rule.score <= HIGHEST_SCORE
        };
        [self.draw, self.resign].iter().flatten().all(is_fit) && self.length != Some(0)
    }
}

/// The rules in a few words.
impl fmt::Display for Adjudication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = |name: &str, bound: &str, rule: ScoreRule| {
            let ScoreRule { after, plies, score } = rule;
            let after = if after == 0 { String::new() } else { format!(" after ply {after}") };
            format!("{name}{after}: both report {bound} {score} in {plies} plies in a row")
        };
        let parts = [
            self.draw.map(|it| rule("draw", "at most", it)),
            self.resign.map(|it| rule("loss", "at least", it)),
            self.length.map(|plies| format!("draw after {plies} plies")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Adjudication {
        Adjudication {
            draw: Some(ScoreRule { after: 6, plies: 4, score: 10 }),
            resign: Some(ScoreRule { after: 0, plies: 3, score: 600 }),
            length: Some(20),
        }
    }

    #[test]
    fn a_stranger_s_log_is_checked() {
        assert!(rules().is_within_bounds());
        for (plies, score) in [(1, 0), (MOST_SCORES + 1, 0), (2, HIGHEST_SCORE + 1)] {
            let draw = Some(ScoreRule { after: 0, plies, score });
            assert!(!Adjudication { draw, ..rules() }.is_within_bounds());
        }
        assert!(!Adjudication { length: Some(0), ..rules() }.is_within_bounds());
    }

    #[test]
    fn the_rules_are_told_briefly() {
        assert_eq!(
            rules().to_string(),
            "draw after ply 6: both report at most 10 in 4 plies in a row; \
             loss: both report at least 600 in 3 plies in a row; draw after 20 plies"
        );
    }
}
