//! The rules of the games: pure and deterministic, without processes, time, files or protocol.
//!
//! There are two ways to use a game.
//!
//! **As text.** [`GameKind`] lists the games. [`GameKind::game`] returns an [`AnyGame`], which
//! creates a [`Position`]. Actions, chance outcomes and the state are texts. The referee uses this
//! interface, and so should every program that works with any game:
//!
//! ```
//! use rand_chacha::ChaCha8Rng;
//! use rand_chacha::rand_core::SeedableRng;
//! use referee_games::{GameKind, Options, Step, Turn};
//!
//! let game = GameKind::named("watch-your-back").expect("a game").game();
//! let options = Options::resolve(game.options(), [("max-moves", "50")])?;
//! let mut position = game.start(&options)?;
//! let (mut events, mut rng) = (Vec::new(), ChaCha8Rng::seed_from_u64(7));
//! while let Some(seat) = position.turn().asked().iter().next() {
//!     let action = match position.turn() {
//!         Turn::Move(_) => position.sample(seat, &mut rng)?.expect("an action"),
//!         turn => panic!("{turn:?} in a game without simultaneous turns"),
//!     };
//!     position.play(Step::Move(&action), &mut events)?;
//! }
//! assert!(matches!(position.turn(), Turn::Over(_) | Turn::Pass(_)));
//! println!("{:?}\n{}", position.draw(), position.caption());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **With types.** Every game implements [`Game`], the type of its positions, for programs that
//! search. [`Game::turn`] returns who acts next. [`Game::parse_action`] checks an action;
//! [`Game::play_unchecked`] and [`Game::play_silently`] do not:
//!
//! ```
//! use referee_games::watch_your_back::WatchYourBack;
//! use referee_games::two::{Side, Step};
//! use referee_games::{Game, Options};
//!
//! let options = Options::resolve(&WatchYourBack::sheet().options, [])?;
//! let rules = WatchYourBack::rules(&options)?;
//! let mut position = WatchYourBack::start(&rules.into());
//! let action = position.parse_action(Side::First, "3,4")?;
//! position.play_silently(Step::Move(action));
//! let refusal = position.parse_action(Side::Second, "3,4").expect_err("a piece stands there");
//! assert!(refusal.to_string().starts_with("W2: 3,4 "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod any;
pub mod back_to_the_wall;
pub mod backdraughts;
pub mod board;
pub mod chess;
mod drawing;
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

pub use any::{
    AnyGame, AnyPosition, GameError, PlacesTell, Position, ProgramError, RulesProgram, SharedGame,
    Typed, TypedPosition, guesses,
};
pub use drawing::{
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
