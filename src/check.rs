//! The checks of `referee check`: starts a player, asks it for every kind of turn of a game, plays
//! it against itself and the built-in players, and reports the results.

mod advice;
mod beginning;
mod drills;
mod examiner;
pub(crate) mod fault_transcript;
mod finding;
mod load;
mod records;
pub(crate) mod report;

pub(crate) use beginning::Beginning;
pub(crate) use drills::drills;
pub(crate) use examiner::{Candidate, Exam, StepNews, examine};
pub(crate) use fault_transcript::ShownLine;
pub(crate) use finding::CheckFinding;
pub(crate) use report::{CheckReport, CheckStep, Readiness, ReportText};
