//! A digest of all files of a folder, taken as it is read or copied.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use referee_containment::Limits;
use rustix::fs::{Mode, OFlags};

use super::{FLAGS, FoundFile, TreeVisitor, UnfitTree, tree_error_at, walk_tree};
use crate::fingerprint::is_left_out_of_hash;
use crate::model::roster_change::MOST_FILES;

/// The bytes that are copied at once.
const PART: usize = 64 * 1024;

/// What a folder holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundTree {
    /// A hash of the names and contents of all files, as 64 hexadecimal digits.
    pub digest: String,
    /// The number of files.
    pub files: usize,
    /// Hashes of the first files, by path.
    pub hashes: BTreeMap<String, String>,
    /// The bytes of all files.
    pub bytes: u64,
}

/// What of a folder counts.
#[derive(Debug, Clone, Copy)]
pub struct TreeRules {
    /// The most bytes of all files.
    pub largest: u64,
    /// The most files and folders.
    pub entries: usize,
    /// How links are treated.
    pub links: Links,
    /// Whether the entry at this path does not count.
    pub leaves_out: fn(&Path) -> bool,
}

/// How links are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are an error.
    Refused,
    /// They are copied as links.
    Copied,
}

/// Reads an open folder. Copies it to the new folder `to`, if any. Compare the digests before
/// and after a copy to know that it is whole.
///
/// # Errors
/// It breaks the rules, or cannot be read or copied.
pub fn read_tree(
    folder: impl AsFd,
    to: Option<&Path>,
    rules: TreeRules,
) -> Result<FoundTree, UnfitTree> {
    let mut reader = TreeDigester {
        rules,
        to,
        all: blake3::Hasher::new(),
        found: FoundTree::default(),
        left: rules.largest,
    };
    walk_tree(folder, rules.entries, &mut reader)?;
    reader.found.digest = reader.all.finalize().to_hex().to_string();
    Ok(reader.found)
}

/// Copies the folder at `from` to the new folder `to`, with its links, and without what
/// is part of no player. So what is hashed there is what is built.
///
/// # Errors
/// It is larger than these limits, or cannot be read or copied.
pub fn copy_sources(from: &Path, to: &Path, limits: Limits) -> Result<(), UnfitTree> {
    let opened = rustix::fs::open(from, FLAGS.union(OFlags::DIRECTORY), Mode::empty());
    let rules = TreeRules {
        largest: limits.scratch,
        entries: usize::try_from(limits.files).unwrap_or(usize::MAX),
        links: Links::Copied,
        leaves_out: |path| {
            path.file_name().and_then(OsStr::to_str).is_some_and(is_left_out_of_hash)
        },
    };
    read_tree(opened.map_err(tree_error_at(Path::new("")))?, Some(to), rules).map(drop)
}

/// A digest of the folder at `path` with everything in it, links included, but without what is
/// part of no player: 64 hexadecimal digits.
///
/// # Errors
/// It cannot be read, or holds what is neither a file, a folder nor a link.
pub fn digest_tree(path: &Path) -> Result<String, UnfitTree> {
    let opened = rustix::fs::open(path, FLAGS.union(OFlags::DIRECTORY), Mode::empty());
    let rules = TreeRules {
        largest: u64::MAX,
        entries: usize::MAX,
        links: Links::Copied,
        leaves_out: |path| {
            path.file_name().and_then(OsStr::to_str).is_some_and(is_left_out_of_hash)
        },
    };
    Ok(read_tree(opened.map_err(tree_error_at(Path::new("")))?, None, rules)?.digest)
}

/// What an entry of a digest is.
#[derive(Debug, Clone, Copy)]
enum DigestKind {
    File = 0,
    /// A file that its owner may execute.
    Program = 1,
    Link = 2,
}

/// Hashes and copies a tree.
struct TreeDigester<'a> {
    rules: TreeRules,
    to: Option<&'a Path>,
    all: blake3::Hasher,
    found: FoundTree,
    left: u64,
}

