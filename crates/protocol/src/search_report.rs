//! What a player reports about its search.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a player reports about the search for its action, from its own point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchReport {
    /// Its score, in hundredths of a pawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<i32>,
    /// The number of its moves to mate. Negative or zero if it is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// The depth of the search, in plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The number of positions searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// How long it searched, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
}

impl SearchReport {
    /// Whether nothing is reported.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The evaluation that the score stands for, -1 to 1: the expected result by Elo, with a pawn
    /// worth 100.
    pub fn eval(&self) -> Option<f64> {
        let eval = match (self.mate, self.score) {
            (Some(mate), _) => return Some(if mate > 0 { 1.0 } else { -1.0 }),
            (None, score) => 2.0 / (1.0 + 10_f64.powf(-f64::from(score?) / 400.0)) - 1.0,
        };
        Some((eval * 10_000.0).round() / 10_000.0)
    }
}

/// The report in a few words, such as `+0.31, depth 12, 34567 nodes`.
impl fmt::Display for SearchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        let mut part =
            |text: fmt::Arguments<'_>| write!(f, "{}{text}", std::mem::replace(&mut before, ", "));
        match (self.mate, self.score) {
            (Some(mate), _) => part(format_args!("mate in {mate}"))?,
            (None, Some(score)) => part(format_args!("{:+.2}", f64::from(score) / 100.0))?,
            (None, None) => {}
        }
        if let Some(depth) = self.depth {
            part(format_args!("depth {depth}"))?;
        }
        match self.nodes {
            Some(nodes) => part(format_args!("{nodes} nodes")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_an_evaluation_between_minus_one_and_one() {
        let eval = |score| SearchReport { score: Some(score), ..Default::default() }.eval();
        assert_eq!([eval(0), eval(100), eval(-100)], [Some(0.0), Some(0.2801), Some(-0.2801)]);
        assert_eq!(eval(i32::MIN), Some(-1.0));
        let mate = |mate| SearchReport { mate: Some(mate), ..Default::default() }.eval();
        assert_eq!([mate(3), mate(0), mate(-2)], [Some(1.0), Some(-1.0), Some(-1.0)]);
        assert_eq!(SearchReport::default().eval(), None);
    }

    #[test]
    fn a_report_is_shown_briefly() {
        let report = SearchReport {
            score: Some(-31),
            depth: Some(9),
            nodes: Some(7),
            ..SearchReport::default()
        };
        assert_eq!(report.to_string(), "-0.31, depth 9, 7 nodes");
        let mate = SearchReport { mate: Some(-2), ..SearchReport::default() };
        assert_eq!(mate.to_string(), "mate in -2");
    }
}
