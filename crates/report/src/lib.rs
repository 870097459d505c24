//! Reports for people and scripts: turns data into tables, bytes and text. The caller opens and
//! writes the files.

pub mod board;
pub mod charts;
pub mod ci;
pub mod colour;
mod columns;
pub mod csv_cells;
pub mod details;
pub mod drawing;
pub mod elo;
pub mod games;
pub mod grades;
pub mod json;
mod notes;
pub mod packet;
pub mod page;
pub mod replay_frames;
pub mod replay_pack;
pub mod standings;
mod standings_columns;
pub mod story;
pub mod tables;
pub mod taken_out;
pub mod terminal;
mod unranked;
pub mod verdict;

#[cfg(test)]
mod ranking_tests;

pub use standings::{Remedy, Row, Standings};
