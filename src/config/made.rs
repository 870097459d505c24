//! What makes a player, so that a change of it is noticed while it plays.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::hash::{self, Parts, Unreadable};

/// What makes a player that is run by a command: the command, and files as they were when they were
/// read. Nothing where the referee itself is the player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Made {
    program: PathBuf,
    dir: PathBuf,
    words: Vec<String>,
    env: BTreeMap<String, String>,
    files: Vec<String>,
    stamps: Vec<(PathBuf, Stamp)>,
}

/// What the system says of a file. It differs when the file was written to, or another one put in
/// its place; it may differ without that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    file: (u64, u64),
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The stamp of the file at `path`.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|found| Self::from(&found))
    }
}

#[cfg(unix)]
impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            written: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

#[cfg(not(unix))]
impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        Self { file: (0, 0), size: found.len(), written: (0, 0), changed: (0, 0) }
    }
}

impl Made {
    /// Reads what makes a player, and gives its hash.
    pub(super) fn read(parts: Parts<'_>) -> Result<(Self, String), Unreadable> {
        let (hash, stamps) = hash::of_command(parts)?;
        let made = Self {
            program: parts.program.to_owned(),
            dir: parts.dir.to_owned(),
            words: parts.words.to_vec(),
            env: parts.env.clone(),
            files: parts.files.to_vec(),
            stamps,
        };
        Ok((made, hash))
    }

    /// A file that is not as it was when it was read, as a path that is relative to the player's
    /// folder if it lies there. The contents may be the same again.
    pub fn touched(&self) -> Option<&Path> {
        let differs =
            |(path, before): &&(PathBuf, Stamp)| !Stamp::of(path).is_ok_and(|it| it == *before);
        let (path, _) = self.stamps.iter().find(differs)?;
        Some(path.strip_prefix(&self.dir).unwrap_or(path))
    }

    /// Whether what is there now is another player than the one with this hash.
    pub fn is_another(&self, hash: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let Self { program, dir, words, env, files, .. } = self;
        let now = hash::of_command(Parts { dir, program, words, env, files });
        !now.is_ok_and(|(now, _)| now == hash)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_to_is_noticed() {
        let dir = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            // Another file in its place, as editors and compilers put it.
            fs::write(path.with_extension("new"), text).expect("written");
            fs::rename(path.with_extension("new"), path).expect("renamed");
        };
        write("player.py", "1");
        write("weights", "1");
        let words = ["python3", "player.py"].map(str::to_owned);
        let parts = Parts {
            dir: dir.path(),
            program: Path::new("/usr/bin/python3"),
            words: &words,
            env: &BTreeMap::new(),
            files: &["weights".to_owned()],
        };
        let (made, hash) = Made::read(parts).expect("readable");
        assert_eq!((made.touched(), made.is_another(&hash)), (None, false));
        write("weights", "1");
        assert_eq!(made.touched(), Some(Path::new("weights")));
        assert!(!made.is_another(&hash), "the contents are the same");
        write("player.py", "2");
        assert_eq!(made.touched(), Some(Path::new("player.py")));
        assert!(made.is_another(&hash));
        fs::remove_file(dir.path().join("player.py")).expect("removed");
        assert!(made.touched().is_some() && made.is_another(&hash));
        assert_eq!(Made::default().touched(), None);
        assert!(!Made::default().is_another(""), "the referee itself does not change");
    }
}
