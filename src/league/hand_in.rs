//! What an author hands in: a folder that anyone may have filled, read and copied without trust.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::REPORT;
use referee_record::model::roster::MOST_FILES;
use referee_sandbox::limits;

/// The most files and folders of a submission.
const MOST_ENTRIES: usize = 20_000;
/// The deepest folder of a submission.
const DEEPEST: usize = 32;
/// The bytes that are copied at once.
const PART: usize = 64 * 1024;

/// What a submission holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct HandedIn {
    /// A hash of the names and contents of all files, as 64 hexadecimal digits.
    pub(crate) digest: String,
    /// The number of files.
    pub(crate) files: usize,
    /// Hashes of the first files, by path.
    pub(crate) hashes: BTreeMap<String, String>,
    /// The bytes of all files.
    pub(crate) bytes: u64,
}

/// The reason why a submission cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnfitSubmission {
    /// This is a link, a device, a pipe or a socket.
    #[error("`{0}` is neither a file nor a folder; hand in the file itself")]
    Special(String),
    /// It has too many bytes.
    #[error("it is larger than {}", limits::bytes(*.0))]
    TooLarge(u64),
    /// It has too many files.
    #[error("it has more than {MOST_ENTRIES} files and folders")]
    TooMany,
    /// A folder is too deep.
    #[error("its folders are nested more than {DEEPEST} deep")]
    TooDeep,
    /// The system reported an error.
    #[error("it cannot be read: {0}")]
    Failed(#[from] io::Error),
}

impl From<rustix::io::Errno> for UnfitSubmission {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// Reads the submission in the folder `from`, of at most this many bytes. Copies it to the new folder
/// `to`, if one is given. What the report and hidden files at the top say does not count.
///
/// No link is followed, so nothing outside `from` is read even if it is changed meanwhile; compare
/// the digests before and after a copy to know that it is whole.
pub(crate) fn read(
    from: &Path,
    to: Option<&Path>,
    largest: u64,
) -> Result<HandedIn, UnfitSubmission> {
    let folder = rustix::fs::open(from, flags(OFlags::DIRECTORY), Mode::empty())?;
    let mut walk = FolderWalk {
        all: blake3::Hasher::new(),
        found: HandedIn::default(),
        left: largest,
        largest,
        entries: 0,
    };
    walk.folder(folder.as_fd(), Path::new(""), to, 0)?;
    walk.found.digest = walk.all.finalize().to_hex().to_string();
    Ok(walk.found)
}

/// How files and folders are opened: a link is an error, and a pipe is not waited for.
fn flags(more: OFlags) -> OFlags {
    OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | more
}

/// Whether an entry at the top of an author's folder is not part of the submission.
pub(crate) fn is_aside(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".") || name.starts_with(REPORT.as_bytes())
}

/// A walk through a submission.
struct FolderWalk {
    all: blake3::Hasher,
    found: HandedIn,
    left: u64,
    largest: u64,
    entries: usize,
}

impl FolderWalk {
    fn folder(
        &mut self,
        folder: impl AsFd,
        path: &Path,
        to: Option<&Path>,
        depth: usize,
    ) -> Result<(), UnfitSubmission> {
        if depth > DEEPEST {
            return Err(UnfitSubmission::TooDeep);
        }
        if let Some(to) = to {
            fs::create_dir(to)?;
        }
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&folder)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_owned();
            if name == "." || name == ".." || (depth == 0 && is_aside(&name)) {
                continue;
            }
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return Err(UnfitSubmission::TooMany);
            }
            names.push(name);
        }
        names.sort_unstable();
        for name in names {
            let path = path.join(&name);
            let to = to.map(|to| to.join(&name));
            let special = || UnfitSubmission::Special(path.display().to_string());
            // A link cannot be opened so.
            let opened = rustix::fs::openat(&folder, &name, flags(OFlags::empty()), Mode::empty());
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
    ) -> Result<(), UnfitSubmission> {
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
                return Err(UnfitSubmission::TooLarge(self.largest));
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
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_copy_has_the_digest_of_what_was_copied() {
        let dir = tempfile::tempdir().expect("a folder");
        let from = dir.path().join("ann");
        fs::create_dir_all(from.join("src")).expect("folders");
        fs::write(from.join("player.py"), "print()").expect("a file");
        fs::write(from.join("src/book"), "moves").expect("a file");
        let whole = read(&from, None, 100).expect("a submission");
        assert_eq!((whole.files, whole.bytes), (2, 12));
        for aside in [REPORT, "report.txt.x.new", ".upload"] {
            fs::write(from.join(aside), "aside").expect("a file");
        }
        let to = dir.path().join("copy");
        assert_eq!(read(&from, Some(&to), 12).expect("a copy"), whole);
        assert_eq!(read(&to, None, 12).expect("the copy"), whole);
        fs::write(from.join("src/book"), "move!").expect("a file");
        assert_ne!(read(&from, None, 12).expect("a submission").digest, whole.digest);
        let too_large = read(&from, None, 11).expect_err("too large");
        assert!(matches!(too_large, UnfitSubmission::TooLarge(11)), "{too_large}");
    }

    #[test]
    fn nothing_but_files_and_folders_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        symlink("/etc/passwd", dir.path().join("link")).expect("a link");
        let refused = read(dir.path(), None, 1 << 20).expect_err("a link");
        assert!(matches!(&refused, UnfitSubmission::Special(name) if name == "link"), "{refused}");
        fs::remove_file(dir.path().join("link")).expect("removed");
        rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join("pipe"), Mode::RWXU).expect("a pipe");
        let refused = read(dir.path(), None, 1 << 20).expect_err("a pipe");
        assert!(matches!(&refused, UnfitSubmission::Special(name) if name == "pipe"), "{refused}");
    }
}
