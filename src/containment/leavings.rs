//! What is left of a player that was killed.

use serde::{Deserialize, Serialize};

/// What a player left.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Leavings {
    /// How many processes besides its first had to be killed; 0 where that cannot be known.
    pub(crate) processes: usize,
    /// What could not be removed, and why: a sentence without a subject.
    pub(crate) stays: Option<String>,
}
