//! One game: starts two players, asks them in turn under their clocks, checks and plays what they
//! answer, and plays recorded games again.
//!
//! - [`player`] is everything that can answer a turn: a process, a built-in player, a person.
//! - [`referee`] plays a game; it waits for players only through [`player`].
//! - [`adjudication`] ends a game before its rules do.
//! - [`replay`] plays a record step by step, and [`reask`] asks a player once more for one decision.
//! - [`game_program`] finds and starts the program of a game's rules.
//! - [`openings`] has the actions with which games begin:
//!
//! ```
//! use referee_games::{GameKind, Options, Step};
//! use referee_match::openings::play_opening_list;
//!
//! let game = GameKind::WatchYourBack.game();
//! let start = game.start(&Options::resolve(game.options(), [])?)?;
//! let steps = play_opening_list(&start, &["3,4".to_owned(), "4,4".to_owned()])?;
//! assert!(matches!(&steps[..], [Step::Move(first), Step::Move(_)] if first == "3,4"));
//!
//! let refused = play_opening_list(&start, &["3,4".to_owned(), "3,4".to_owned()]);
//! assert!(refused.is_err(), "a piece stands there");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod adjudication;
pub mod game_program;
pub mod openings;
pub mod pauses;
pub mod player;
pub mod reask;
pub mod referee;
pub mod replay;
