//! Errors for refused actions and steps.

use std::borrow::Cow;

use super::safe_text::Text;
use super::turn::Turn;

/// The reason why a text was refused as an action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The text does not have the form of an action. Contains what was expected.
    #[error("syntax: {0}")]
    Malformed(String),
    /// The text is an action, but the rules forbid it now.
    #[error("{clause}: {reason}")]
    Illegal {
        /// The id of the clause that forbids it.
        clause: Text,
        /// The reason as a sentence that begins with the action's text.
        reason: String,
    },
}

/// The clause that forbids an action, and what is wrong with the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Breach {
    clause: &'static str,
    wrong: Cow<'static, str>,
}

impl Breach {
    /// Creates a breach of `clause`. The action's text and `wrong` form the sentence of the
    /// refusal.
    pub(crate) fn new(clause: &'static str, wrong: impl Into<Cow<'static, str>>) -> Self {
        Self { clause, wrong: wrong.into() }
    }

    /// The refusal of the action with this `text`.
    pub(crate) fn refusal(self, text: &str) -> Refusal {
        Refusal::Illegal { clause: self.clause.into(), reason: format!("{text} {}", self.wrong) }
    }
}

/// Says that an action breaks `clause`.
pub(crate) fn refuse_action<T>(
    clause: &'static str,
    wrong: impl Into<Cow<'static, str>>,
) -> Result<T, Breach> {
    Err(Breach::new(clause, wrong))
}

/// The reason why a step was not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// The step is not of the kind that the turn asks for, for example a move instead of a chance
    /// outcome.
    #[error("the step does not fit: expected {turn}")]
    NotAsked {
        /// The turn of the position.
        turn: Turn,
    },
    /// This chance outcome cannot come up here.
    #[error("`{outcome}` cannot come up here")]
    NoOutcome {
        /// The outcome as text.
        outcome: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameError, Seat};

    #[test]
    fn a_breach_begins_with_the_actions_text() {
        let Err(breach) = refuse_action::<()>("W1", "is a corner") else { panic!("a breach") };
        let refusal = breach.refusal("0,0");
        let expected =
            Refusal::Illegal { clause: "W1".into(), reason: "0,0 is a corner".to_owned() };
        assert_eq!(refusal, expected);
        assert_eq!(refusal.to_string(), "W1: 0,0 is a corner");
    }

    #[test]
    fn errors_say_what_was_expected() {
        let refusal = Refusal::Malformed("expected a square".to_owned());
        assert_eq!(GameError::from(refusal).to_string(), "syntax: expected a square");
        let not_asked = StepError::NotAsked { turn: Turn::Move(Seat::FIRST) };
        assert_eq!(GameError::from(not_asked.clone()), GameError::Step(not_asked));
        let no_outcome = StepError::NoOutcome { outcome: "7".to_owned() };
        assert!(no_outcome.to_string().contains("`7`"));
    }
}
