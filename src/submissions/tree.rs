//! Reads and copies a folder that a stranger made, and may be changing.
//!
//! No link is followed, so nothing outside the folder is read; compare the digests before and after a
//! copy to know that it is whole.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use referee_record::fingerprint::is_left_out;
use referee_record::model::roster::MOST_FILES;
use referee_sandbox::{Limits, limits};

/// The deepest folder.
const DEEPEST: usize = 32;
/// The bytes that are copied at once.
const PART: usize = 64 * 1024;

/// What a folder holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FoundTree {
    /// A hash of the names and contents of all files, as 64 hexadecimal digits.
    pub(crate) digest: String,
    /// The number of files.
    pub(crate) files: usize,
    /// Hashes of the first files, by path.
    pub(crate) hashes: BTreeMap<String, String>,
    /// The bytes of all files.
    pub(crate) bytes: u64,
}

/// The reason why a folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnfitTree {
    /// This is a link, a device, a pipe or a socket.
    #[error("`{0}` is neither a file nor a folder; hand in the file itself")]
    Special(String),
    /// It has too many bytes.
    #[error("it is larger than {}", limits::bytes(*.0))]
    TooLarge(u64),
    /// It has too many files.
    #[error("it has more than {0} files and folders")]
    TooMany(usize),
    /// A folder is too deep.
    #[error("its folders are nested more than {DEEPEST} deep")]
    TooDeep,
    /// The system reported an error.
    #[error("it cannot be read: {0}")]
    Failed(#[from] io::Error),
}

impl From<rustix::io::Errno> for UnfitTree {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// What of a folder counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeRules {
    /// The most bytes of all files.
    pub(crate) largest: u64,
    /// The most files and folders.
    pub(crate) entries: usize,
    pub(crate) links: Links,
    /// Whether an entry of a folder at this depth does not count.
    pub(crate) leaves_out: fn(&OsStr, usize) -> bool,
}

/// What becomes of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Refused,
    /// They are copied as links.
    Copied,
}

/// Reads an open folder. Copies it to the new folder `to`, if one is given.
pub(crate) fn read(
    folder: impl AsFd,
    to: Option<&Path>,
    rules: TreeRules,
) -> Result<FoundTree, UnfitTree> {
    let mut walk = TreeWalk {
        rules,
        all: blake3::Hasher::new(),
        found: FoundTree::default(),
        left: rules.largest,
        entries: 0,
    };
    walk.folder(folder, Path::new(""), to, 0)?;
    walk.found.digest = walk.all.finalize().to_hex().to_string();
    Ok(walk.found)
}

/// Copies the folder at `from` to the new folder `to`, as it is now: with its links, and without what
/// is part of no player. So what is hashed there is what is built.
pub(crate) fn copy_sources(from: &Path, to: &Path, limits: Limits) -> Result<(), UnfitTree> {
    let folder = rustix::fs::open(from, FLAGS.union(OFlags::DIRECTORY), Mode::empty())?;
    let rules = TreeRules {
        largest: limits.scratch,
        entries: usize::try_from(limits.files).unwrap_or(usize::MAX),
        links: Links::Copied,
        leaves_out: |name, _| name.to_str().is_some_and(is_left_out),
    };
    read(folder, Some(to), rules).map(drop)
}

/// How files and folders are opened: a link is an error, and a pipe is not waited for.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// A walk through a folder.
struct TreeWalk {
    rules: TreeRules,
    all: blake3::Hasher,
    found: FoundTree,
    left: u64,
    entries: usize,
}

