//! The checks of `referee check`: starts a player, asks it for every kind of turn of a game, plays
//! it against itself and the built-in players, and reports the results.

mod advice;
mod beginning;
mod drills;
mod examiner;
mod finding;
mod load;
mod records;
mod report;
pub mod transcript;

pub use beginning::Beginning;
pub use drills::{Drill, drills};
pub use examiner::{Candidate, Exam, StepNews, examine};
pub use finding::CheckFinding;
pub use report::{
    CheckReport, CheckStep, Figures, OpponentScore, Readiness, ReportText, StepVerdict,
};
pub use transcript::ShownLine;
