//! The rule sets: pure, deterministic, and unaware of processes, time, files and the wire.
//!
//! A game is a type that implements [`Game`]: a position that answers one question,
//! [`Game::turn`], with data. Untrusted text becomes an action through one door,
//! [`Game::parse_action`]; everything else uses actions that are known to be legal.

mod any;
pub mod back_to_the_wall;
pub mod backdraughts;
pub mod board;
pub mod event;
mod game;
mod kind;
pub mod options;
pub mod perft;
mod point;
mod refusal;
pub mod seat;
mod text;
mod turn;
pub mod watch_your_back;

pub use any::{AnyGame, AnyPosition, GameError, Position, Typed, TypedPosition};
pub use event::Event;
pub use game::{Clause, Game, Legal, StepOf};
pub use kind::GameKind;
pub use options::{OptionError, OptionSpec, Options};
pub use refusal::{Refusal, StepError};
pub use seat::{BySeat, Seat, SeatMap};
pub use text::Text;
pub use turn::{GameResult, Outcome, PASS, Step, StepText, Stream, TextStep, Turn};
