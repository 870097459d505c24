//! What a log says: results, the ranking, and what else its games show.
//!
//! [`TournamentAnalysis::read`] reads a log once to settle which games count and who is better.
//! Whatever else looks at every game is a [`LogVisitor`](pass::LogVisitor), and all visitors share
//! one more pass: [`TournamentAnalysis::visit`].

pub mod diagnostics;
pub mod evaluation;
pub mod failed_checks;
pub mod fault_cases;
pub mod highlights;
pub mod log_summary;
pub mod pass;
pub mod pseudonyms;
pub mod published;
pub mod rating_history;
pub mod results;
pub mod sprt;
pub mod tournament;

pub use evaluation::Evaluation;
pub use results::{AnalysisError, NamedResults};
pub use tournament::TournamentAnalysis;
