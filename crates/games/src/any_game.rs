//! Games as text, independent of their types.
//!
//! The referee, its log and everything that reads the log use a game as an [`AnyGame`] and a
//! position as an [`AnyPosition`]. Actions, chance outcomes and the state are texts. [`Typed`]
//! turns every typed [`Game`](crate::Game) into an [`AnyGame`]. A game whose rules are a program
//! implements these traits too: methods that may have to ask it can return a [`GameError`].

mod failure;
mod guesses;
mod typed;

use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rand::RngCore;
use serde::{Deserialize, Serialize};
use serde_json::Number;
use serde_json::value::{RawValue, to_raw_value};

pub use failure::ProgramError;
pub use guesses::draw_guesses;
pub use typed::{Typed, TypedPosition};

use super::drawn_board::{BoardLook, Drawing};
use super::event::Event;
use super::game::{Clause, Legal};
use super::options::{OptionError, OptionSpec, Options};
use super::refusal::{Refusal, StepError};
use super::safe_text::Text;
use super::seat::{BySeat, Seat, SeatSet};
use super::turn::{StepText, Turn};

/// A game that several owners share.
pub type SharedGame = Arc<dyn AnyGame>;

/// A game.
pub trait AnyGame: fmt::Debug + Send + Sync {
    /// The game's name, for example `watch-your-back`.
    fn name(&self) -> &str;

    /// The name for people, for example `Watch Your Back!`.
    fn title(&self) -> &str;

    /// The names of the seats, first seat first.
    fn seats(&self) -> BySeat<Text>;

    /// Every clause, in order.
    fn clauses(&self) -> &[Clause];

    /// Every option, in order.
    fn options(&self) -> &[OptionSpec];

    /// What the characters on its boards mean; `None` if its boards are plain text.
    fn look(&self) -> Option<&BoardLook>;

    /// Returns the start position under these options, which must be resolved from
    /// [`options`](AnyGame::options). The position contains the rules in force. Start a game once
    /// and clone the position for other games under the same options.
    ///
    /// # Errors
    /// The options contradict each other.
    fn start(&self, options: &Options) -> Result<Position, GameError>;

    /// Returns the reason why a game under these options might never end, if there is one. Such a
    /// game cannot be played, but `trace` and `test-game --perft` accept it.
    ///
    /// # Errors
    /// The options contradict each other.
    fn endless(&self, options: &Options) -> Result<Option<String>, GameError>;

    /// Whether the game has hidden information. If so, a player is only sent the
    /// [view](AnyPosition::view) and the events of its own seat.
    fn is_hidden(&self) -> bool {
        false
    }

    /// The program that knows the rules, unless the game is built in.
    fn program(&self) -> Option<&RulesProgram> {
        None
    }

    /// The first failure of the program that knows the rules, if it failed. Guesses do not count.
    fn failed(&self) -> Option<GameError> {
        None
    }

    /// Whether the other game has the same rules, judging by names and programs.
    fn is_same_as(&self, other: &dyn AnyGame) -> bool {
        self.name() == other.name() && self.program() == other.program()
    }

    /// Returns the position that a [description](AnyPosition::description) of a position of this
    /// game under these options describes, after `ply` plies. `None` for a game that is built in.
    ///
    /// # Errors
    /// The description does not fit the game.
    fn described(
        &self,
        _options: &Options,
        _description: &RawValue,
        _ply: u32,
    ) -> Result<Option<Position>, GameError> {
        Ok(None)
    }

    /// Returns the same game for use on another core, with a process of its own if its rules are a
    /// program; `None` if all threads can share the game.
    fn for_another_core(&self) -> Option<SharedGame> {
        None
    }

    /// Like [`for_another_core`](AnyGame::for_another_core), for a game that is tested: its program
    /// is sent the answers of a turn of more than two seats in reverse order, which must not matter.
    fn for_comparison(&self) -> Option<SharedGame> {
        self.for_another_core()
    }
}

