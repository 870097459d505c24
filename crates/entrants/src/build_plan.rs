//! What of a submission is built, and how.

use std::path::{Path, PathBuf};

use super::build_commands::SITE_PACKAGES;
use super::relative_path::relative_path;

/// A submission to build, and the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildPlan {
    /// The folder of the submission, which is copied completely. Nothing outside it is visible.
    pub source: PathBuf,
    /// The folder in it where the command runs.
    pub below: PathBuf,
    /// The command, for a shell.
    pub command: String,
    /// What the build may change.
    pub purpose: BuildPurpose,
}

/// What a build may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildPurpose {
    /// It makes the player.
    Player,
    /// It only adds files: what was the player before stays the player.
    Additions,
}

impl BuildPlan {
    /// The variable that lets Python, run in the folder `dir`, find the libraries that the build
    /// installed into the folder `result`.
    pub fn library_path(&self, result: &Path, dir: &Path) -> Option<(String, String)> {
        let libraries = result.join(&self.below).join(SITE_PACKAGES);
        // A relative path holds wherever the folder lies, on another machine too.
        let path = libraries.is_dir().then(|| relative_path(dir, &libraries))?;
        Some(("PYTHONPATH".to_owned(), path.to_str()?.to_owned()))
    }
}
