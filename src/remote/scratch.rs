//! The folder in which a worker keeps bundles.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::Failure;

/// A folder for bundles, which is removed at the end.
#[derive(Debug)]
pub struct ScratchFolder {
    /// Its path.
    pub path: PathBuf,
}

impl ScratchFolder {
    /// Creates a folder that nobody else can list.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(name: &str) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("referee-worker-{name}"));
        // If the referee is root, players run as other users, who must be able to enter.
        let mode = if nix::unistd::geteuid().is_root() { 0o711 } else { 0o700 };
        let created = DirBuilder::new().mode(mode).create(&path);
        created.map_err(|error| {
            Failure::system(format!("cannot create the folder {}: {error}", path.display()))
        })?;
        Ok(Self { path })
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = make_writable(&self.path).and_then(|()| fs::remove_dir_all(&self.path))
        {
            tracing::warn!(%error, path = %self.path.display(), "a folder stays behind");
        }
    }
}

/// Unpacked folders are read-only.
fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}