impl TreeDigester<'_> {
    /// Fails if a file of a submission has a name that cannot be printed.
    fn refuse_name(&self, path: &Path) -> Result<(), UnfitTree> {
        if self.rules.links == Links::Refused {
            UnfitTree::refuse_control_characters(path)?;
        }
        Ok(())
    }

    /// The place of the copy.
    fn copy_of(&self, path: &Path) -> Option<PathBuf> {
        // An empty path must not add a `/`.
        self.to.map(|to| if path == Path::new("") { to.to_owned() } else { to.join(path) })
    }

    /// Adds an entry to the digest of all.
    fn add(&mut self, path: &Path, kind: DigestKind, hash: &blake3::Hash) {
        let name = path.as_os_str().as_bytes();
        self.all.update(&(name.len() as u64).to_le_bytes());
        self.all.update(name);
        self.all.update(&[kind as u8]);
        self.all.update(hash.as_bytes());
    }

    /// Copies a file, and returns the hash of its content.
    fn copy(&mut self, path: &Path, from: FoundFile) -> io::Result<Option<blake3::Hash>> {
        let FoundFile { mut file, runs, .. } = from;
        let mut copy = self
            .copy_of(path)
            .map(|to| {
                let mode = if runs { 0o755 } else { 0o644 };
                fs::OpenOptions::new().create_new(true).write(true).mode(mode).open(to)
            })
            .transpose()?;
        let (mut hasher, mut part) = (blake3::Hasher::new(), vec![0; PART]);
        loop {
            let length = file.read(&mut part)?;
            if length == 0 {
                return Ok(Some(hasher.finalize()));
            }
            let Some(left) = self.left.checked_sub(length as u64) else { return Ok(None) };
            (self.left, self.found.bytes) = (left, self.found.bytes + length as u64);
            hasher.update(&part[..length]);
            copy.as_mut().map_or(Ok(()), |copy| copy.write_all(&part[..length]))?;
        }
    }
}

impl TreeVisitor for TreeDigester<'_> {
    type Error = UnfitTree;

    fn unfit(&self, why: UnfitTree) -> UnfitTree {
        why
    }

    fn leaves_out(&self, path: &Path) -> bool {
        (self.rules.leaves_out)(path)
    }

    fn folder(&mut self, path: &Path) -> Result<(), UnfitTree> {
        self.refuse_name(path)?;
        self.copy_of(path).map_or(Ok(()), fs::create_dir).map_err(tree_error_at(path))
    }

    fn link(&mut self, path: &Path, target: &Path) -> Result<(), UnfitTree> {
        if self.rules.links == Links::Refused {
            return Err(UnfitTree::special_file(path));
        }
        let made = self.copy_of(path).map_or(Ok(()), |to| symlink(target, to));
        made.map_err(tree_error_at(path))?;
        self.add(path, DigestKind::Link, &blake3::hash(target.as_os_str().as_bytes()));
        Ok(())
    }

    fn file(&mut self, path: &Path, file: FoundFile) -> Result<(), UnfitTree> {
        self.refuse_name(path)?;
        let runs = file.runs;
        let hash = self.copy(path, file).map_err(tree_error_at(path))?;
        let hash = hash.ok_or(UnfitTree::TooLarge(self.rules.largest))?;
        self.add(path, if runs { DigestKind::Program } else { DigestKind::File }, &hash);
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
        let before = digest_tree(&from).expect("readable");
        assert_eq!(digest_tree(&to).expect("readable"), before);
        fs::remove_file(to.join("link")).expect("removed");
        symlink("elsewhere", to.join("link")).expect("a link");
        assert_ne!(digest_tree(&to).expect("readable"), before);
        let again = dir.path().join("again");
        let refused = copy_sources(&from, &again, Limits { scratch: 3, ..limits });
        assert!(matches!(refused, Err(UnfitTree::TooLarge(3))), "{refused:?}");
        let other = dir.path().join("other");
        let refused = copy_sources(&from, &other, Limits { files: 2, ..limits });
        assert!(matches!(refused, Err(UnfitTree::TooMany(2))), "{refused:?}");
    }
}
