//! The scratch folder of a process without its own file system: creating, measuring, removing.
//!
//! Its content is hostile. So the code never uses a path inside it: it goes from folder to folder
//! by descriptors, and follows no links.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, chown};
use std::path::Path;
use std::rc::Rc;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, OpenHow, ResolveFlag, openat2, renameat};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};

use crate::resource_limits::{Limits, Overrun};

/// The maximum number of nested folders open at once. Deeper ones are moved to the top first.
const DEEPEST: usize = 16;
/// The permissions that a folder's owner needs to list it and to remove its content.
const LIST: u32 = 0o500;
const REMOVE: u32 = 0o700;

/// Creates the folder, and gives it to `user` if there is one.
pub(crate) fn make_scratch_folder(dir: &Path, user: Option<u32>) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(dir)?;
    if user.is_some() {
        chown(dir, user, user)?;
    }
    Ok(())
}

/// Removes the folder with all its content. If something cannot be removed, removes the rest and
/// fails.
pub(crate) fn remove_scratch_folder(dir: &Path) -> io::Result<()> {
    let top = open_scratch_top(dir, REMOVE)?;
    let mut sweep = ScratchSweep { top: top.as_fd(), names: 0, moved: true, failed: None };
    // Folders that were moved to the top are removed in a later round.
    while std::mem::take(&mut sweep.moved) {
        sweep.empty_folder(top.as_fd(), 0);
    }
    let removed = std::fs::remove_dir(dir);
    sweep.failed.map_or(removed, Err)
}

/// The limit that the folder exceeds, if any. `used` counts further bytes, in files without a name.
pub(crate) fn find_scratch_overrun(
    dir: &Path,
    limits: &Limits,
    used: u64,
) -> io::Result<Option<Overrun>> {
    match measure_scratch_folder(dir, ScratchTally { used, files: 0, limits }) {
        // Only deeply nested folders use up the descriptors.
        Err(error) if ran_out_of_scratch_descriptors(&error) => {
            Ok(Some(Overrun::Files { limit: limits.files }))
        }
        looked => looked,
    }
}

fn ran_out_of_scratch_descriptors(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::libc::EMFILE)
}

fn measure_scratch_folder(dir: &Path, mut tally: ScratchTally<'_>) -> io::Result<Option<Overrun>> {
    // Folders not listed yet. They are opened one after another, so few are open at once.
    let mut due: Vec<(Rc<OwnedFd>, CString)> = Vec::new();
    let mut open = Some(Rc::new(open_scratch_top(dir, LIST)?));
    while let Some(folder) = open {
        let names = match list_scratch_names(folder.as_fd()) {
            Err(error) if ran_out_of_scratch_descriptors(&error) => return Err(error),
            // It has been removed in the meantime.
            names => names.unwrap_or_default(),
        };
        for name in names {
            let flags = AtFlags::AT_SYMLINK_NOFOLLOW;
            let Ok(found) = fstatat(&folder, name.as_c_str(), flags) else { continue };
            if let Some(overrun) = tally.add(u64::try_from(found.st_blocks).unwrap_or(0) * 512) {
                return Ok(Some(overrun));
            }
            if found.st_mode & nix::libc::S_IFMT == nix::libc::S_IFDIR {
                due.push((Rc::clone(&folder), name));
            }
        }
        drop(folder);
        open = loop {
            let Some((above, name)) = due.pop() else { break None };
            match open_folder_in_scratch(above.as_fd(), &name, LIST) {
                Ok(folder) => break Some(Rc::new(folder)),
                Err(error) if ran_out_of_scratch_descriptors(&error) => return Err(error),
                // It has been removed in the meantime.
                Err(_) => {}
            }
        };
    }
    Ok(tally.overrun())
}

/// The part of a scratch folder that has been measured so far.
struct ScratchTally<'l> {
    used: u64,
    files: u64,
    limits: &'l Limits,
}

impl ScratchTally<'_> {
    /// Adds a file of `bytes` bytes. Returns the limit that is now exceeded, if any.
    fn add(&mut self, bytes: u64) -> Option<Overrun> {
        // Even an empty file takes some space.
        self.used += bytes + 256;
        self.files += 1;
        self.overrun()
    }

    fn overrun(&self) -> Option<Overrun> {
        let Self { used, files, limits } = *self;
        if used > limits.scratch {
            return Some(Overrun::Scratch { used, limit: limits.scratch });
        }
        (files > limits.files).then_some(Overrun::Files { limit: limits.files })
    }
}

fn scratch_open_flags() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC
}

/// The removal of everything in a folder.
struct ScratchSweep<'a> {
    top: BorrowedFd<'a>,
    /// The number of names tried for folders that are moved to the top.
    names: u64,
    /// Whether a folder was moved to the top in this round.
    moved: bool,
    /// The first error.
    failed: Option<io::Error>,
}

impl ScratchSweep<'_> {
    fn empty_folder(&mut self, folder: BorrowedFd<'_>, depth: usize) {
        let removed = list_scratch_names(folder).map(|names| {
            for name in names {
                if let Err(error) = self.remove(folder, &name, depth) {
                    self.failed.get_or_insert(error);
                }
            }
        });
        if let Err(error) = removed {
            self.failed.get_or_insert(error);
        }
    }

    fn remove(&mut self, folder: BorrowedFd<'_>, name: &CStr, depth: usize) -> io::Result<()> {
        match unlinkat(folder, name, UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => return Ok(()),
            Err(Errno::EISDIR | Errno::EPERM) => {}
            Err(error) => return Err(error.into()),
        }
        let below = open_folder_in_scratch(folder, name, REMOVE)?;
        if depth >= DEEPEST {
            return self.move_to_top(folder, name);
        }
        self.empty_folder(below.as_fd(), depth + 1);
        Ok(unlinkat(folder, name, UnlinkatFlags::RemoveDir)?)
    }

    /// Moves a folder to the top, under a free name.
    fn move_to_top(&mut self, folder: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        loop {
            let name_on_top = CString::new(format!(".deep-{}", self.names))?;
            self.names += 1;
            match renameat(folder, name, self.top, name_on_top.as_c_str()) {
                Err(Errno::EEXIST | Errno::ENOTEMPTY | Errno::ENOTDIR) => {}
                Err(error) => return Err(error.into()),
                Ok(()) => {
                    self.moved = true;
                    return Ok(());
                }
            }
        }
    }
}

