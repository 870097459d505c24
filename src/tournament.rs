//! Recorded games played again: what they claim, and what was decided in them.

pub mod audit;
pub mod decisions;
