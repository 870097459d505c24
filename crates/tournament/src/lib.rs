//! Plays many games in the order of a schedule, resumes them, and says what they show.

pub mod analysis;
pub mod folder;
pub mod run;
pub mod schedule;
pub mod verify;
