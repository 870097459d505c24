//! Analyses a log: results, ranking and other findings.
//!
//! [`TournamentAnalysis::read`] reads a log once to find out which games count and to rank the
//! players. Everything else that examines each game is done in a second pass:
//! [`TournamentAnalysis::each_game`].

pub mod diagnostics;
pub mod failed_checks;
pub mod fault_cases;
pub mod highlights;
pub mod imported_games;
pub mod joined_tournaments;
pub mod log_summary;
pub mod logged_game;
pub mod match_game;
pub mod named_results;
pub mod pseudonyms;
pub mod published_games;
pub mod rating_history;
pub mod sealed_games;
mod seen_games;
pub mod tournament_analysis;
pub mod tournament_evaluation;

pub use named_results::NamedResults;
pub use tournament_analysis::TournamentAnalysis;
pub use tournament_evaluation::TournamentEvaluation;
