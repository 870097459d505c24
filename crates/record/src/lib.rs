//! The data of a tournament, and the log in which its games are recorded.

pub mod bounded;
pub mod disk;
pub mod fingerprint;
pub mod log;
pub mod model;
pub mod parallel;
pub mod seeds;
pub mod shell;
pub mod wording;
