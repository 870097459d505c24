//! What a position waits for, what answers it, and how a game ends.

use super::seat::{BySeat, Seat};

/// Who won a game, apart from why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// The seat that won.
    Win(Seat),
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// What `seat` scores: 1, 0.5 or 0.
    pub fn score(self, seat: Seat) -> f64 {
        match self {
            Self::Win(winner) if winner == seat => 1.0,
            Self::Win(_) => 0.0,
            Self::Draw => 0.5,
        }
    }
}

/// How a game ended by the rules: the result and the reason, for example `elimination`.
///
/// The reason is part of the program in a typed game; through [`AnyGame`](crate::AnyGame) it is a
/// [`Text`](crate::Text).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome<R = &'static str> {
    /// Who won.
    pub result: GameResult,
    /// Why, in the words of the rule set.
    pub reason: R,
}

/// What happens next in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn<R = &'static str> {
    /// This seat chooses an action.
    Move(Seat),
    /// This seat has no legal action and is not asked: the step is [`Step::Pass`].
    Pass(Seat),
    /// Both seats choose an action, neither knowing the other's.
    Both,
    /// The referee draws an outcome from this stream of luck; `outcomes` lists them.
    Chance(Stream),
    /// The game is over.
    Over(Outcome<R>),
}

impl<R> Turn<R> {
    /// The seats that are asked for an action, in seat order.
    pub fn asked(&self) -> &'static [Seat] {
        match self {
            Self::Move(Seat::First) => &[Seat::First],
            Self::Move(Seat::Second) => &[Seat::Second],
            Self::Both => &Seat::BOTH,
            Self::Pass(_) | Self::Chance(_) | Self::Over(_) => &[],
        }
    }

    /// Whether `seat` is asked for an action.
    pub fn asks(&self, seat: Seat) -> bool {
        self.asked().contains(&seat)
    }

    /// The same turn with another kind of text for the reason.
    pub fn map_reason<S>(self, f: impl FnOnce(R) -> S) -> Turn<S> {
        match self {
            Self::Move(seat) => Turn::Move(seat),
            Self::Pass(seat) => Turn::Pass(seat),
            Self::Both => Turn::Both,
            Self::Chance(stream) => Turn::Chance(stream),
            Self::Over(Outcome { result, reason }) => {
                Turn::Over(Outcome { result, reason: f(reason) })
            }
        }
    }
}

/// A stream of luck of one game. Streams are independent of each other, so that a seat's n-th
/// draw is the same in both games of a pair, whatever the other seat draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// What belongs to one seat.
    Seat(Seat),
    /// What belongs to both.
    Shared,
}

/// How a forced pass is written.
pub const PASS: &str = "pass";

/// One step of a game: what answers a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<A, C> {
    /// The action of the seat on turn.
    Move(A),
    /// The forced pass of the seat on turn.
    Pass,
    /// The actions of both seats.
    Both(BySeat<A>),
    /// The outcome that was drawn.
    Chance(C),
}

/// A step as text.
pub type TextStep = Step<String, String>;

/// A step as borrowed text.
pub type StepText<'a> = Step<&'a str, &'a str>;

impl TextStep {
    /// The same step, its texts borrowed.
    pub fn as_text(&self) -> StepText<'_> {
        match self {
            Self::Move(action) => Step::Move(action),
            Self::Pass => Step::Pass,
            Self::Both(both) => Step::Both(both.as_ref().map(String::as_str)),
            Self::Chance(outcome) => Step::Chance(outcome),
        }
    }
}

impl<'a> StepText<'a> {
    /// The same step, its texts owned.
    pub fn to_owned(self) -> TextStep {
        match self {
            Self::Move(action) => Step::Move(action.to_owned()),
            Self::Pass => Step::Pass,
            Self::Both(both) => Step::Both(both.map(str::to_owned)),
            Self::Chance(outcome) => Step::Chance(outcome.to_owned()),
        }
    }

    /// The actions as a record has them: one for a move or a forced pass, two where both seats
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
