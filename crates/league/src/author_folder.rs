//! The folder that an author hands in to, held open.
//!
//! Its author may rename it and put a link in its place at any time. So everything is done in the
//! folder that was opened, never by its name again.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::challenge_records::WantedChallenge;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

/// The file in an author's folder that tells what became of the submission.
pub const REPORT_FILE: &str = "report.txt";

/// The file in an author's folder with whom its author challenges.
pub(crate) const CHALLENGE_FILE: &str = ".challenge.txt";
/// The most bytes of it that are read.
const LONGEST_CHALLENGE: u64 = 1000;
/// The file in an author's folder with what its author says of the submission.
const COMMENT: &str = ".comment.txt";
/// The most bytes of a comment that are read.
const LONGEST_COMMENT: u64 = 2000;
/// The report while it is written.
const NEW_REPORT: &str = "report.txt.new";
/// The permissions of a report, besides those that the user's mask takes.
const READABLE: Mode = Mode::from_raw_mode(0o644);

/// How a folder is opened.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The folder of an author.
#[derive(Debug)]
pub struct AuthorFolder(OwnedFd);

impl AuthorFolder {
    /// Opens the folder at `path`, which must not be a link.
    pub fn open(path: &Path) -> io::Result<Self> {
        match rustix::fs::open(path, FOLDER, Mode::empty()) {
            Ok(folder) => Ok(Self(folder)),
            Err(Errno::NOTDIR | Errno::LOOP) => {
                let why = "it is not a folder, or it is a link";
                Err(io::Error::new(io::ErrorKind::NotADirectory, why))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the folder at `path`, which is made if it is not there; then only its owner may look
    /// into it.
    pub fn make(path: &Path) -> io::Result<Self> {
        match rustix::fs::mkdir(path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Self::open(path),
            Err(error) => Err(error.into()),
        }
    }

    /// The first `most` bytes of the report.
    pub fn report(&self, most: u64) -> io::Result<Vec<u8>> {
        self.beginning(REPORT_FILE, most)
    }

    /// What its author says of the submission; empty if nothing.
    pub(crate) fn comment(&self) -> String {
        let text = self.beginning(COMMENT, LONGEST_COMMENT).unwrap_or_default();
        String::from_utf8_lossy(&text).trim().to_owned()
    }

    /// Writes what its author says of the submission that comes next.
    pub fn write_comment(&self, text: &str) -> io::Result<()> {
        self.remove(COMMENT)?;
        if text.is_empty() {
            return Ok(());
        }
        self.create(COMMENT)?.write_all(text.as_bytes())
    }

    /// Whom its author challenges, if anyone.
    pub fn challenge(&self) -> Option<WantedChallenge> {
        let text = self.beginning(CHALLENGE_FILE, LONGEST_CHALLENGE).ok()?;
        Some(WantedChallenge::parse(&String::from_utf8_lossy(&text)))
    }

    /// Writes whom its author challenges.
    pub fn write_challenge(&self, wanted: &WantedChallenge) -> io::Result<()> {
        self.remove(CHALLENGE_FILE)?;
        self.create(CHALLENGE_FILE)?.write_all(wanted.text().as_bytes())
    }

    /// Removes a challenge, unless its author has put another one there.
    pub(crate) fn forget_challenge(&self, done: &WantedChallenge) -> io::Result<()> {
        match self.challenge() {
            Some(wanted) if wanted == *done => self.remove(CHALLENGE_FILE),
            _ => Ok(()),
        }
    }

    /// The first `most` bytes of a file.
    fn beginning(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty())?);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("it is not a file"));
        }
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes the report, in one step for whoever reads it.
    pub(crate) fn write_report(&self, text: &str) -> io::Result<()> {
        // Left by a run that was killed, or put there by the author.
        self.remove(NEW_REPORT)?;
        self.create(NEW_REPORT)?.write_all(text.as_bytes())?;
        Ok(rustix::fs::renameat(&self.0, NEW_REPORT, &self.0, REPORT_FILE)?)
    }

