//! A tournament: what is played in which order, where, and what became of it.

pub mod audit;
pub mod continuation;
pub mod cores;
pub mod deadline;
pub mod decisions;
pub mod folder;
pub mod format;
pub mod ledger;
pub mod openings;
pub mod results;
pub mod runner;
pub mod schedule;
pub mod slot;
pub mod summary;
