//! Reports for people and scripts: a results folder becomes tables, pages, packets and text.
//!
//! Most of it is pure: data in, bytes out. Only [`tables`], [`page_builder`], [`game_files`] and
//! [`packets`] read the log and write files, in one pass over the games, each of which is
//! replayed once.
//!
//! ```
//! use referee_report::{Standings, csv_tables};
//! use referee_tournament::analysis::Evaluation;
//! use referee_tournament::analysis::results::examples::results;
//! use referee_tournament::schedule::summary::Summary;
//!
//! let results = results(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "draw")]);
//! let evaluation = Evaluation::new(results, &[], &[None; 2], Summary::default())?;
//! let csv = String::from_utf8(csv_tables::standings(&Standings::new(&evaluation))?)?;
//! let mut lines = csv.lines();
//! assert!(lines.next().expect("headings").starts_with("rank,"));
//! assert!(lines.next().expect("the first").contains("ant"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board_picture;
pub(crate) mod charts;
pub mod ci;
pub mod colour;
mod columns;
pub mod csv_cells;
pub mod csv_tables;
pub mod details;
mod error;
pub mod field_verdict;
pub mod game_files;
pub mod games;
pub mod grades;
pub mod json;
mod notes;
mod numbers;
pub mod packet_page;
pub mod packets;
pub mod page;
pub mod page_builder;
pub mod pgn;
pub mod place_verdict;
pub mod replay_pack;
pub mod replays;
pub mod sgf;
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

pub use error::ReportError;
pub use standings::{Remedy, Row, Standings};
