//! A file or folder that was found once, and is used only where it lay then.
//!
//! Whoever may write to the folder above can put a link or another folder in its place at any time,
//! and a process would see what that leads to.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

/// The path without links, as far as it exists.
pub fn real_path(path: &Path) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder != Path::new("") => real_path(folder).join(name),
        _ => path.to_owned(),
    }
}

/// How a folder is held: nothing is read of it.
#[cfg(target_os = "linux")]
const HELD: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const HELD: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A file or folder as it was found.
#[derive(Debug, Clone)]
pub struct PinnedPath {
    named: PathBuf,
    real: PathBuf,
    folder: Option<HeldFolder>,
}

/// A folder that is held open, so that its number remains its own.
#[derive(Debug, Clone)]
struct HeldFolder {
    id: PinnedFolderId,
    _held: Arc<OwnedFd>,
}

/// What distinguishes a folder from every other one that is there at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedFolderId {
    device: u64,
    inode: u64,
}

impl PinnedFolderId {
    /// The identity of an open folder; `None` for anything else.
    pub fn from_open(opened: impl AsFd) -> io::Result<Option<Self>> {
        let found = File::from(opened.as_fd().try_clone_to_owned()?).metadata()?;
        let id = Self { device: found.dev(), inode: found.ino() };
        Ok(found.is_dir().then_some(id))
    }
}

impl PartialEq for PinnedPath {
    fn eq(&self, other: &Self) -> bool {
        let id = |place: &Self| place.id();
        (&self.named, &self.real, id(self)) == (&other.named, &other.real, id(other))
    }
}

impl Eq for PinnedPath {}

impl PinnedPath {
    /// What lies at `path` now, behind links if it is one.
    pub fn find(path: &Path) -> Self {
        let real = real_path(path);
        let folder = rustix::fs::open(&real, HELD, Mode::empty()).ok().and_then(|held| {
            let id = PinnedFolderId::from_open(&held).ok()??;
            Some(HeldFolder { id, _held: Arc::new(held) })
        });
        Self { named: path.to_owned(), real, folder }
    }

    /// The path by which it was found.
    pub fn given_path(&self) -> &Path {
        &self.named
    }

    /// Where it lay, without links.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Which folder lay there, if it was one.
    pub fn id(&self) -> Option<PinnedFolderId> {
        self.folder.as_ref().map(|folder| folder.id)
    }

    /// Opens it for reading. A pipe is not waited for.
    ///
    /// # Errors
    /// There is a link on the way now, or another folder in its place, or the system reports an
    /// error.
    pub fn open(&self) -> io::Result<OwnedFd> {
        let opened = open_without_links(&self.real, OFlags::RDONLY | OFlags::NONBLOCK)?;
        if self.id().is_some_and(|id| PinnedFolderId::from_open(&opened).ok().flatten() != Some(id))
        {
            return Err(io::Error::other(format!("it {REPLACED}")));
        }
        Ok(opened)
    }
}

/// What happened to a folder that is not where it was found.
pub const REPLACED: &str = "was moved, or replaced by another one or by a link, after it was read";

/// Opens the file or folder at this absolute path, in which no link may be.
#[cfg(target_os = "linux")]
pub fn open_without_links(path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    use std::ffi::OsStr;
    use std::path::Component;

    let above = HELD | OFlags::NOFOLLOW;
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut opened = rustix::fs::open("/", above, Mode::empty())?;
    let mut names = path.components().filter(|part| *part != Component::RootDir);
    let mut name = names.next().map_or(OsStr::new("."), Component::as_os_str);
    for next in names {
        opened = rustix::fs::openat(&opened, name, above, Mode::empty())?;
        name = next.as_os_str();
    }
    rustix::fs::openat(&opened, name, flags, Mode::empty())
}

/// Opens the file or folder at this absolute path, in which no link may be.
#[cfg(not(target_os = "linux"))]
pub fn open_without_links(path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let nowhere = OFlags::from_bits_retain(nix::libc::O_NOFOLLOW_ANY as _);
    rustix::fs::open(path, flags | nowhere | OFlags::CLOEXEC, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_is_opened_only_where_it_was_found() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("subs/ann/src")).expect("folders");
        symlink("subs", at("here")).expect("a link");
        let place = PinnedPath::find(&at("here/ann/src"));
        assert_eq!(place.real(), real_path(&at("subs/ann/src")));
        place.open().expect("the same");
        fs::rename(at("subs/ann/src"), at("subs/ann/old")).expect("renamed");
        place.open().expect_err("it is gone");
        symlink("old", at("subs/ann/src")).expect("a link");
        place.open().expect_err("a link");
        fs::remove_file(at("subs/ann/src")).expect("removed");
        fs::create_dir(at("subs/ann/src")).expect("a folder");
        assert_eq!(place.open().expect_err("another one").to_string(), format!("it {REPLACED}"));
        fs::remove_dir(at("subs/ann/src")).expect("removed");
        fs::rename(at("subs/ann/old"), at("subs/ann/src")).expect("renamed");
        place.open().expect("the same again");
        fs::rename(at("subs"), at("moved")).expect("renamed");
        symlink("moved", at("subs")).expect("a link");
        place.open().expect_err("a link above it");
    }

    #[test]
    fn a_file_may_be_written_anew_but_not_become_a_link() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("net");
        fs::write(&path, "old").expect("a file");
        let place = PinnedPath::find(&path);
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "new").expect("a file");
        place.open().expect("a file");
        fs::remove_file(&path).expect("removed");
        symlink("/etc/passwd", &path).expect("a link");
        place.open().expect_err("a link");
    }
}
