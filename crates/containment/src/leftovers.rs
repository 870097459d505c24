//! The leftovers of a killed process.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The leftovers of a process.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Leftovers {
    /// The number of descendants that were still alive and had to be killed; 0 if the system does
    /// not tell.
    pub processes: usize,
    /// The scratch folder, if it could not be removed.
    pub scratch: Option<UnremovedScratch>,
}

/// A scratch folder that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnremovedScratch {
    /// The folder.
    pub dir: PathBuf,
    /// Why it is still there.
    pub reason: String,
}
