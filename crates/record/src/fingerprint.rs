//! The fingerprint of a player: a hash of its command and files, which distinguishes players, and
//! the state of these files, which reveals changes while it plays.

mod hash;
mod stamp;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use self::hash::{Parts, Unreadable, is_left_out, of_bot, of_names, of_rules};
use self::stamp::Stamp;

/// A player's command, and its files as they were when read; empty for built-in players.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fingerprint {
    program: PathBuf,
    dir: PathBuf,
    words: Vec<String>,
    env: BTreeMap<String, String>,
    files: Vec<String>,
    stamps: Vec<(PathBuf, Stamp)>,
    /// What else distinguishes the player from others with the same command and files.
    variant: String,
}

impl Fingerprint {
    /// Reads the files of a player, and returns its fingerprint and hash.
    pub fn read(parts: Parts<'_>) -> Result<(Self, String), Unreadable> {
        let (hash, stamps) = hash::of_command(parts)?;
        let fingerprint = Self {
            program: parts.program.to_owned(),
            dir: parts.dir.to_owned(),
            words: parts.words.to_vec(),
            env: parts.env.clone(),
            files: parts.files.to_vec(),
            stamps,
            variant: String::new(),
        };
        Ok((fingerprint, hash))
    }

    /// Makes it that of a variant of the player with this `hash`. Returns the variant's hash.
    pub fn vary(&mut self, hash: &str, variant: &str) -> String {
        variant.clone_into(&mut self.variant);
        self.varied(hash)
    }

    /// Whether it is that of a variant, which no command line names.
    pub fn is_variant(&self) -> bool {
        !self.variant.is_empty()
    }

    fn varied(&self, hash: &str) -> String {
        match &*self.variant {
            "" => hash.to_owned(),
            variant => hash::of_variant(hash, variant),
        }
    }

    /// The files whose contents the hash covers.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.stamps.iter().map(|(path, _)| path.as_path())
    }

    /// A file that was touched since it was read, with a path relative to the player's folder if it
    /// lies there. Its contents may still be the same.
    pub fn touched(&self) -> Option<&Path> {
        let differs = |(path, before): &&(PathBuf, Stamp)| {
            !fs::metadata(path).is_ok_and(|found| Stamp::of(&found) == *before)
        };
        let (path, _) = self.stamps.iter().find(differs)?;
        Some(path.strip_prefix(&self.dir).unwrap_or(path))
    }

    /// Whether the command and files now give another hash than this one.
    pub fn is_another(&self, hash: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let Self { program, dir, words, env, files, .. } = self;
        let now = hash::of_command(Parts { dir, program, words, env, files });
        !now.is_ok_and(|(now, _)| self.varied(&now) == hash)
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
            // Replaces the file, as editors and compilers do.
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
        let (fingerprint, hash) = Fingerprint::read(parts).expect("readable");
        assert_eq!((fingerprint.touched(), fingerprint.is_another(&hash)), (None, false));
        write("weights", "1");
        assert_eq!(fingerprint.touched(), Some(Path::new("weights")));
        assert!(!fingerprint.is_another(&hash), "the contents are the same");
        let mut fast = fingerprint.clone();
        let varied = fast.vary(&hash, "speed=9");
        assert!(
            fast.is_variant()
                && varied != hash
                && !fast.is_another(&varied)
                && fast.is_another(&hash)
        );
        write("player.py", "2");
        assert!(fast.is_another(&varied));
        assert_eq!(fingerprint.touched(), Some(Path::new("player.py")));
        assert!(fingerprint.is_another(&hash));
        fs::remove_file(dir.path().join("player.py")).expect("removed");
        assert!(fingerprint.touched().is_some() && fingerprint.is_another(&hash));
        assert_eq!(Fingerprint::default().touched(), None);
        assert!(!Fingerprint::default().is_another(""), "the referee itself does not change");
    }
}
