//! Turns, the steps that answer them, and the outcome of a game, for any number of seats.

use std::fmt;

use super::places::Places;
use super::safe_text::Text;
use super::seat::{Seat, SeatSet};

/// The outcome of a game by the rules: the places and the reason, for example `elimination`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The places of the seats.
    pub places: Places,
    /// The reason, in the words of the rule set.
    pub reason: Text,
}

/// Who acts next in a position, or how the game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turn {
    /// This seat chooses an action.
    Move(Seat),
    /// This seat has no legal action and is not asked: the step is [`Step::Pass`].
    Pass(Seat),
    /// These seats choose an action each, without knowing those of the others.
    Together(SeatSet),
    /// The referee draws a chance outcome from this random stream; `outcomes` lists them.
    Chance(Stream),
    /// The game is over.
    Over(Outcome),
}

/// What the turn expects, for example `an action by the first seat`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(seat) => write!(f, "an action by the {seat}"),
            Self::Pass(seat) => write!(f, "a pass by the {seat}"),
            Self::Together(_) => f.write_str("an action for each seat to move"),
            Self::Chance(_) => f.write_str("a chance outcome"),
            Self::Over(_) => f.write_str("nothing, because the game is over"),
        }
    }
}

impl Turn {
    /// The seats to ask for an action.
    pub fn asked(&self) -> SeatSet {
        match self {
            Self::Move(seat) => (*seat).into(),
            Self::Together(seats) => *seats,
            Self::Pass(_) | Self::Chance(_) | Self::Over(_) => SeatSet::EMPTY,
        }
    }

    /// Returns whether `seat` has to act.
    pub fn asks(&self, seat: Seat) -> bool {
        self.asked().contains(seat)
    }

    /// The outcome, if the game is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Over(outcome) => Some(outcome),
            _ => None,
        }
    }
}

/// A random stream of a game. The streams are independent, so that a seat's n-th draw is the same
/// in all games with the same luck, regardless of the other seats' draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream<S = Seat> {
    /// The stream of one seat.
    Seat(S),
    /// The stream shared by all seats.
    Shared,
}

/// The text of a forced pass.
pub const PASS: &str = "pass";

/// A step of a game, which answers a [`Turn`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step<T> {
    /// The action of the seat on turn.
    Move(T),
    /// The forced pass of the seat on turn.
    Pass,
    /// The actions of the seats asked together, in order of the seats.
    Together(Vec<T>),
    /// The chance outcome that was drawn.
    Chance(T),
}

/// A step as text.
pub type TextStep = Step<String>;

/// A step as borrowed text.
pub type StepText<'a> = Step<&'a str>;

impl<T: AsRef<str>> Step<T> {
    /// The text of the step on one line.
    pub fn text(&self) -> String {
        match self {
            Self::Move(text) | Self::Chance(text) => text.as_ref().to_owned(),
            Self::Pass => PASS.to_owned(),
            Self::Together(answers) => {
                answers.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" / ")
            }
        }
    }

    /// Borrows the texts of the step.
    pub fn as_text(&self) -> StepText<'_> {
        match self {
            Self::Move(action) => Step::Move(action.as_ref()),
            Self::Pass => Step::Pass,
            Self::Together(answers) => Step::Together(answers.iter().map(AsRef::as_ref).collect()),
            Self::Chance(outcome) => Step::Chance(outcome.as_ref()),
        }
    }

    /// The actions as game records list them: one for a move or a forced pass, one for each seat
    /// asked if several act, none for chance.
    pub fn actions(&self) -> impl Iterator<Item = &str> {
        let (one, several): (_, &[T]) = match self {
            Self::Move(action) => (Some(action.as_ref()), &[]),
            Self::Pass => (Some(PASS), &[]),
            Self::Together(answers) => (None, answers),
            Self::Chance(_) => (None, &[]),
        };
        one.into_iter().chain(several.iter().map(AsRef::as_ref))
    }
}

impl StepText<'_> {
    /// Converts the texts of the step to owned strings.
    pub fn to_owned(&self) -> TextStep {
        match self {
            Self::Move(action) => Step::Move((*action).to_owned()),
            Self::Pass => Step::Pass,
            Self::Together(answers) => {
                Step::Together(answers.iter().map(|&action| action.to_owned()).collect())
            }
            Self::Chance(outcome) => Step::Chance((*outcome).to_owned()),
        }
    }
}

/// Draws one of these outcomes by weight; `None` without outcomes of a weight above 0. The sum of
/// the weights may be larger than any of them can be.
pub fn draw_outcome<'a, C>(outcomes: &'a [(C, u32)], rng: &mut impl rand::Rng) -> Option<&'a C> {
    let total: u64 = outcomes.iter().map(|(_, weight)| u64::from(*weight)).sum();
    // Sums of 32 bits draw as they always did, so that old logs stay valid.
    let mut at = match u32::try_from(total) {
        Ok(0) => return None,
        Ok(total) => u64::from(rng.random_range(0..total)),
        Err(_) => rng.random_range(0..total),
    };
    let drawn = outcomes.iter().find(|(_, weight)| {
        let is_drawn = at < u64::from(*weight);
        at = at.saturating_sub(u64::from(*weight));
        is_drawn
    });
    drawn.map(|(outcome, _)| outcome)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    use super::draw_outcome;

    #[test]
    fn weights_may_sum_to_more_than_one_of_them_can_be() {
        let mut rng = SmallRng::seed_from_u64(1);
        let heavy = [("a", u32::MAX), ("b", u32::MAX), ("none", 0), ("c", 2)];
        let drawn: Vec<&str> =
            (0..1000).filter_map(|_| draw_outcome(&heavy, &mut rng).copied()).collect();
        let count = |name| drawn.iter().filter(|it| **it == name).count();
        assert_eq!(drawn.len(), 1000);
        assert!((400..600).contains(&count("a")) && count("none") == 0, "{}", count("a"));
        assert_eq!(draw_outcome(&[("none", 0)], &mut rng), None);
        assert_eq!(draw_outcome::<&str>(&[], &mut rng), None);
    }
}
