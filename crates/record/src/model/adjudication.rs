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
pub fn is_adjudication_reason(reason: &str) -> bool {
    reason.starts_with(ADJUDICATED)
}

/// The reason of a game in words: those of the adjudicated ones are codes.
pub fn describe_adjudication_reason(reason: &str) -> &str {
    match reason.strip_prefix(ADJUDICATED) {
        Some("draw" | "resign") => "adjudicated by scores",
        Some("length") => "adjudicated by length",
        _ => reason,
    }
}

/// When the referee ends a game before its rules do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Adjudication {
    /// A draw, when both players report about zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<ScoreRule>,
    /// A loss, when both players report that the same one is far behind, or that one says so alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ScoreRule>,
    /// A draw after this many plies.
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
    /// Whether the scores of the loser count alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_sided: bool,
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
        let rule = |name: &str, scores: String, ScoreRule { after, plies, .. }: ScoreRule| {
            let after = if after == 0 { String::new() } else { format!(" from ply {after} on") };
            format!("{name}{after}: {scores} for {plies} plies in a row")
        };
        let level = |score| match score {
            0 => "both report 0".to_owned(),
            _ => format!("both report from −{score} to {score}"),
        };
        let far = |ScoreRule { score, one_sided, .. }| {
            let other =
                if one_sided { String::new() } else { format!(" and the other {score} or more") };
            format!("one reports −{score} or less{other}")
        };
        let parts = [
            self.draw.map(|it| rule("draw", level(it.score), it)),
            self.resign.map(|it| rule("loss", far(it), it)),
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
            draw: Some(ScoreRule { after: 6, plies: 4, score: 10, one_sided: false }),
            resign: Some(ScoreRule { after: 0, plies: 3, score: 600, one_sided: false }),
            length: Some(20),
        }
    }

    #[test]
    fn a_stranger_s_log_is_checked() {
        assert!(rules().is_within_bounds());
        for (plies, score) in [(1, 0), (MOST_SCORES + 1, 0), (2, HIGHEST_SCORE + 1)] {
            let draw = Some(ScoreRule { after: 0, plies, score, one_sided: false });
            assert!(!Adjudication { draw, ..rules() }.is_within_bounds());
        }
        assert!(!Adjudication { length: Some(0), ..rules() }.is_within_bounds());
    }

    #[test]
    fn the_rules_are_told_briefly() {
        assert_eq!(
            rules().to_string(),
            "draw from ply 6 on: both report from −10 to 10 for 4 plies in a row; loss: one \
             reports −600 or less and the other 600 or more for 3 plies in a row; draw after 20 \
             plies"
        );
        let resign = rules().resign.map(|rule| ScoreRule { one_sided: true, ..rule });
        let alone = Adjudication { resign, ..Adjudication::default() };
        assert_eq!(alone.to_string(), "loss: one reports −600 or less for 3 plies in a row");
        let draw = Some(ScoreRule { after: 0, plies: 4, score: 0, one_sided: false });
        let exact = Adjudication { draw, ..Adjudication::default() };
        assert_eq!(exact.to_string(), "draw: both report 0 for 4 plies in a row");
    }

    #[test]
    fn the_reasons_are_told_in_words() {
        let reasons = ["adjudicated-draw", "adjudicated-resign", "adjudicated-length", "mate"];
        let words = ["adjudicated by scores", "adjudicated by scores", "adjudicated by length"];
        assert_eq!(
            reasons.map(describe_adjudication_reason),
            [words[0], words[1], words[2], "mate"]
        );
    }
}
