//! The scratch folder of a player without a file system of its own, and removing it.
//!
//! What lies in it was made by the player: nothing is ever done by a path in it, only from folder
//! to folder by descriptors, and no link is followed.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::path::Path;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, OpenHow, ResolveFlag, openat2, renameat};
use nix::sys::stat::{Mode, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use super::Overrun;
use super::limits::MOST_FILES;

/// How deep folders are opened in each other; what lies deeper is brought up first.
const DEEPEST: usize = 16;
/// The most folders that are held open at once while sizes are summed.
const MOST_OPEN: usize = 512;

/// Makes the folder, for `user` where there is one.
pub(super) fn make(dir: &Path, user: Option<u32>) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(dir)?;
    if user.is_some() {
        chown(dir, user, user)?;
    }
    Ok(())
}

/// Removes the folder with everything in it.
pub(super) fn remove(dir: &Path) -> io::Result<()> {
    let top = nix::fcntl::open(dir, folder_flags() | OFlag::O_NOFOLLOW, Mode::empty())?;
    let mut sweep = Sweep { top: top.as_fd(), moved: 0 };
    // What was brought up is removed in a later round.
    loop {
        let before = sweep.moved;
        sweep.empty(top.as_fd(), 0)?;
        if sweep.moved == before {
            return std::fs::remove_dir(dir);
        }
    }
}

/// What is too much in the folder, if anything: more than `limit` bytes in all files, or more files
/// than there may be.
pub(super) fn overrun(dir: &Path, limit: u64) -> io::Result<Option<Overrun>> {
    let top = nix::fcntl::open(dir, folder_flags() | OFlag::O_NOFOLLOW, Mode::empty())?;
    let (mut used, mut files, mut due) = (0, 0, vec![top]);
    while let Some(folder) = due.pop() {
        for name in names(folder.as_fd())? {
            let flags = AtFlags::AT_SYMLINK_NOFOLLOW;
            let Ok(found) = fstatat(&folder, name.as_c_str(), flags) else { continue };
            // An entry costs something too, however empty it is.
            used += u64::try_from(found.st_blocks).unwrap_or(0) * 512 + 256;
            files += 1;
            if used > limit {
                return Ok(Some(Overrun::Scratch { used, limit }));
            }
            if files > MOST_FILES {
                return Ok(Some(Overrun::Files));
            }
            let is_folder = found.st_mode & nix::libc::S_IFMT == nix::libc::S_IFDIR;
            if is_folder && due.len() < MOST_OPEN {
                due.extend(open_folder(folder.as_fd(), &name));
            }
        }
    }
    Ok(None)
}

fn folder_flags() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC
}

struct Sweep<'a> {
    top: BorrowedFd<'a>,
    /// How many folders were brought up.
    moved: u64,
}

impl Sweep<'_> {
    fn empty(&mut self, folder: BorrowedFd<'_>, depth: usize) -> io::Result<()> {
        for name in names(folder)? {
            match unlinkat(folder, name.as_c_str(), UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => continue,
                Err(Errno::EISDIR | Errno::EPERM) => {}
                Err(error) => return Err(error.into()),
            }
            if depth >= DEEPEST {
                let name_on_top = CString::new(format!(".deep-{}", self.moved))?;
                self.moved += 1;
                renameat(folder, name.as_c_str(), self.top, name_on_top.as_c_str())?;
                continue;
            }
            let below = open_folder(folder, &name)?;
            self.empty(below.as_fd(), depth + 1)?;
            unlinkat(folder, name.as_c_str(), UnlinkatFlags::RemoveDir)?;
        }
        Ok(())
    }
}

/// Opens a folder in `above`, though its owner may have forbidden it.
fn open_folder(above: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    let beneath = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS;
    let how = |flags: OFlag| OpenHow::new().flags(flags).resolve(beneath);
    let opened = match openat2(above, name, how(folder_flags())) {
        Err(Errno::EACCES) => {
            let place =
                openat2(above, name, how(OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC))?;
            // Through the descriptor, and so of this very folder.
            let own = format!("/proc/self/fd/{}", place.as_raw_fd());
            std::fs::set_permissions(own, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
            openat2(above, name, how(folder_flags()))?
        }
        other => other?,
    };
    Ok(opened)
}

fn names(folder: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    // An own descriptor, which begins at the first entry.
    let mut dir = Dir::openat(folder, ".", folder_flags(), Mode::empty())?;
    let mut names = Vec::new();
    for entry in dir.iter() {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn everything_in_it_goes_and_nothing_it_points_to() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("kept"), "kept").expect("a file");
        let dir = outside.path().join("scratch");
        make(&dir, None).expect("a folder");
        symlink(outside.path(), dir.join("link")).expect("a link");
        fs::hard_link(outside.path().join("kept"), dir.join("hard")).expect("a link");
        nix::unistd::mkfifo(&dir.join("fifo"), Mode::S_IRUSR).expect("a pipe");
        let mut deep = dir.clone();
        for _ in 0..60 {
            deep = deep.join("d");
            fs::create_dir(&deep).expect("a folder");
            fs::write(deep.join("file"), "").expect("a file");
        }
        fs::set_permissions(dir.join("d/d"), Permissions::from_mode(0o000)).expect("its owner");
        remove(&dir).expect("removed");
        assert!(!dir.exists());
        assert_eq!(fs::read_to_string(outside.path().join("kept")).expect("text"), "kept");
    }
}
