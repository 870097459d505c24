#![doc = include_str!("../README.md")]

pub mod endpoint;
pub mod leftovers;
pub mod level;
pub mod limits;
pub mod pinned_path;

pub use endpoint::{Endpoint, InvalidEndpoint};
pub use leftovers::{Leftovers, UnremovedScratch};
pub use level::{Level, Mechanism, Requirement};
pub use limits::{Limits, Overrun};
pub use pinned_path::PinnedPath;
