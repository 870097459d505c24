//! The verdict of `compare`, in words and as JSON.

use serde::Serialize;

use super::elo::whole;
use crate::escape;
use referee_ratings::Pentanomial;
use referee_ratings::{Estimate, Points};
use referee_ratings::{Sprt, SprtState, Verdict};
use referee_ratings::{SprtMatch, Stop};

/// The verdict as a JSON document.
#[derive(Debug, Serialize)]
pub struct VerdictJson<'a> {
    /// `better`, `not-better` or `undecided`.
    pub verdict: Verdict,
    /// Why the played ended; null where it was interrupted.
    pub stop: Option<&'static str>,
    /// The two players; all else is from the side of the first.
    pub players: [&'a str; 2],
    /// The test.
    pub test: TestJson,
    /// The logarithm of the likelihood ratio and its bounds.
    #[serde(flatten)]
    pub standing: StandingJson,
    /// The estimated strength in the test's unit, with a 95% interval.
    pub elo: Estimate,
    /// How likely the first is the better one, 0 … 1.
    pub superiority: f64,
    /// Pairs that count.
    pub pairs: u32,
    /// Pairs that are copies of earlier ones and do not.
    pub copies: u32,
    /// Pairs with a game in which both players failed, which do not count.
    pub double_faults: u32,
    /// Games that ended in a fault.
    pub faults: u32,
    /// The score in the games of the pairs that count.
    pub score: Points,
    /// The pairs by score: 0, ½, 1, 1½, 2.
    pub pentanomial: Pentanomial,
    /// Where the games are.
    pub results: &'a str,
}

/// The test in [`VerdictJson`].
#[derive(Debug, Serialize)]
pub struct TestJson {
    /// `gsprt, pentanomial`.
    pub model: &'static str,
    /// `logistic Elo` or `normalized Elo`.
    pub unit: &'static str,
    /// The strength that is not enough.
    pub elo0: f64,
    /// The strength that is.
    pub elo1: f64,
    /// The chance of `better` at `elo0`.
    pub alpha: f64,
    /// The chance of `not-better` at `elo1`.
    pub beta: f64,
}

/// The likelihood ratio in [`VerdictJson`].
#[derive(Debug, Serialize)]
pub struct StandingJson {
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// `not-better` at or below this.
    pub lower: f64,
    /// `better` at or above this.
    pub upper: f64,
}

impl<'a> VerdictJson<'a> {
    /// The verdict on these players, whose games are in `results`.
    pub fn new(played: &SprtMatch, players: [&'a str; 2], results: &'a str) -> Self {
        let (state, test) = (played.state(), played.test());
        let SprtState { llr, lower, upper, verdict } = state.sprt;
        let (hypotheses, errors) = (test.hypotheses(), test.errors());
        Self {
            verdict,
            stop: state.stop.map(|stop| match stop {
                Stop::Decided => "decided",
                Stop::Length => "max-pairs",
                Stop::Copies => "copies",
                Stop::DoubleForfeits => "double-faults",
            }),
            players,
            test: TestJson {
                model: MODEL,
                unit: test.unit().name(),
                elo0: hypotheses.0,
                elo1: hypotheses.1,
                alpha: errors.0,
                beta: errors.1,
            },
            standing: StandingJson { llr, lower, upper },
            elo: test.estimate(&state.pairs),
            superiority: Sprt::los(&state.pairs),
            pairs: state.counted(),
            copies: state.copies,
            double_faults: state.double_forfeits,
            faults: state.forfeits,
            score: state.score(),
            pentanomial: state.pairs,
            results,
        }
    }
}

const MODEL: &str = "GSPRT on pairs, pentanomial";

/// How it stands, for the progress: the estimate and the test.
pub fn headline(played: &SprtMatch) -> String {
    let state = played.state();
    let SprtState { llr, lower, upper, .. } = state.sprt;
    format!("{} after {} pairs, LLR {llr:.2} ({lower:.2} … {upper:.2})", elo(played), state.judged)
}

fn elo(played: &SprtMatch) -> String {
    let Estimate { value, low, high } = played.test().estimate(&played.state().pairs);
    let sign = if value.round() > 0.0 { "+" } else { "" };
    format!("{sign}{} Elo ({} … {})", whole(value), whole(low), whole(high))
}

/// The verdict in lines, without a last newline.
pub fn text(played: &SprtMatch, players: [&str; 2]) -> String {
    let (state, test) = (played.state(), played.test());
    let [a, b] = players.map(escape::terminal);
    let answer = match (state.verdict(), state.stop) {
        (Verdict::Better, _) => format!("{a} is better than {b}"),
        (Verdict::NotBetter, _) => format!("{a} is not better than {b}"),
        (Verdict::Undecided, Some(Stop::Copies)) => {
            format!("Undecided: {a} and {b} repeat the same games, and more would tell nothing new")
        }
        (Verdict::Undecided, Some(Stop::DoubleForfeits)) => {
            format!("Undecided: both {a} and {b} fail, pair after pair")
        }
        (Verdict::Undecided, Some(_)) => {
            "Undecided: these were all pairs; --max-pairs allows more".to_owned()
        }
        (Verdict::Undecided, None) => "Not decided yet".to_owned(),
    };
    let (hypotheses, errors) = (test.hypotheses(), test.errors());
    let SprtState { llr, lower, upper, .. } = state.sprt;
    let mut lines = vec![
        format!("{answer}."),
        format!(
            "{a} scored {} of {} in {} pairs; pairs by score (0 ½ 1 1½ 2): {}.",
            state.score(),
            2 * state.counted(),
            state.counted(),
            state.pairs.map(|count| count.to_string()).join(" ")
        ),
        format!(
            "Estimate: {} at 95%; better with a likelihood of {:.1}%.",
            elo(played),
            100.0 * Sprt::los(&state.pairs)
        ),
        format!(
            "Test: {MODEL}; {} {} against {}, α {}, β {}; LLR {llr:.2} ({lower:.2} … {upper:.2}).",
            test.unit().name(),
            hypotheses.0,
            hypotheses.1,
            errors.0,
            errors.1
        ),
    ];
    if state.copies > 0 {
        lines.push(format!(
            "Pairs that were copies of earlier ones, and do not count: {}.",
            state.copies
        ));
    }
    if state.double_forfeits > 0 {
        lines.push(format!(
            "Pairs with a game in which both failed, which do not count: {}.",
            state.double_forfeits
        ));
    }
    if state.forfeits > 0 {
        lines.push(format!("Games that ended in a fault: {}.", state.forfeits));
    }
    lines.join("\n")
}
