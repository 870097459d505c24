//! Reports for people and scripts: turns data into tables, bytes and text. The caller opens and
//! writes the files.
//!
//! ```
//! use referee_report::{Standings, tables};
//! use referee_tournament::analysis::Evaluation;
//! use referee_tournament::analysis::results::examples::results;
//! use referee_tournament::schedule::summary::Summary;
//!
//! let results = results(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "draw")]);
//! let evaluation = Evaluation::new(results, &[], &[None; 2], Summary::default())?;
//! let csv = String::from_utf8(tables::standings(&Standings::new(&evaluation))?)?;
//! let mut lines = csv.lines();
//! assert!(lines.next().expect("headings").starts_with("rank,"));
//! assert!(lines.next().expect("the first").contains("ant"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub mod pgn;
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