    /// A new file, which must not be there.
    fn create(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.0, name, flags, READABLE)?))
    }

    /// Removes a file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of what was handed in: all but the report and what begins with a dot.
    pub fn handed_in(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
            if !is_not_submitted(&name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// What was handed in, for people: the name of each entry, not escaped, and its size in bytes
    /// if it is a file. Of a folder that is alone, its entries.
    pub fn listed(&self) -> Vec<(String, Option<u64>)> {
        let names = self.handed_in().unwrap_or_default();
        if let [only] = &*names
            && let Ok(inside) = rustix::fs::openat(&self.0, only, FOLDER, Mode::empty())
        {
            let inside = Self(inside);
            return inside.sized(inside.handed_in().unwrap_or_default());
        }
        self.sized(names)
    }

    fn sized(&self, mut names: Vec<OsString>) -> Vec<(String, Option<u64>)> {
        names.sort();
        names.iter().map(|name| (name.to_string_lossy().into_owned(), self.size(name))).collect()
    }

    /// The size of an entry in bytes, if it is a file.
    fn size(&self, name: &OsStr) -> Option<u64> {
        let found = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        u64::try_from(found.st_size).ok().filter(|_| is_file)
    }

    /// Moves an entry to `place` outside.
    pub fn move_out(&self, name: &OsStr, place: &Path) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, name, CWD, place)?)
    }

    /// Moves what is at `place` here, under this name, for good.
    pub fn move_in(&self, place: &Path, name: &str) -> io::Result<()> {
        rustix::fs::renameat(CWD, place, &self.0, name)?;
        Ok(rustix::fs::fsync(&self.0)?)
    }
}

/// Whether an entry at the top of an author's folder is not part of the submission.
pub fn is_not_submitted(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".") || name.starts_with(REPORT_FILE.as_bytes())
}

impl AsFd for AuthorFolder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_folder_that_is_renamed_and_replaced_by_a_link_is_the_same_one() {
        let dir = tempfile::tempdir().expect("a folder");
        let [ann, moved, victim] = ["ann", "moved", "victim"].map(|name| dir.path().join(name));
        fs::create_dir(&victim).expect("a folder");
        fs::write(victim.join("kept"), "kept").expect("a file");
        let folder = AuthorFolder::make(&ann).expect("a folder");
        fs::write(ann.join("old.py"), "old").expect("a file");
        fs::rename(&ann, &moved).expect("renamed");
        symlink(&victim, &ann).expect("a link");

        folder.write_report("refused").expect("written");
        assert_eq!(folder.report(100).expect("a report"), b"refused");
        assert_eq!(folder.handed_in().expect("names"), ["old.py"]);
        assert_eq!(folder.listed(), [("old.py".to_owned(), Some(3))]);
        folder.move_out("old.py".as_ref(), &dir.path().join("old")).expect("moved");
        let new = dir.path().join("new");
        fs::write(&new, "new").expect("a file");
        folder.move_in(&new, "new.py").expect("moved");
        let names = |place: &Path| {
            let mut names: Vec<_> = fs::read_dir(place)
                .expect("a folder")
                .map(|it| it.expect("one").file_name())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(&victim), ["kept"]);
        assert_eq!(names(&moved), ["new.py", REPORT_FILE]);
        assert!(AuthorFolder::open(&ann).is_err(), "a link");
        assert!(AuthorFolder::make(&ann).is_err(), "a link");
    }

    #[test]
    fn a_report_is_a_file_whatever_its_author_put_there() {
        let dir = tempfile::tempdir().expect("a folder");
        let victim = dir.path().join("victim");
        fs::write(&victim, "secret").expect("a file");
        let ann = dir.path().join("ann");
        let folder = AuthorFolder::make(&ann).expect("a folder");
        symlink(&victim, ann.join(REPORT_FILE)).expect("a link");
        symlink(&victim, ann.join(NEW_REPORT)).expect("a link");
        assert!(folder.report(100).is_err(), "a link");
        folder.write_report("entered").expect("written");
        assert_eq!(folder.report(100).expect("a report"), b"entered");
        assert_eq!(fs::read_to_string(&victim).expect("there"), "secret");
    }

    #[test]
    fn a_challenge_is_a_file_and_goes_only_if_it_is_still_the_same() {
        let dir = tempfile::tempdir().expect("a folder");
        let victim = dir.path().join("victim");
        fs::write(&victim, "house").expect("a file");
        let folder = AuthorFolder::make(&dir.path().join("ann")).expect("a folder");
        symlink(&victim, dir.path().join("ann").join(CHALLENGE_FILE)).expect("a link");
        assert_eq!(folder.challenge(), None, "a link");
        let [first, second] = ["house", "bob v2"].map(WantedChallenge::parse);
        folder.write_challenge(&first).expect("written");
        folder.write_challenge(&second).expect("written");
        folder.forget_challenge(&first).expect("it is not there");
        assert_eq!(folder.challenge().as_ref(), Some(&second));
        folder.forget_challenge(&second).expect("removed");
        assert_eq!(folder.challenge(), None);
        assert_eq!(fs::read_to_string(&victim).expect("there"), "house");
        assert!(folder.handed_in().expect("names").is_empty());
    }
}
