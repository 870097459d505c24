#![doc = include_str!("../README.md")]

pub mod endpoint;
pub mod leftovers;
pub mod level;
pub mod pinned_path;
pub mod resource_limits;

pub use endpoint::{Endpoint, InvalidEndpoint};
pub use leftovers::{Leftovers, UnremovedScratch};
pub use level::{Level, Mechanism, Requirement};
pub use pinned_path::PinnedPath;
pub use resource_limits::{Limits, Overrun};
