//! The fingerprint of a player: a hash of its command and files, which distinguishes players, and
//! the state of these files, which reveals changes while it plays.

mod hash;
mod stamp;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use self::hash::{
    HashedPlayer, Unreadable, hash_bot, hash_file_names, hash_rules, is_left_out_of_hash,
};
use self::hash::{hash_command, hash_player_contents, hash_variant};
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
    pub fn read(parts: HashedPlayer<'_>) -> Result<(Self, String), Unreadable> {
        let (hash, stamps) = hash_command(parts)?;
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
            variant => hash_variant(hash, variant),
        }
    }

    /// Whether both run the same program: the same command and variables, and files of the same
    /// contents, whatever these are called and wherever they are. A file that only one of them lists
    /// must lie beside the other's main file too.
    pub fn is_same_program(&self, other: &Self) -> bool {
        if self.words.is_empty() || self.variant != other.variant {
            return false;
        }
        let both = [self, other].map(Self::parts);
        let [Some(ours), Some(theirs)] = both.map(|parts| parts.listed_beside()) else {
            return false;
        };
        let all = &ours | &theirs;
        let [us, them] = both.map(|parts| hash_player_contents(parts, &all));
        us.ok().zip(them.ok()).is_some_and(|(us, them)| us == them)
    }

    fn parts(&self) -> HashedPlayer<'_> {
        let Self { program, dir, words, env, files, .. } = self;
        HashedPlayer { dir, program, words, env, files }
    }

    /// The files whose contents the hash covers.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.stamps.iter().map(|(path, _)| path.as_path())
    }

    /// A file that was touched since it was read, with a path relative to the player's folder if it
    /// lies there. Its contents may still be the same.
    pub fn touched_file(&self) -> Option<&Path> {
        let differs = |(path, before): &&(PathBuf, Stamp)| {
            !fs::metadata(path).is_ok_and(|found| Stamp::from_metadata(&found) == *before)
        };
        let (path, _) = self.stamps.iter().find(differs)?;
        Some(path.strip_prefix(&self.dir).unwrap_or(path))
    }

    /// Whether the command and files now give another hash than this one.
    pub fn differs_from_hash(&self, hash: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let now = hash_command(self.parts());
        !now.is_ok_and(|(now, _)| self.varied(&now) == hash)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_known_by_its_contents_not_by_their_place() {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in [
            ("a/bot.py", "1"),
            ("a/net", "x"),
            ("b/copy.py", "1"),
            ("b/net", "x"),
            ("c/bot.py", "1"),
            ("c/net", "another"),
            ("d/bot.py", "2"),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let read = |at: &str, file: &str, files: &[&str]| {
            let words = ["python3", file].map(str::to_owned);
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            let (dir, program) = (&*dir.path().join(at), Path::new("/usr/bin/python3"));
            let parts =
                HashedPlayer { dir, program, words: &words, env: &BTreeMap::new(), files: &files };
            Fingerprint::read(parts).expect("readable").0
        };
        let one = read("", "a/bot.py", &[]);
        for same in [
            read("a", "bot.py", &[]),
            read("a", "bot.py", &["net", "bot.py"]),
            read("b", "copy.py", &["net"]),
            read("c", "bot.py", &[]),
        ] {
            assert!(one.is_same_program(&same) && same.is_same_program(&one), "{same:?}");
        }
        for other in
            [read("d", "bot.py", &[]), read("c", "bot.py", &["net"]), Fingerprint::default()]
        {
            assert!(!one.is_same_program(&other) && !other.is_same_program(&one), "{other:?}");
        }
    }

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
        let parts = HashedPlayer {
            dir: dir.path(),
            program: Path::new("/usr/bin/python3"),
            words: &words,
            env: &BTreeMap::new(),
            files: &["weights".to_owned()],
        };
        let (fingerprint, hash) = Fingerprint::read(parts).expect("readable");
        assert_eq!(
            (fingerprint.touched_file(), fingerprint.differs_from_hash(&hash)),
            (None, false)
        );
        write("weights", "1");
        assert_eq!(fingerprint.touched_file(), Some(Path::new("weights")));
        assert!(!fingerprint.differs_from_hash(&hash), "the contents are the same");
        let mut fast = fingerprint.clone();
        let varied = fast.vary(&hash, "speed=9");
        assert!(
            fast.is_variant()
                && varied != hash
                && !fast.differs_from_hash(&varied)
                && fast.differs_from_hash(&hash)
        );
        write("player.py", "2");
        assert!(fast.differs_from_hash(&varied));
        assert_eq!(fingerprint.touched_file(), Some(Path::new("player.py")));
        assert!(fingerprint.differs_from_hash(&hash));
        fs::remove_file(dir.path().join("player.py")).expect("removed");
        assert!(fingerprint.touched_file().is_some() && fingerprint.differs_from_hash(&hash));
        assert_eq!(Fingerprint::default().touched_file(), None);
        assert!(
            !Fingerprint::default().differs_from_hash(""),
            "the referee itself does not change"
        );
    }
}