impl TreeWalk {
    fn folder(
        &mut self,
        folder: impl AsFd,
        path: &Path,
        to: Option<&Path>,
        depth: usize,
    ) -> Result<(), UnfitTree> {
        if depth > DEEPEST {
            return Err(UnfitTree::TooDeep);
        }
        if let Some(to) = to {
            fs::create_dir(to)?;
        }
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            if name == "." || name == ".." || (self.rules.leaves_out)(&name, depth) {
                continue;
            }
            self.entries += 1;
            if self.entries > self.rules.entries {
                return Err(UnfitTree::TooMany(self.rules.entries));
            }
            names.push(name);
        }
        names.sort_unstable();
        for name in names {
            let path = path.join(&name);
            let to = to.map(|to| to.join(&name));
            if let (Links::Copied, Some(to)) = (self.rules.links, &to)
                && let Ok(target) = rustix::fs::readlinkat(&folder, &name, Vec::new())
            {
                symlink(OsStr::from_bytes(target.to_bytes()), to)?;
                continue;
            }
            let special = || UnfitTree::Special(path.display().to_string());
            // A link cannot be opened so.
            let opened = rustix::fs::openat(&folder, &name, FLAGS, Mode::empty());
            let opened = opened.map_err(|error| match error {
                rustix::io::Errno::LOOP | rustix::io::Errno::NXIO => special(),
                other => other.into(),
            })?;
            let found = rustix::fs::fstat(&opened)?;
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => self.folder(opened, &path, to.as_deref(), depth + 1)?,
                FileType::RegularFile => {
                    let mode = Mode::from_raw_mode(found.st_mode) & Mode::RWXU;
                    self.file(File::from(opened), &path, to, mode.contains(Mode::XUSR))?;
                }
                _ => return Err(special()),
            }
        }
        Ok(())
    }

    fn file(
        &mut self,
        mut from: File,
        path: &Path,
        to: Option<PathBuf>,
        runs: bool,
    ) -> Result<(), UnfitTree> {
        let mut copy = to
            .map(|to| {
                let mode = if runs { 0o755 } else { 0o644 };
                fs::OpenOptions::new().create_new(true).write(true).mode(mode).open(to)
            })
            .transpose()?;
        let (mut hasher, mut part) = (blake3::Hasher::new(), vec![0; PART]);
        loop {
            let length = from.read(&mut part)?;
            if length == 0 {
                break;
            }
            let Some(left) = self.left.checked_sub(length as u64) else {
                return Err(UnfitTree::TooLarge(self.rules.largest));
            };
            (self.left, self.found.bytes) = (left, self.found.bytes + length as u64);
            hasher.update(&part[..length]);
            copy.as_mut().map_or(Ok(()), |copy| copy.write_all(&part[..length]))?;
        }
        let hash = hasher.finalize();
        let name = path.as_os_str().as_bytes();
        self.all.update(&(name.len() as u64).to_le_bytes());
        self.all.update(name);
        self.all.update(&[u8::from(runs)]);
        self.all.update(hash.as_bytes());
        self.found.files += 1;
        if self.found.hashes.len() < MOST_FILES {
            let path = path.display().to_string();
            self.found.hashes.insert(path, hash.to_hex()[..16].to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_copied_as_they_are_and_links_stay_links() {
        let dir = tempfile::tempdir().expect("a folder");
        let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
        fs::create_dir_all(from.join(".git")).expect("folders");
        fs::create_dir_all(from.join(".cargo")).expect("folders");
        fs::write(from.join("report.txt"), "kept").expect("a file");
        symlink("report.txt", from.join("link")).expect("a link");
        let limits = Limits { scratch: 4, files: 3, ..Limits::default() };
        copy_sources(&from, &to, limits).expect("copied");
        let mut names: Vec<_> =
            fs::read_dir(&to).expect("a folder").map(|it| it.expect("one").file_name()).collect();
        names.sort();
        assert_eq!(names, [".cargo", "link", "report.txt"]);
        assert_eq!(fs::read_link(to.join("link")).expect("a link").as_os_str(), "report.txt");
        let again = dir.path().join("again");
        let refused = copy_sources(&from, &again, Limits { scratch: 3, ..limits });
        assert!(matches!(refused, Err(UnfitTree::TooLarge(3))), "{refused:?}");
        let other = dir.path().join("other");
        let refused = copy_sources(&from, &other, Limits { files: 2, ..limits });
        assert!(matches!(refused, Err(UnfitTree::TooMany(2))), "{refused:?}");
    }
}
