#![doc = include_str!("../README.md")]

mod any_game;
pub mod back_to_the_wall;
pub mod backdraughts;
pub mod board;
pub mod chess;
mod drawn_board;
pub mod event;
mod game;
mod game_kind;
pub mod options;
mod perft;
mod places;
mod point;
mod position_history;
mod refusal;
mod safe_text;
pub mod seat;
mod turn;
pub mod two_player;
pub mod watch_your_back;
mod whole_number;

pub use any_game::{
    AnyGame, AnyPosition, GameError, PlacesTell, Position, ProgramError, RulesProgram, SharedGame,
    Typed, TypedPosition, draw_guesses,
};
pub use drawn_board::{
    BoardLook, BoardSymbol, Drawing, DrawnBoard, DrawnDie, DrawnRow, DrawnSquare, Labels,
    SquareMark,
};
pub use event::{Event, EventError, OtherEvent};
pub use game::{Clause, Game, Legal, RuleSheet, StepOf};
pub use game_kind::GameKind;
pub use options::{OptionError, OptionSpec, Options};
pub use perft::{perft, perft_divide};
pub use places::Places;
pub use refusal::{Refusal, StepError};
pub use safe_text::{Text, is_unsafe_to_show, safe_one_line};
pub use seat::{BySeat, SEATS, Seat, SeatMap, SeatSet};
pub use turn::{Outcome, PASS, Step, StepText, Stream, TextStep, Turn, draw_outcome};
pub use whole_number::WholeNumber;
