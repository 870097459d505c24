//! Reports for people and scripts: a results folder becomes tables, pages, packets and text.
//!
//! Most of it is pure: data in, bytes out. Only [`tournament_tables`], [`page_builder`], [`game_files`] and
//! [`packet_writer`] read the log and write files, in one pass over the games, each of which is
//! replayed once.
//!
//! ```
//! use referee_report::{Standings, csv_tables};
//! use referee_tournament::analysis::TournamentEvaluation;
//! use referee_tournament::analysis::named_results::examples::results;
//! use referee_tournament::schedule::progress_summary::ProgressSummary;
//!
//! let results = results(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "draw")]);
//! let evaluation = TournamentEvaluation::new(results, &[], &[None; 2], ProgressSummary::default())?;
//! let csv = String::from_utf8(csv_tables::standings_csv(&Standings::new(&evaluation))?)?;
//! let mut lines = csv.lines();
//! assert!(lines.next().expect("headings").starts_with("rank,"));
//! assert!(lines.next().expect("the first").contains("ant"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod board_picture;
pub(crate) mod charts;
pub mod ci_report;
pub mod colour;
pub mod csv_cells;
pub mod csv_tables;
pub mod diagnostics_text;
mod error;
pub mod field_verdict;
pub mod game_files;
pub mod games_csv;
pub mod graded_players;
pub mod match_verdict;
mod number_format;
pub mod packet_page;
pub mod packet_writer;
pub mod page;
pub mod page_builder;
pub mod pgn;
pub mod place_verdict;
pub mod replay_pack;
pub mod replay_renderer;
pub mod sgf;
pub mod standings;
mod standings_columns;
pub mod standings_json;
mod standings_notes;
pub mod taken_out;
pub mod terminal_ranking;
mod text_columns;
pub mod tournament_tables;
mod unranked;
pub mod wrap;

#[cfg(test)]
mod tests;

pub use error::ReportError;
pub use standings::{Standings, StandingsRemedy, StandingsRow};
