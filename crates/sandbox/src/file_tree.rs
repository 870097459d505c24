//! A file tree in which no link is followed. A new root is built with it, because the names in it
//! can come from an image of a stranger: a link there could lead to any file of the machine.

#![expect(unsafe_code, reason = "one system call that no crate offers")]

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::libc;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno as Error;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};

/// Only names an object of the tree.
const NAMED: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// No name leads out of the tree, and no link leads anywhere.
const INSIDE: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// A file tree, by its top folder. Paths in it are absolute, from there.
#[derive(Debug)]
pub(crate) struct FileTree(OwnedFd);

/// A mount that is not in any tree yet, or whose place may be forgotten.
#[derive(Debug)]
pub(crate) struct FileTreeMount(OwnedFd);

impl AsFd for FileTree {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl FileTree {
    /// The tree in the folder `path` of this process.
    pub(crate) fn at(path: &Path) -> rustix::io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(CWD, path, flags, Mode::empty()).map(Self)
    }

    /// The file, folder or link at `path`. A link before its end is an error.
    pub(crate) fn find(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        self.open(path, NAMED, INSIDE)
    }

    /// The file, folder or link at `path`. Links before its end lead to other names in this tree.
    pub(crate) fn find_behind_links(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        self.open(path, NAMED, ResolveFlags::IN_ROOT)
    }

    /// The file or folder at `path`. Links lead to other names in this tree.
    pub(crate) fn follow(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        self.open(path, OFlags::PATH | OFlags::CLOEXEC, ResolveFlags::IN_ROOT)
    }

    fn open(&self, path: &Path, flags: OFlags, how: ResolveFlags) -> rustix::io::Result<OwnedFd> {
        rustix::fs::openat2(&self.0, tree_relative_path(path), flags, Mode::empty(), how)
    }

    /// The names in the folder `path`, each with its kind.
    pub(crate) fn list(&self, path: &Path) -> rustix::io::Result<Vec<(PathBuf, FileType)>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut names = Vec::new();
        for entry in Dir::new(self.open(path, flags, INSIDE)?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push((path.join(name), self.file_type(&path.join(name))?));
            }
        }
        Ok(names)
    }

    fn file_type(&self, path: &Path) -> rustix::io::Result<FileType> {
        tree_file_type(&self.find(path)?)
    }

    /// The folder at `path`, which is made if it is not there.
    pub(crate) fn make_folder(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        match self.open(path, NAMED | OFlags::DIRECTORY, INSIDE) {
            Err(Error::NOENT) => {}
            found => return found,
        }
        let (above, name) = self.folder_of(path)?;
        match rustix::fs::mkdirat(&above, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Error::EXIST) => self.open(path, NAMED | OFlags::DIRECTORY, INSIDE),
            Err(error) => Err(error),
        }
    }

    /// Makes an empty file. It is an error if the name is taken.
    pub(crate) fn make_file(&self, path: &Path) -> rustix::io::Result<File> {
        let (above, name) = self.folder_of(path)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&above, name, flags, Mode::from_raw_mode(0o644));
        made.map(File::from)
    }

    pub(crate) fn make_link(&self, path: &Path, target: &Path) -> rustix::io::Result<()> {
        let (above, name) = self.folder_of(path)?;
        rustix::fs::symlinkat(target, &above, name)
    }

    pub(crate) fn remove_file(&self, path: &Path) -> rustix::io::Result<()> {
        let (above, name) = self.folder_of(path)?;
        rustix::fs::unlinkat(&above, name, AtFlags::empty())
    }

    /// The folder that a name lies in, which is made if it is not there, and the name.
    fn folder_of<'p>(&self, path: &'p Path) -> rustix::io::Result<(OwnedFd, &'p OsStr)> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Error::INVAL);
        };
        Ok((self.make_folder(above)?, name))
    }

    /// Shows `mount` at `path`, where a folder or a file is made unless there is one.
    pub(crate) fn attach(&self, mount: &FileTreeMount, path: &Path) -> rustix::io::Result<()> {
        let place = if tree_file_type(&mount.0)? == FileType::Directory {
            self.make_folder(path)?
        } else {
            match self.make_file(path) {
                Ok(_) | Err(Error::EXIST) => self.find(path)?,
                Err(error) => return Err(error),
            }
        };
        mount.attach_to(&place)
    }
}

/// The same path from the top of a tree.
fn tree_relative_path(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| !matches!(part, Component::RootDir));
    let below: PathBuf = parts.collect();
    if below.as_os_str().is_empty() { PathBuf::from(".") } else { below }
}

pub(crate) fn tree_file_type(found: impl AsFd) -> rustix::io::Result<FileType> {
    rustix::fs::fstat(found).map(|found| FileType::from_raw_mode(found.st_mode))
}

impl FileTreeMount {
    /// A second mount of this file or folder, with everything mounted in it.
    pub(crate) fn bind(found: impl AsFd) -> rustix::io::Result<Self> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE
            | OpenTreeFlags::AT_EMPTY_PATH;
        open_tree(found, "", flags).map(Self)
    }

    /// An empty folder with this mode.
    pub(crate) fn empty_folder(mode: &str) -> rustix::io::Result<Self> {
        let files = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in [("size", "4k"), ("mode", mode)] {
            fsconfig_set_string(&files, key, value)?;
        }
        fsconfig_create(&files)?;
        let rights = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
        fsmount(&files, FsMountFlags::FSMOUNT_CLOEXEC, rights).map(Self)
    }

    pub(crate) fn attach_to(&self, place: impl AsFd) -> rustix::io::Result<()> {
        let flags =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        move_mount(&self.0, "", place, "", flags)
    }

    /// Adds the attributes `rights`, and no-setuid, to this mount and all mounts in it.
    pub(crate) fn protect(&self, rights: u64) -> io::Result<()> {
        let rights = Attributes { set: rights | libc::MOUNT_ATTR_NOSUID, clear: 0 };
        set_tree_attributes(&self.0, rights, MountScope::AllInIt)
    }
}

/// The attributes that a mount gets and loses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes {
    pub(crate) set: u64,
    pub(crate) clear: u64,
}

/// The mounts whose attributes change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MountScope {
    Alone,
    AllInIt,
}

pub(crate) fn set_tree_attributes(
    mount: impl AsFd,
    change: Attributes,
    scope: MountScope,
) -> io::Result<()> {
    // SAFETY: a plain structure of four numbers, for which zero is valid.
    let mut wanted: libc::mount_attr = unsafe { std::mem::zeroed() };
    (wanted.attr_set, wanted.attr_clr) = (change.set, change.clear);
    let recursive = match scope {
        MountScope::Alone => 0,
        MountScope::AllInIt => libc::AT_RECURSIVE,
    };
    // SAFETY: the path ends with a zero byte, and the size is that of the structure.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_fd().as_raw_fd(),
            c"".as_ptr(),
            recursive | libc::AT_EMPTY_PATH,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    Errno::result(done).map(drop).map_err(io::Error::from)
}
