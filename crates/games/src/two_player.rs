//! What the built-in games share: all of them are for two sides.
//!
//! A typed game names its sides and knows nothing of other numbers of seats.
//! [`Typed`](crate::Typed) is the border: it turns sides into [`Seat`]s, and steps of two sides into
//! those that the referee plays.

use std::ops::{Index, IndexMut, Not};

use serde::{Deserialize, Serialize};

use super::event::Event;
use super::places::Places;
use super::seat::{BySeat, Seat, SeatMap};
use super::turn::{self, Stream};

/// A side of a game for two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first-named side (White, Grunkle).
    First,
    /// The other side (Black, Charge).
    Second,
}

impl Side {
    /// Both sides, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The side that sits at `seat` of a game for two.
    ///
    /// # Panics
    /// The game has no such seat.
    pub const fn from_seat(seat: Seat) -> Self {
        Self::BOTH[seat.index()]
    }
}

impl Not for Side {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

impl From<Side> for Seat {
    fn from(side: Side) -> Self {
        match side {
            Side::First => Self::FIRST,
            Side::Second => Self::SECOND,
        }
    }
}

/// One value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct BySide<T> {
    /// The first side's.
    pub first: T,
    /// The second side's.
    pub second: T,
}

impl<T> BySide<T> {
    /// A value for each side, the first one first.
    pub const fn new(first: T, second: T) -> Self {
        Self { first, second }
    }

    /// Calls `f` for each side and collects the values.
    pub fn from_fn(mut f: impl FnMut(Side) -> T) -> Self {
        Self { first: f(Side::First), second: f(Side::Second) }
    }

    /// Applies `f` to both values.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySide<U> {
        BySide { first: f(self.first), second: f(self.second) }
    }

    /// References to both values.
    pub fn as_ref(&self) -> BySide<&T> {
        BySide { first: &self.first, second: &self.second }
    }

    /// Mutable references to the value of `side` and to the other one.
    pub fn pick_mut(&mut self, side: Side) -> (&mut T, &mut T) {
        match side {
            Side::First => (&mut self.first, &mut self.second),
            Side::Second => (&mut self.second, &mut self.first),
        }
    }

    /// Both values with their sides, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &T)> {
        [(Side::First, &self.first), (Side::Second, &self.second)].into_iter()
    }

    /// The values by the names of the seats.
    pub fn to_seat_map(self, names: BySide<&'static str>) -> SeatMap<T> {
        SeatMap::new(names.into(), self.into())
    }
}

impl<T> From<BySide<T>> for BySeat<T> {
    fn from(BySide { first, second }: BySide<T>) -> Self {
        Self::from([first, second])
    }
}

impl<T> Index<Side> for BySide<T> {
    type Output = T;
    fn index(&self, side: Side) -> &T {
        match side {
            Side::First => &self.first,
            Side::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Side> for BySide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::First => &mut self.first,
            Side::Second => &mut self.second,
        }
    }
}

/// The result of a game for two, without the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// The side that won.
    Win(Side),
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// The name of the side that won, or `draw`.
    pub fn name(self, sides: &BySide<&'static str>) -> &'static str {
        match self {
            Self::Win(side) => sides[side],
            Self::Draw => "draw",
        }
    }

    /// The score of `side`: 1, 0.5 or 0.
    pub fn score(self, side: Side) -> f64 {
        match self {
            Self::Win(winner) if winner == side => 1.0,
            Self::Win(_) => 0.0,
            Self::Draw => 0.5,
        }
    }
}

/// The outcome of a game for two by the rules: the result and the reason, for example
/// `elimination`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The winner, or a draw.
    pub result: GameResult,
    /// The reason, in the words of the rule set.
    pub reason: &'static str,
}

impl Outcome {
    /// The event of the end of a game between these sides.
    pub(crate) fn event(self, sides: &BySide<&'static str>) -> Event {
        Event::Over {
            result: Some(self.result.name(sides).into()),
            places: None,
            reason: self.reason.into(),
            scores: None,
        }
    }
}

/// Who acts next in a position of a game for two, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// This side chooses an action.
    Move(Side),
    /// This side has no legal action and is not asked: the step is [`Step::Pass`].
    Pass(Side),
    /// Both sides choose an action without knowing the other's.
    Both,
    /// The referee draws a chance outcome from this random stream; `outcomes` lists them.
    Chance(Stream<Side>),
    /// The game is over.
    Over(Outcome),
}

impl Turn {
    /// The sides to ask for an action, in order.
    pub fn asked(&self) -> &'static [Side] {
        match self {
            Self::Move(Side::First) => &[Side::First],
            Self::Move(Side::Second) => &[Side::Second],
            Self::Both => &Side::BOTH,
            Self::Pass(_) | Self::Chance(_) | Self::Over(_) => &[],
        }
    }

    /// Returns whether `side` has to act.
    pub fn asks(&self, side: Side) -> bool {
        self.asked().contains(&side)
    }

    /// The outcome, if the game is over.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Over(outcome) => Some(outcome),
            _ => None,
        }
    }
}

impl From<GameResult> for Places {
    fn from(result: GameResult) -> Self {
        match result {
            GameResult::Win(side) => Self::won_by(side.into(), 2),
            GameResult::Draw => Self::level(2),
        }
    }
}

impl From<Stream<Side>> for Stream {
    fn from(stream: Stream<Side>) -> Self {
        match stream {
            Stream::Seat(side) => Self::Seat(side.into()),
            Stream::Shared => Self::Shared,
        }
    }
}

impl From<Turn> for turn::Turn {
    fn from(turn: Turn) -> Self {
        match turn {
            Turn::Move(side) => Self::Move(side.into()),
            Turn::Pass(side) => Self::Pass(side.into()),
            Turn::Both => Self::Together([Seat::FIRST, Seat::SECOND].into_iter().collect()),
            Turn::Chance(stream) => Self::Chance(stream.into()),
            Turn::Over(Outcome { result, reason }) => {
                Self::Over(turn::Outcome { places: result.into(), reason: reason.into() })
            }
        }
    }
}

impl<T> From<BySide<T>> for Vec<T> {
    fn from(BySide { first, second }: BySide<T>) -> Self {
        vec![first, second]
    }
}

/// A step of a game for two, which answers a [`Turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step<A, C> {
    /// The action of the side on turn.
    Move(A),
    /// The forced pass of the side on turn.
    Pass,
    /// The actions of both sides.
    Both(BySide<A>),
    /// The chance outcome that was drawn.
    Chance(C),
}
