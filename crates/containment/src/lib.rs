//! What a sandbox is asked for and what it reports, as plain data.
//!
//! The sandbox itself is another crate: whoever only reads what was in force, in a log or a
//! configuration, needs no process, no kernel feature and no runtime.

pub mod leftovers;
pub mod level;
pub mod limits;
pub mod place;

pub use leftovers::{Leftovers, UnremovedScratch};
pub use level::{Level, Mechanism, Requirement};
pub use limits::{Limits, Overrun};
pub use place::Place;
