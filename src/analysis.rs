//! What a log says: results, the ranking, and what else its games show.

pub mod diagnostics;
pub mod evaluation;
pub mod results;
pub mod sprt;

pub use evaluation::Evaluation;
pub use results::{AnalysisError, NamedResults};
