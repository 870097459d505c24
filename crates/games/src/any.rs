//! Games without their types: text in, text out.
//!
//! The referee, its log and everything after the log see a game as an [`AnyGame`] and a position
//! as an [`AnyPosition`]. Actions, outcomes of chance and the state are texts. Every typed
//! [`Game`](crate::Game) is one of these by [`Typed`]. A game that lives elsewhere, for example in
//! a process of its own, can be one too: what would have to ask it returns a [`GameError`].

mod typed;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use rand::RngCore;
use serde_json::value::RawValue;

pub use typed::{Typed, TypedPosition};

use super::board::Square;
use super::event::Event;
use super::game::{Clause, Legal};
use super::options::{OptionError, OptionSpec, Options};
use super::refusal::{Refusal, StepError};
use super::seat::{BySeat, Seat};
use super::text::Text;
use super::turn::{StepText, Turn};

/// A game.
pub trait AnyGame: fmt::Debug + Send + Sync {
    /// The game's name, for example `watch-your-back`.
    fn name(&self) -> &str;

    /// The name as people write it, for example `Watch Your Back!`.
    fn title(&self) -> &str;

    /// The names of the seats, first seat first.
    fn seats(&self) -> BySeat<Text>;

    /// Every clause, in order.
    fn clauses(&self) -> &[Clause];

    /// Every option, in order.
    fn options(&self) -> &'static [OptionSpec];

    /// The start position under these options, which were resolved from
    /// [`options`](AnyGame::options). It knows the rules in force: start a game once, and clone the
    /// position for every other game under the same options.
    ///
    /// # Errors
    /// The options make no sense together.
    fn start(&self, options: &Options) -> Result<Position, GameError>;

    /// Why a game under these options might never end, if so. Nobody may play such a game; `trace`
    /// and `perft` may look at it.
    ///
    /// # Errors
    /// The options make no sense together.
    fn endless(&self, options: &Options) -> Result<Option<String>, GameError>;
}

/// A position of any game, with the rules in force.
pub type Position = Box<dyn AnyPosition>;

/// A position of any game, with the rules in force.
///
/// What a position knows by itself is returned plainly. What may have to ask the game returns a
/// [`Result`].
pub trait AnyPosition: fmt::Debug + Send + Sync {
    /// The names of the seats, first seat first.
    fn seats(&self) -> BySeat<Text>;

    /// What happens next.
    fn turn(&self) -> Turn<Text>;

    /// What chance may bring, each outcome with its weight; at least one, and the weights are not
    /// all zero. Empty unless [`turn`](AnyPosition::turn) is [`Turn::Chance`].
    fn outcomes(&self) -> Vec<(String, u32)>;

    /// Plies played so far: actions, forced passes included; a simultaneous turn is one.
    fn ply(&self) -> u32;

    /// The legal actions of `seat` as players are sent them; an empty list unless the seat is to
    /// choose.
    fn legal(&self, seat: Seat) -> Legal;

    /// How many legal actions `seat` has.
    fn legal_count(&self, seat: Seat) -> u64;

    /// The canonical text of the action of `seat` that an untrusted text means.
    ///
    /// # Errors
    /// [`GameError::Refused`] says which clause forbids it; everything else is a failure of the
    /// game.
    fn judge(&self, seat: Seat, text: &str) -> Result<String, GameError>;

    /// Plays a step and appends what happened to `events`, the last being [`Event::Over`] when
    /// the game ends.
    ///
    /// # Errors
    /// The step does not answer [`turn`](AnyPosition::turn), or the rules forbid it. Nothing has
    /// happened then.
    fn play(&mut self, step: StepText<'_>, events: &mut Vec<Event>) -> Result<(), GameError>;

    /// A legal action of `seat`, each with the same probability; `None` if there is none.
    ///
    /// # Errors
    /// A failure of the game.
    fn sample(&self, seat: Seat, rng: &mut dyn RngCore) -> Result<Option<String>, GameError>;

    /// The complete state as JSON.
    fn state(&self) -> Cow<'_, RawValue>;

    /// The board as rows of characters from top to bottom, for people.
    fn rows(&self) -> Vec<String>;

    /// A line about what the board does not show (phase, counts), for people.
    fn caption(&self) -> String;

    /// Whose square this is, in games whose squares have owners.
    fn owner(&self, square: Square) -> Option<Seat>;

    /// The letters of the pieces on a square that holds several.
    fn shared(&self, square: Square) -> Vec<char>;

    /// Whose goal this square is, in games with goals.
    fn goal(&self, square: Square) -> Option<Seat>;

    /// How many ways lead to positions `depth` plies later, as
    /// [`perft`](crate::perft::perft) counts them.
    ///
    /// # Errors
    /// A failure of the game.
    fn perft(&self, depth: u32) -> Result<u64, GameError>;

    /// Hands the count behind each step to `each`, with the step's text, until that returns
    /// `false`; `depth` is at least 1.
    ///
    /// # Errors
    /// A failure of the game.
    fn divide(&self, depth: u32, each: &mut dyn FnMut(&str, u64) -> bool) -> Result<(), GameError>;

    /// The same position again.
    fn boxed(&self) -> Position;
}

impl Clone for Position {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// Why a game did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GameError {
    /// The options are refused.
    Options(OptionError),
    /// The rules refuse an action.
    Refused(Refusal),
    /// The step does not answer the turn.
    Step(StepError),
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Step(error) => error.fmt(f),
        }
    }
}

impl Error for GameError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Options(error) => Some(error),
            Self::Refused(refusal) => Some(refusal),
            Self::Step(error) => Some(error),
        }
    }
}

impl From<OptionError> for GameError {
    fn from(error: OptionError) -> Self {
        Self::Options(error)
    }
}

impl From<Refusal> for GameError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StepError> for GameError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Refused(refusal) => Self::Refused(refusal),
            error => Self::Step(error),
        }
    }
}
