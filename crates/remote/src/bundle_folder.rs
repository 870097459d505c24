//! The folder for the bundles of a run.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg, OFlag, open};
use nix::sys::stat::Mode;
use nix::unistd::geteuid;

use super::bundle::remove_bundle_tree;
use super::error::RemoteError;

/// How the names of workers' folders begin.
const OF_WORKER: &str = "referee-worker-";
/// How often others may remove a new folder as abandoned before that is an error.
const ATTEMPTS: usize = 8;

/// A folder for bundles, which is removed at the end.
#[derive(Debug)]
pub struct BundleFolder {
    /// The path.
    pub path: PathBuf,
    /// Held while the folder is in use: one without a lock is abandoned.
    _lock: Flock<File>,
}

impl BundleFolder {
    /// Creates a private folder, in place of an old one.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(path: PathBuf) -> Result<Self, RemoteError> {
        if path.symlink_metadata().is_ok() {
            // Of a run that was killed.
            remove_bundle_tree(&path).map_err(RemoteError::file("remove", &path))?;
        }
        let mut attempts = 1;
        loop {
            match create_bundle_folder(&path) {
                Err(error) if is_bundle_folder_taken(&error) && attempts < ATTEMPTS => {
                    attempts += 1;
                }
                created => {
                    let lock = created.map_err(RemoteError::file("create the folder", &path))?;
                    return Ok(Self { path, _lock: lock });
                }
            }
        }
    }

    /// Creates the folder of the worker with this key in the folder `above`, and removes those that
    /// killed workers have left there.
    pub(crate) fn of_worker(above: &Path, key: &str) -> Result<Self, RemoteError> {
        for entry in fs::read_dir(above).into_iter().flatten().flatten() {
            if entry.file_name().as_encoded_bytes().starts_with(OF_WORKER.as_bytes()) {
                remove_abandoned_bundle_folder(&entry.path());
            }
        }
        Self::new(above.join(format!("{OF_WORKER}{key}")))
    }

    /// The file of the bundle with this hash.
    pub(crate) fn path_of(&self, hash: &str) -> PathBuf {
        self.path.join(format!("{hash}.tar"))
    }
}

/// Creates a folder, and locks it.
fn create_bundle_folder(path: &Path) -> io::Result<Flock<File>> {
    // If the referee is root, players run as other users, who must be able to enter.
    let mode = if geteuid().is_root() { 0o711 } else { 0o700 };
    DirBuilder::new().mode(mode).create(path)?;
    let lock = lock_bundle_folder(path)?;
    // Another worker may have removed it as abandoned before it was locked.
    if path.exists() { Ok(lock) } else { Err(io::ErrorKind::NotFound.into()) }
}

/// Whether another worker removed a new folder as abandoned, or is about to.
fn is_bundle_folder_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, NotFound, WouldBlock};
    matches!(error.kind(), AlreadyExists | NotFound | WouldBlock)
}

/// Locks a folder for as long as this process lives; fails if another one holds the lock.
fn lock_bundle_folder(path: &Path) -> io::Result<Flock<File>> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let folder = File::from(open(path, flags, Mode::empty())?);
    let lock = Flock::lock(folder, FlockArg::LockExclusiveNonblock);
    lock.map_err(|(_, error)| error.into())
}

/// Removes an unused folder of this user. Others may put anything into the folder above.
fn remove_abandoned_bundle_folder(path: &Path) {
    let Ok(lock) = lock_bundle_folder(path) else { return };
    if lock.metadata().is_ok_and(|folder| folder.uid() == geteuid().as_raw())
        && let Err(error) = remove_bundle_tree(path)
    {
        tracing::warn!(%error, path = %path.display(), "a folder was left behind");
    }
}

impl Drop for BundleFolder {
    fn drop(&mut self) {
        if let Err(error) = remove_bundle_tree(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "a folder was left behind");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_worker_removes_what_killed_ones_have_left() {
        let above = tempfile::tempdir().expect("a folder");
        let path = |name: &str| above.path().join(name);
        // Without the lock, as if its process had been killed. Folders of players are read-only.
        fs::create_dir_all(path("referee-worker-killed/player")).expect("a folder");
        fs::write(path("referee-worker-killed/player/main.py"), "1").expect("a file");
        let read_only = Permissions::from_mode(0o555);
        fs::set_permissions(path("referee-worker-killed/player"), read_only).expect("ours");
        for other in ["elsewhere", "referee-worker"] {
            fs::create_dir(path(other)).expect("a folder");
        }
        symlink(path("elsewhere"), path("referee-worker-link")).expect("a link");
        let one = BundleFolder::of_worker(above.path(), "one").expect("a folder");
        let other = BundleFolder::of_worker(above.path(), "other").expect("a folder");
        assert!(!path("referee-worker-killed").exists());
        assert!(one.path.exists() && other.path.exists(), "in use");
        assert!(path("elsewhere").exists() && path("referee-worker").exists(), "not ours");
        drop((one, other));
        assert_eq!(fs::read_dir(above.path()).expect("a folder").count(), 3);
    }
}
