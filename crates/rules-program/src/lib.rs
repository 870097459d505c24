#![doc = include_str!("../README.md")]

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
mod printable;
mod serve;
mod svg;

pub use child::ChildLauncher;
pub use game::ProgramGame;
pub use pipes::{Launcher, ProgramEnd, ProgramPipes, RulesProcess};
pub use serve::serve;

#[cfg(test)]
mod tests;