/// The identity of a program that knows the rules of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesProgram {
    /// The words of its command, as configured.
    pub command: Vec<String>,
    /// The program of the command, as an absolute path. Not in logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// Its working folder, as an absolute path. Not in logs.
    #[serde(rename = "place", default, skip_serializing_if = "String::is_empty")]
    pub dir: String,
    /// Its working folder relative to that of the configuration; `dir` in logs.
    #[serde(rename = "dir")]
    pub configured: String,
    /// Other files that are part of the game, relative to the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The time for an answer, in milliseconds.
    pub reply_ms: u64,
    /// A hash of the game's description, the command and the contents of its files.
    pub hash: String,
    /// A hash of the command and the contents of its files, known before the program is started.
    pub code: String,
    /// Whether a seat may not see everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// What the places of its games tell.
    #[serde(default, skip_serializing_if = "PlacesTell::is_all")]
    pub ranking: PlacesTell,
}

/// What the places of a game with more than two seats tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlacesTell {
    /// The order of the players.
    #[default]
    Places,
    /// Only who won: the others share a place because nothing is known about them.
    Winner,
}

impl PlacesTell {
    /// Whether they define an order.
    pub fn is_all(&self) -> bool {
        *self == Self::Places
    }
}

/// A position of any game, with the rules in force.
pub type Position = Box<dyn AnyPosition>;

impl RulesProgram {
    /// The same for a log, which says nothing of where things are on this machine.
    #[must_use]
    pub fn without_local_paths(&self) -> Self {
        Self { program: String::new(), dir: String::new(), ..self.clone() }
    }
}

/// A position of any game, with the rules in force.
///
/// Methods that may have to ask the game return a [`Result`]; the others answer from the position
/// alone.
pub trait AnyPosition: fmt::Debug + Send + Sync {
    /// The names of the seats, first seat first.
    fn seats(&self) -> BySeat<Text>;

    /// Returns the turn: who acts next, or how the game ended.
    fn turn(&self) -> Turn;

    /// The possible chance outcomes with their weights. Empty unless [`turn`](AnyPosition::turn) is
    /// [`Turn::Chance`]; then there is at least one outcome, and not all weights are zero.
    fn outcomes(&self) -> Vec<(String, u32)>;

    /// The number of plies so far. Every action, including a forced pass, is one ply; so is a
    /// simultaneous turn.
    fn ply(&self) -> u32;

    /// The legal actions of `seat` in the form sent to players; an empty list unless the seat is to
    /// choose.
    fn legal(&self, seat: Seat) -> Legal;

    /// [`legal`](AnyPosition::legal) as JSON.
    fn legal_json(&self, seat: Seat) -> Box<RawValue> {
        raw_position_json(&self.legal(seat))
    }

    /// The texts of all legal actions of `seat`, sorted; `None` if there are too many to list.
    fn legal_list(&self, seat: Seat) -> Option<Vec<String>> {
        match self.legal(seat) {
            Legal::List(actions) => Some(actions),
            _ => None,
        }
    }

    /// The first action of [`legal_list`](AnyPosition::legal_list), if there is one.
    fn first_legal(&self, seat: Seat) -> Option<String> {
        self.legal_list(seat)?.into_iter().next()
    }

    /// The number of legal actions of `seat`; 0 if the game does not list them.
    fn legal_count(&self, seat: Seat) -> u64;

    /// The texts of all legal actions of `seat`, even if there are very many, for
    /// [`perft`](crate::perft()); `None` if the game does not list them.
    fn all_actions(&self, seat: Seat) -> Option<Vec<String>> {
        self.legal_list(seat)
    }

    /// The chance outcomes that can be drawn and lead to different games, for
    /// [`perft`](crate::perft()).
    fn different_outcomes(&self) -> Vec<String> {
        let possible = self.outcomes().into_iter().filter(|(_, weight)| *weight > 0);
        possible.map(|(outcome, _)| outcome).collect()
    }

    /// Parses untrusted text as an action of `seat` and returns the action's canonical text.
    ///
    /// # Errors
    /// [`GameError::Refused`] says which clause forbids the action; any other error is a failure of
    /// the game.
    fn judge(&self, seat: Seat, text: &str) -> Result<String, GameError>;

    /// Whether `seat` could still win, if the others played as badly as they can. If not, in a game for
    /// two, it does not win when the other one runs out of time: the game is a draw.
    fn can_win(&self, _seat: Seat) -> bool {
        true
    }

