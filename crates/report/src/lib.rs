//! Reports for people and scripts: turns data into tables, bytes and text. The caller opens and
//! writes the files.

pub mod board;
pub(crate) mod charts;
pub mod ci;
pub mod colour;
mod columns;
pub mod csv_cells;
pub mod details;
pub mod games;
pub mod grades;
pub mod json;
mod notes;
mod numbers;
pub mod packet;
pub mod page;
pub mod replay_pack;
pub mod standings;
mod standings_columns;
pub mod tables;
pub mod taken_out;
pub mod terminal;
mod unranked;
pub mod verdict;
pub mod wrap;

#[cfg(test)]
mod tests;

pub use standings::{Remedy, Row, Standings};
