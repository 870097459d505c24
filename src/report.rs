//! What people and scripts read of a tournament: data turned into tables, bytes and text. Opening
//! and writing files is left to the caller.

mod columns;
pub mod details;
pub mod games;
pub mod json;
mod notes;
pub mod standings;
pub mod tables;
pub mod terminal;
pub mod verdict;

pub use standings::{Row, Standings};
