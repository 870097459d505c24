#![doc = include_str!("../README.md")]

mod boards;
mod checked_position;
mod child_launcher;
pub mod contract;
mod error;
mod game_description;
mod printable;
mod program_game;
mod program_link;
mod program_pipes;
mod program_position;
mod rules_server;
mod svg;

pub use child_launcher::ChildLauncher;
pub use program_game::ProgramGame;
pub use program_pipes::{ProgramEnd, ProgramLauncher, ProgramPipes, RulesProcess};
pub use rules_server::serve_rules;

#[cfg(test)]
mod tests;
