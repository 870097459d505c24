//! The folder for the bundles of a run.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use super::bundle::remove_tree;
use super::error::RemoteError;

/// A folder for bundles, which is removed at the end.
#[derive(Debug)]
pub struct ScratchFolder {
    /// Its path.
    pub path: PathBuf,
}

impl ScratchFolder {
    /// Creates a folder that nobody else can list, in place of an old one.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(path: PathBuf) -> Result<Self, RemoteError> {
        if path.symlink_metadata().is_ok() {
            // Of a run that was killed.
            remove_tree(&path).map_err(RemoteError::file("remove", &path))?;
        }
        // If the referee is root, players run as other users, who must be able to enter.
        let mode = if nix::unistd::geteuid().is_root() { 0o711 } else { 0o700 };
        let created = DirBuilder::new().mode(mode).create(&path);
        created.map_err(RemoteError::file("create the folder", &path))?;
        Ok(Self { path })
    }

    /// The file of the bundle with this hash.
    pub(crate) fn bundle(&self, hash: &str) -> PathBuf {
        self.path.join(format!("{hash}.tar"))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = remove_tree(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "a folder stays behind");
        }
    }
}
