//! The mistakes of a game, each with the shortest known sequence of steps.

use std::collections::BTreeMap;

use serde::Serialize;

use referee_games::{GameError, TextStep};

/// A mistake of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GameFinding {
    /// The problem.
    pub problem: String,
    /// The shortest known sequence of steps that shows it, from the start.
    pub steps: Vec<String>,
    /// The number of times it was seen.
    pub count: u32,
}

/// The mistakes found so far, one of each kind.
#[derive(Debug, Default)]
pub(super) struct GameFindings {
    by_kind: BTreeMap<String, GameFinding>,
    /// How often the program failed.
    pub(super) failures: u32,
    pub(super) hidden: HiddenChecks,
}

/// What the checks of hidden information could compare.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct HiddenChecks {
    /// Whether the game makes guesses. Without them, nothing says what a view may reveal.
    pub guesses: bool,
    /// The number of pairs of positions that a seat may not tell apart.
    pub pairs: u32,
}

impl GameFindings {
    /// Adds a mistake that the position after these steps shows.
    pub(super) fn add(&mut self, problem: &str, steps: &[TextStep]) {
        let found = self.by_kind.entry(game_finding_kind(problem)).or_insert_with(|| GameFinding {
            problem: problem.to_owned(),
            steps: format_finding_steps(steps),
            count: 0,
        });
        found.count += 1;
        if steps.len() < found.steps.len() {
            problem.clone_into(&mut found.problem);
            found.steps = format_finding_steps(steps);
        }
    }

    /// Adds an error caused by the last of these steps, or by a request after it.
    pub(super) fn failed(&mut self, error: &GameError, steps: &[TextStep]) {
        let problem = match error {
            GameError::Program(error) => error.to_string(),
            error => format!("a listed action or a drawn outcome is refused: {error}"),
        };
        self.failures += 1;
        self.add(&problem, steps);
    }

    /// The mistakes, those with the fewest steps first.
    pub(super) fn sorted(self) -> Vec<GameFinding> {
        let mut found: Vec<_> = self.by_kind.into_values().collect();
        found.sort_by_key(|finding| finding.steps.len());
        found
    }
}

/// The first line without numbers and quoted texts: mistakes with the same one are of one kind.
fn game_finding_kind(problem: &str) -> String {
    let mut quoted = false;
    let line = problem.lines().next().unwrap_or_default();
    let plain = line.chars().filter(|character| {
        quoted ^= matches!(character, '`' | '"');
        !quoted && !character.is_ascii_digit()
    });
    plain.collect()
}

fn format_finding_steps(steps: &[TextStep]) -> Vec<String> {
    steps.iter().map(TextStep::text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_games::Step;

    #[test]
    fn one_of_each_kind_is_kept_with_the_fewest_steps() {
        let steps = |texts: &[&str]| -> Vec<TextStep> {
            texts.iter().map(|text| Step::Move((*text).to_owned())).collect()
        };
        let mut findings = GameFindings::default();
        findings.add("`a` is listed twice\n  more", &steps(&["x", "y"]));
        findings.add("`b` is listed twice\n  else", &steps(&["z"]));
        findings.add("the game has 3 seats", &steps(&[]));
        let found = findings.sorted();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].steps.len(), found[0].count), (0, 1));
        assert_eq!(found[1].problem, "`b` is listed twice\n  else");
        assert_eq!((found[1].steps.as_slice(), found[1].count), (&["z".to_owned()][..], 2));
    }
}
