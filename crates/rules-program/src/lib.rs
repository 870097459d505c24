//! Games whose rules are a program: the contract with such programs, for both sides.
//!
//! A rules program reads one JSON object per line and answers each with one. No answer depends on
//! earlier requests: a request contains the state of its position. So a position can be kept,
//! copied, replayed and sent to any process of the program. `docs/games.md` describes the contract;
//! [`contract`] declares its messages and bounds.
//!
//! - [`ProgramGame`] is such a game as an [`AnyGame`](referee_games::AnyGame). A [`Launcher`]
//!   starts its program: [`ChildLauncher`] as a plain child process.
//! - [`serve`] is the other side: any game behind the same pipe.
//!
//! ```
//! use referee_games::GameKind;
//! use serde_json::Value;
//!
//! let request = r#"{"type": "start", "id": 1, "options": {"max-moves": 100}}"#;
//! let mut answer = Vec::new();
//! referee_rules_program::serve(GameKind::WatchYourBack.game(), request.as_bytes(), &mut answer)?;
//!
//! let answer: Value = serde_json::from_slice(&answer)?;
//! assert_eq!(answer["id"], 1);
//! assert_eq!(answer["turn"]["move"], "white");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A position is asked for once and kept. Every answer of the program is checked against the
//! contract. A violation is a `RulesProgramError`: the program failed, not a player.

mod boards;
mod checked_position;
mod child;
pub mod contract;
mod description;
mod error;
mod game;
mod link;
mod pipes;
mod position;
mod serve;

pub use child::ChildLauncher;
pub use game::ProgramGame;
pub use pipes::{Launcher, ProgramEnd, ProgramPipes, RulesProcess};
pub use serve::serve;

#[cfg(test)]
mod tests;
