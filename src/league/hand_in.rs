//! What an author hands in: a folder that anyone may have filled, read and copied without trust.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::author_folder::{AuthorFolder, is_aside};
use referee_record::fingerprint::is_left_out;
use referee_record::model::roster::MOST_FILES;
use referee_sandbox::{Limits, limits};

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
    #[error("it has more than {0} files and folders")]
    TooMany(usize),
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

/// Reads the submission in the folder of an author, of at most this many bytes. Copies it to the new folder
/// `to`, if one is given. What the report and hidden files at the top say does not count.
///
/// No link is followed, so nothing outside the folder is read even if it is changed meanwhile; compare
/// the digests before and after a copy to know that it is whole.
pub(crate) fn read(
    from: &AuthorFolder,
    to: Option<&Path>,
    largest: u64,
) -> Result<HandedIn, UnfitSubmission> {
    let mut walk = FolderWalk::new(WalkKind::HandedIn, largest, MOST_ENTRIES);
    walk.folder(from, Path::new(""), to, 0)?;
    walk.found.digest = walk.all.finalize().to_hex().to_string();
    Ok(walk.found)
}

/// Copies the folder at `from` to the new folder `to`, as it is now: with its links, and without what
/// is part of no player. So what is hashed there is what is built.
pub(crate) fn copy_sources(from: &Path, to: &Path, limits: Limits) -> Result<(), UnfitSubmission> {
    let folder = rustix::fs::open(from, FLAGS.union(OFlags::DIRECTORY), Mode::empty())?;
    let largest = limits.scratch;
    let most = usize::try_from(limits.files).unwrap_or(usize::MAX);
    FolderWalk::new(WalkKind::Sources, largest, most).folder(folder, Path::new(""), Some(to), 0)
}

/// How files and folders are opened: a link is an error, and a pipe is not waited for.
const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// What is walked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WalkKind {
    /// What an author handed in, which has no links.
    HandedIn,
    /// Sources to build.
    Sources,
}

/// A walk through a submission.
struct FolderWalk {
    kind: WalkKind,
    most_entries: usize,
    all: blake3::Hasher,
    found: HandedIn,
    left: u64,
    largest: u64,
    entries: usize,
}

impl FolderWalk {
    fn new(kind: WalkKind, largest: u64, most_entries: usize) -> Self {
        Self {
            kind,
            most_entries,
            all: blake3::Hasher::new(),
            found: HandedIn::default(),
            left: largest,
            largest,
            entries: 0,
        }
    }

    /// Whether this entry of a folder at this depth does not count.
    fn leaves_out(&self, name: &OsStr, depth: usize) -> bool {
        match self.kind {
            WalkKind::HandedIn => depth == 0 && is_aside(name),
            WalkKind::Sources => name.to_str().is_some_and(is_left_out),
        }
    }

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
            if name == "." || name == ".." || self.leaves_out(&name, depth) {
                continue;
            }
            self.entries += 1;
            if self.entries > self.most_entries {
                return Err(UnfitSubmission::TooMany(self.most_entries));
            }
            names.push(name);
        }
        names.sort_unstable();
        for name in names {
            let path = path.join(&name);
            let to = to.map(|to| to.join(&name));
            if let (WalkKind::Sources, Some(to)) = (self.kind, &to)
                && let Ok(target) = rustix::fs::readlinkat(&folder, &name, Vec::new())
            {
                symlink(OsStr::from_bytes(target.to_bytes()), to)?;
                continue;
            }
            let special = || UnfitSubmission::Special(path.display().to_string());
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
    use super::*;
    use crate::league::REPORT;

    fn read_at(from: &Path, to: Option<&Path>, largest: u64) -> Result<HandedIn, UnfitSubmission> {
        read(&AuthorFolder::open(from)?, to, largest)
    }

    #[test]
    fn a_copy_has_the_digest_of_what_was_copied() {
        let dir = tempfile::tempdir().expect("a folder");
        let from = dir.path().join("ann");
        fs::create_dir_all(from.join("src")).expect("folders");
        fs::write(from.join("player.py"), "print()").expect("a file");
        fs::write(from.join("src/book"), "moves").expect("a file");
        let whole = read_at(&from, None, 100).expect("a submission");
        assert_eq!((whole.files, whole.bytes), (2, 12));
        for aside in [REPORT, "report.txt.x.new", ".upload"] {
            fs::write(from.join(aside), "aside").expect("a file");
        }
        let to = dir.path().join("copy");
        assert_eq!(read_at(&from, Some(&to), 12).expect("a copy"), whole);
        assert_eq!(read_at(&to, None, 12).expect("the copy"), whole);
        fs::write(from.join("src/book"), "move!").expect("a file");
        assert_ne!(read_at(&from, None, 12).expect("a submission").digest, whole.digest);
        let too_large = read_at(&from, None, 11).expect_err("too large");
        assert!(matches!(too_large, UnfitSubmission::TooLarge(11)), "{too_large}");
    }

    #[test]
    fn nothing_but_files_and_folders_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        symlink("/etc/passwd", dir.path().join("link")).expect("a link");
        let refused = read_at(dir.path(), None, 1 << 20).expect_err("a link");
        assert!(matches!(&refused, UnfitSubmission::Special(name) if name == "link"), "{refused}");
        fs::remove_file(dir.path().join("link")).expect("removed");
        rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join("pipe"), Mode::RWXU).expect("a pipe");
        let refused = read_at(dir.path(), None, 1 << 20).expect_err("a pipe");
        assert!(matches!(&refused, UnfitSubmission::Special(name) if name == "pipe"), "{refused}");
    }

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
        assert!(matches!(refused, Err(UnfitSubmission::TooLarge(3))), "{refused:?}");
        let other = dir.path().join("other");
        let refused = copy_sources(&from, &other, Limits { files: 2, ..limits });
        assert!(matches!(refused, Err(UnfitSubmission::TooMany(2))), "{refused:?}");
    }
}