    /// The seats that are out of the game, as far as its rules say so.
    fn eliminated(&self) -> SeatSet {
        SeatSet::default()
    }

    /// Plays a step and appends its events to `events`. If the game ends, the last one is
    /// [`Event::Over`].
    ///
    /// # Errors
    /// The step does not answer [`turn`](AnyPosition::turn), or the rules forbid it. The position
    /// is then unchanged.
    fn play(&mut self, step: StepText<'_>, events: &mut Vec<Event>) -> Result<(), GameError>;

    /// Like [`play`](AnyPosition::play), for those who need no events.
    ///
    /// # Errors
    /// As [`play`](AnyPosition::play).
    fn play_silently(&mut self, step: StepText<'_>) -> Result<(), GameError> {
        self.play(step, &mut Vec::new())
    }

    /// Draws a legal action of `seat`, all with the same probability; `None` if there is none.
    ///
    /// # Errors
    /// A failure of the game.
    fn sample(&self, seat: Seat, rng: &mut dyn RngCore) -> Result<Option<String>, GameError>;

    /// The complete state as JSON.
    fn state(&self) -> Cow<'_, RawValue>;

    /// A hash of the state.
    fn state_hash(&self) -> u64 {
        hash_game_state(self.state().get())
    }

    /// The part of the state that `seat` may see, as JSON: all of it, unless the game has hidden
    /// information.
    fn view(&self, _seat: Seat) -> Cow<'_, RawValue> {
        self.state()
    }

    /// A position that `seat` cannot tell from this one, chosen by `draw`, which is below 2⁵³. For
    /// one `draw`, positions that the seat cannot tell apart return the same guess. `None` if the
    /// game has hidden information but makes no guesses.
    ///
    /// # Errors
    /// A failure of the game.
    fn guess(&self, _seat: Seat, _draw: u64) -> Result<Option<Position>, GameError> {
        Ok(Some(self.boxed()))
    }

    /// The position as its rules program describes it; `None` in a game that is built in.
    fn description(&self) -> Option<Box<RawValue>> {
        None
    }

    /// Everything that the position holds besides the rules, as JSON; `None` in a game whose rules
    /// are a program, where that is the state.
    fn snapshot(&self) -> Option<Box<RawValue>> {
        None
    }

    /// The position with this [snapshot](AnyPosition::snapshot), of a game under the same options;
    /// `None` if there can be none.
    fn restored(&self, _snapshot: &RawValue) -> Option<Position> {
        None
    }

    /// The game's own estimates of the result, from −1 (lost) to 1 (won), if it makes any.
    fn values(&self) -> Option<BySeat<f64>> {
        None
    }

    /// The scores of a game that is over, if the higher one decided it.
    fn scores(&self) -> Option<&BySeat<Number>> {
        None
    }

    /// How people see the position.
    fn draw(&self) -> Drawing<'_>;

    /// The position as SVG for pages, which show it instead of a board or text; none if the game
    /// draws none. It can run nothing and load nothing, and is ASCII.
    ///
    /// # Errors
    /// The game's drawing has something that is not allowed.
    fn svg(&self) -> Result<Option<String>, GameError> {
        Ok(None)
    }

    /// A line for people with what the board does not show (phase, counts).
    fn caption(&self) -> String;

    /// Returns a clone of the position.
    fn boxed(&self) -> Position;
}

/// A hash that is the same in all runs of one program.
pub(crate) fn hash_game_state(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[expect(clippy::expect_used, reason = "plain data serialises")]
pub(crate) fn raw_position_json(value: &impl Serialize) -> Box<RawValue> {
    to_raw_value(value).expect("plain data serialises")
}

impl Clone for Position {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// An error from a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// The options are refused.
    #[error("{0}")]
    Options(#[from] OptionError),
    /// The rules refuse an action.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The step does not answer the turn.
    #[error("{0}")]
    Step(#[from] StepError),
    /// The game does not list its actions, so that its positions cannot be counted.
    #[error("the game does not list its actions, so its positions cannot be counted")]
    Unlisted,
    /// There are more positions than can be counted.
    #[error("there are too many positions to count")]
    Uncountable,
    /// The program that knows the rules failed. Nobody's action or options caused it.
    #[error(transparent)]
    Program(#[from] ProgramError),
}