/// Opens the scratch folder itself.
fn open_scratch_top(dir: &Path, rights: u32) -> io::Result<OwnedFd> {
    open_scratch_with_rights(rights, |flags| {
        nix::fcntl::open(dir, flags | OFlag::O_NOFOLLOW, Mode::empty())
    })
}

/// Opens a folder inside `above`.
fn open_folder_in_scratch(above: BorrowedFd<'_>, name: &CStr, rights: u32) -> io::Result<OwnedFd> {
    let beneath = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_SYMLINKS;
    open_scratch_with_rights(rights, |flags| {
        openat2(above, name, OpenHow::new().flags(flags).resolve(beneath))
    })
}

/// Opens a folder after restoring these permissions for its owner, who may have removed them.
fn open_scratch_with_rights(
    rights: u32,
    open: impl Fn(OFlag) -> nix::Result<OwnedFd>,
) -> io::Result<OwnedFd> {
    let place = open(OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC)?;
    if fstat(&place)?.st_mode & rights != rights {
        // The path goes through the descriptor, so it is certainly this folder.
        let own = format!("/proc/self/fd/{}", place.as_raw_fd());
        std::fs::set_permissions(own, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(open(scratch_open_flags())?)
}

fn list_scratch_names(folder: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    // A new descriptor, which starts at the first entry.
    let mut dir = Dir::openat(folder, ".", scratch_open_flags(), Mode::empty())?;
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

    fn bytes(scratch: u64) -> Limits {
        Limits { scratch, ..Limits::default() }
    }

    /// A scratch folder in a folder of its own.
    fn scratch() -> (tempfile::TempDir, std::path::PathBuf) {
        let outside = tempfile::tempdir().expect("a folder");
        let dir = outside.path().join("scratch");
        make_scratch_folder(&dir, None).expect("a folder");
        (outside, dir)
    }

    #[test]
    fn every_folder_is_measured() {
        let (_outside, dir) = scratch();
        for number in 0..600 {
            fs::create_dir_all(dir.join(format!("{number}/below"))).expect("a folder");
        }
        assert_eq!(find_scratch_overrun(&dir, &bytes(1 << 30), 0).expect("looked at"), None);
        fs::write(dir.join("0/below/file"), [0; 4096]).expect("a file");
        fs::write(dir.join("599/below/file"), [0; 4096]).expect("a file");
        let entries = (2 * 600 + 2) * 256;
        // Folders may take space, too.
        let over = find_scratch_overrun(&dir, &bytes(entries + 8191), 0).expect("looked at");
        assert!(matches!(over, Some(Overrun::Scratch { .. })), "{over:?}");
    }

    #[test]
    fn nameless_files_count() {
        let (_outside, dir) = scratch();
        assert_eq!(find_scratch_overrun(&dir, &bytes(4096), 4096).expect("looked at"), None);
        let over = find_scratch_overrun(&dir, &bytes(4096), 4097).expect("looked at");
        assert_eq!(over, Some(Overrun::Scratch { used: 4097, limit: 4096 }));
    }

    #[test]
    fn folders_without_permissions_are_measured_too() {
        let (_outside, dir) = scratch();
        fs::create_dir(dir.join("closed")).expect("a folder");
        fs::write(dir.join("closed/file"), [0; 8192]).expect("a file");
        for closed in [dir.join("closed"), dir.clone()] {
            fs::set_permissions(closed, Permissions::from_mode(0o000)).expect("its owner");
        }
        assert!(find_scratch_overrun(&dir, &bytes(4096), 0).expect("looked at").is_some());
    }

    #[test]
    fn scratch_folders_are_removed_without_following_links() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("kept"), "kept").expect("a file");
        let dir = outside.path().join("scratch");
        make_scratch_folder(&dir, None).expect("a folder");
        symlink(outside.path(), dir.join("link")).expect("a link");
        fs::hard_link(outside.path().join("kept"), dir.join("hard")).expect("a link");
        nix::unistd::mkfifo(&dir.join("fifo"), Mode::S_IRUSR).expect("a pipe");
        let mut deep = dir.clone();
        for _ in 0..60 {
            deep = deep.join("d");
            fs::create_dir(&deep).expect("a folder");
            fs::write(deep.join("file"), "").expect("a file");
        }
        // Names used for moved folders, and folders that do not allow removing anything.
        fs::create_dir_all(dir.join(".deep-0/full")).expect("a folder");
        fs::write(dir.join(".deep-1"), "").expect("a file");
        fs::set_permissions(deep, Permissions::from_mode(0o555)).expect("its owner");
        fs::set_permissions(dir.join("d/d"), Permissions::from_mode(0o000)).expect("its owner");
        fs::set_permissions(&dir, Permissions::from_mode(0o000)).expect("its owner");
        remove_scratch_folder(&dir).expect("removed");
        assert!(!dir.exists());
        assert_eq!(fs::read_to_string(outside.path().join("kept")).expect("text"), "kept");
    }
}
