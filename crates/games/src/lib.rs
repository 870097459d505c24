#![doc = include_str!("../README.md")]

mod any_game;
pub mod back_to_the_wall;
pub mod backdraughts;
pub mod board;
pub mod chess;
mod drawn_board;
pub mod event;
mod game;
mod history;
mod kind;
mod number;
pub mod options;
mod perft;
mod places;
mod point;
mod refusal;
pub mod seat;
mod text;
mod turn;
pub mod two;
pub mod watch_your_back;

pub use any_game::{
    AnyGame, AnyPosition, GameError, PlacesTell, Position, ProgramError, RulesProgram, SharedGame,
    Typed, TypedPosition, guesses,
};
pub use drawn_board::{
    BoardLook, BoardSymbol, Drawing, DrawnBoard, DrawnDie, DrawnRow, DrawnSquare, Labels,
    SquareMark,
};
pub use event::{Event, EventError, OtherEvent};
pub use game::{Clause, Game, Legal, RuleSheet, StepOf};
pub use kind::GameKind;
pub use number::WholeNumber;
pub use options::{OptionError, OptionSpec, Options};
pub use perft::{divide, perft};
pub use places::Places;
pub use refusal::{Refusal, StepError};
pub use seat::{BySeat, SEATS, Seat, SeatMap, SeatSet};
pub use text::{Text, is_unsafe_to_show, one_line};
pub use turn::{Outcome, PASS, Step, StepText, Stream, TextStep, Turn, draw_outcome};
