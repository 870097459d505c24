//! Walks through a folder that a stranger made, and may be changing.
//!
//! Every folder and file is opened in the folder above it, never by its path again, and no link is
//! followed. So nothing outside is read, even if a name is replaced meanwhile.

mod tree_digest;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use referee_containment::resource_limits;

pub use self::tree_digest::{FoundTree, Links, TreeRules, copy_sources, digest_tree, read_tree};

/// The deepest folder.
const DEEPEST: usize = 64;
/// How files and folders are opened: a link is an error, and a pipe is not waited for.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// The reason why a folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UnfitTree {
    /// This is a link, a device, a pipe or a socket.
    #[error("`{0}` is neither a file nor a folder; hand in the file itself")]
    Special(String),
    /// The name cannot be shown in one line.
    #[error("rename {0:?}: the name contains a control character")]
    Name(String),
    /// It has too many bytes.
    #[error("it is larger than {}", resource_limits::format_bytes(*.0))]
    TooLarge(u64),
    /// It has too many files.
    #[error("it has more than {0} files and folders")]
    TooMany(usize),
    /// A folder is too deep.
    #[error("its folders are nested more than {DEEPEST} levels deep")]
    TooDeep,
    /// The system reported an error.
    #[error("{} cannot be read: {source}", printable_tree_path(path))]
    Failed {
        /// The file, from the top of the folder; empty for the folder itself.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

fn printable_tree_path(path: &Path) -> String {
    if path == Path::new("") { "it".to_owned() } else { format!("`{}`", path.display()) }
}

/// Says where an error occurred.
fn tree_error_at<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> UnfitTree {
    |error| UnfitTree::Failed { path: path.to_owned(), source: error.into() }
}

impl UnfitTree {
    /// Refuses a name that could look like several lines of a report.
    fn refuse_control_characters(path: &Path) -> Result<(), Self> {
        let name = path.to_string_lossy();
        if name.contains(char::is_control) {
            return Err(Self::Name(name.into_owned()));
        }
        Ok(())
    }

    fn special_file(path: &Path) -> Self {
        Self::Special(path.display().to_string())
    }
}

/// A plain file of a tree, open for reading.
#[derive(Debug)]
pub struct FoundFile {
    /// The file.
    pub file: File,
    /// The size when it was opened.
    pub size: u64,
    /// Whether its owner may execute it.
    pub runs: bool,
}

/// Visits the parts of a tree. All paths begin at its top, which is empty.
pub trait TreeVisitor {
    /// The error.
    type Error;

    /// The error for a tree that cannot be walked through.
    fn unfit(&self, why: UnfitTree) -> Self::Error;

    /// Whether an entry does not count.
    fn leaves_out(&self, path: &Path) -> bool;

    /// Enters a folder.
    ///
    /// # Errors
    /// Ends the walk.
    fn folder(&mut self, path: &Path) -> Result<(), Self::Error>;

    /// Reads a file.
    ///
    /// # Errors
    /// Ends the walk.
    fn file(&mut self, path: &Path, file: FoundFile) -> Result<(), Self::Error>;

    /// Notes a link, which is not followed.
    ///
    /// # Errors
    /// Ends the walk.
    fn link(&mut self, path: &Path, _target: &Path) -> Result<(), Self::Error> {
        Err(self.unfit(UnfitTree::special_file(path)))
    }

    /// Notes a device, a pipe or a socket.
    ///
    /// # Errors
    /// Ends the walk.
    fn special(&mut self, path: &Path) -> Result<(), Self::Error> {
        Err(self.unfit(UnfitTree::special_file(path)))
    }
}

/// Shows an open folder with everything in it, in the order of names, or an open file to `visitor`.
/// It is an error if there are more than `most` entries.
///
/// # Errors
/// Something cannot be read, or `visitor` failed.
pub fn walk_tree<V: TreeVisitor>(
    top: impl AsFd,
    most: usize,
    visitor: &mut V,
) -> Result<(), V::Error> {
    let path = Path::new("");
    let top = top.as_fd().try_clone_to_owned();
    let top = top.map_err(|error| visitor.unfit(tree_error_at(path)(error)))?;
    TreeWalk { visitor, entries: 0, most }.opened(top, path, 0)
}

/// A walk through a tree.
struct TreeWalk<'v, V> {
    visitor: &'v mut V,
    entries: usize,
    most: usize,
}

impl<V: TreeVisitor> TreeWalk<'_, V> {
    fn opened(&mut self, opened: OwnedFd, path: &Path, depth: usize) -> Result<(), V::Error> {
        let found = rustix::fs::fstat(&opened).map_err(self.failed(path))?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => self.folder(&opened, path, depth),
            FileType::RegularFile => {
                let size = u64::try_from(found.st_size).unwrap_or_default();
                let runs = Mode::from_raw_mode(found.st_mode).contains(Mode::XUSR);
                self.visitor.file(path, FoundFile { file: File::from(opened), size, runs })
            }
            _ => self.visitor.special(path),
        }
    }

    fn folder(&mut self, folder: &OwnedFd, path: &Path, depth: usize) -> Result<(), V::Error> {
        if depth > DEEPEST {
            return Err(self.visitor.unfit(UnfitTree::TooDeep));
        }
        self.visitor.folder(path)?;
        for path in self.entries(folder, path)? {
            self.entry(folder, &path, depth)?;
        }
        Ok(())
    }

    /// The entries of a folder that count, in the order of their names.
    fn entries(&mut self, folder: &OwnedFd, path: &Path) -> Result<Vec<PathBuf>, V::Error> {
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(folder).map_err(self.failed(path))? {
            let entry = entry.map_err(self.failed(path))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            let path = path.join(name);
            if name == "." || name == ".." || self.visitor.leaves_out(&path) {
                continue;
            }
            self.entries += 1;
            if self.entries > self.most {
                return Err(self.visitor.unfit(UnfitTree::TooMany(self.most)));
            }
            entries.push(path);
        }
        entries.sort_unstable();
        Ok(entries)
    }

    fn entry(&mut self, folder: &OwnedFd, path: &Path, depth: usize) -> Result<(), V::Error> {
        let name = path.file_name().unwrap_or_default();
        match rustix::fs::openat(folder, name, FLAGS, Mode::empty()) {
            Ok(opened) => self.opened(opened, path, depth + 1),
            // A socket, or a pipe without a reader.
            Err(Errno::NXIO) => self.visitor.special(path),
            Err(Errno::LOOP) => {
                let target = rustix::fs::readlinkat(folder, name, Vec::new());
                let target = target.map_err(self.failed(path))?;
                self.visitor.link(path, Path::new(OsStr::from_bytes(target.to_bytes())))
            }
            Err(error) => Err(self.failed(path)(error)),
        }
    }

    /// Says where an error of the system occurred.
    fn failed(&self, path: &Path) -> impl FnOnce(Errno) -> V::Error {
        |error| self.visitor.unfit(tree_error_at(path)(error))
    }
}
