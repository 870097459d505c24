//! Turns, the steps that answer them, and the outcome of a game.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::seat::{BySeat, Seat};
use super::text::Text;
use super::two;

/// The winner of a game, without the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// The seat that won.
    Win(Seat),
    /// Nobody won.
    Draw,
}

impl From<two::GameResult> for GameResult {
    fn from(result: two::GameResult) -> Self {
        match result {
            two::GameResult::Win(side) => Self::Win(side.into()),
            two::GameResult::Draw => Self::Draw,
        }
    }
}

impl GameResult {
    /// The name of the seat that won, or `draw`.
    pub fn name<N: AsRef<str>>(self, seats: &BySeat<N>) -> &str {
        match self {
            Self::Win(seat) => seats[seat].as_ref(),
            Self::Draw => "draw",
        }
    }

    /// The score of `seat`: 1, 0.5 or 0.
    pub fn score(self, seat: Seat) -> f64 {
        match self {
            Self::Win(winner) if winner == seat => 1.0,
            Self::Win(_) => 0.0,
            Self::Draw => 0.5,
        }
    }
}

/// The outcome of a game by the rules: the result and the reason, for example `elimination`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The winner, or a draw.
    pub result: GameResult,
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
    /// Both seats choose an action without knowing the other's.
    Both,
    /// The referee draws a chance outcome from this random stream; `outcomes` lists them.
    Chance(Stream),
    /// The game is over.
    Over(Outcome),
}

/// What the turn expects, for example `an action of the first seat`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Move(Seat::First) => "an action of the first seat",
            Self::Move(Seat::Second) => "an action of the second seat",
            Self::Pass(Seat::First) => "a pass of the first seat",
            Self::Pass(Seat::Second) => "a pass of the second seat",
            Self::Both => "an action of each seat",
            Self::Chance(_) => "a chance outcome",
            Self::Over(_) => "nothing, because the game is over",
        })
    }
}

impl Turn {
    /// The seats to ask for an action, in seat order.
    pub fn asked(&self) -> &'static [Seat] {
        match self {
            Self::Move(Seat::First) => &[Seat::First],
            Self::Move(Seat::Second) => &[Seat::Second],
            Self::Both => &Seat::BOTH,
            Self::Pass(_) | Self::Chance(_) | Self::Over(_) => &[],
        }
    }

    /// Returns whether `seat` is asked for an action.
    pub fn asks(&self, seat: Seat) -> bool {
        self.asked().contains(&seat)
    }

    /// The outcome, if the game is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Over(outcome) => Some(outcome),
            _ => None,
        }
    }
}

impl From<two::Turn> for Turn {
    fn from(turn: two::Turn) -> Self {
        match turn {
            two::Turn::Move(side) => Self::Move(side.into()),
            two::Turn::Pass(side) => Self::Pass(side.into()),
            two::Turn::Both => Self::Both,
            two::Turn::Chance(stream) => Self::Chance(stream.into()),
            two::Turn::Over(two::Outcome { result, reason }) => {
                Self::Over(Outcome { result: result.into(), reason: reason.into() })
            }
        }
    }
}

/// A random stream of a game. The streams are independent, so that a seat's n-th draw is the same
/// in both games of a pair, whatever the other seat draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream<S = Seat> {
    /// The stream of one seat.
    Seat(S),
    /// The stream shared by both seats.
    Shared,
}

impl From<Stream<two::Side>> for Stream {
    fn from(stream: Stream<two::Side>) -> Self {
        match stream {
            Stream::Seat(side) => Self::Seat(side.into()),
            Stream::Shared => Self::Shared,
        }
    }
}

/// The text of a forced pass.
pub const PASS: &str = "pass";

/// A step of a game, which answers a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step<T> {
    /// The action of the seat on turn.
    Move(T),
    /// The forced pass of the seat on turn.
    Pass,
    /// The actions of both seats.
    Both(BySeat<T>),
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
            Self::Both(BySeat { first, second }) => {
                format!("{} / {}", first.as_ref(), second.as_ref())
            }
        }
    }

    /// Borrows the texts of the step.
    pub fn as_text(&self) -> StepText<'_> {
        match self {
            Self::Move(action) => Step::Move(action.as_ref()),
            Self::Pass => Step::Pass,
            Self::Both(both) => Step::Both(both.as_ref().map(AsRef::as_ref)),
            Self::Chance(outcome) => Step::Chance(outcome.as_ref()),
        }
    }
}

impl<'a> StepText<'a> {
    /// Converts the texts of the step to owned strings.
    pub fn to_owned(self) -> TextStep {
        match self {
            Self::Move(action) => Step::Move(action.to_owned()),
            Self::Pass => Step::Pass,
            Self::Both(both) => Step::Both(both.map(str::to_owned)),
            Self::Chance(outcome) => Step::Chance(outcome.to_owned()),
        }
    }

    /// The actions as game records list them: one for a move or a forced pass, two if both seats
    /// act, none for chance.
    pub fn actions(self) -> impl Iterator<Item = &'a str> {
        let (one, other) = match self {
            Self::Move(action) => (Some(action), None),
            Self::Pass => (Some(PASS), None),
            Self::Both(BySeat { first, second }) => (Some(first), Some(second)),
            Self::Chance(_) => (None, None),
        };
        one.into_iter().chain(other)
    }
}
/// Draws one of these outcomes by weight; `None` without outcomes of a weight above 0. The sum of
/// the weights may be larger than any of them can be.
pub fn draw_outcome<'a, C>(outcomes: &'a [(C, u32)], rng: &mut impl rand::Rng) -> Option<&'a C> {
    let total: u64 = outcomes.iter().map(|(_, weight)| u64::from(*weight)).sum();
    // Sums of 32 bits draw as they always did, so that logs stay as they are.
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
