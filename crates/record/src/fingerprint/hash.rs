//! The hash of a player. Two players with the same hash are the same player, judging by the command
//! and the files that it names.
//!
//! Everything is hashed in frames, each text after its length, so that two different players never
//! produce the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::stamp::Stamp;
use crate::disk::LOG;
use crate::plain_files::{ReadError, open_plain_file, open_plain_nofollow};

/// The number of hexadecimal digits in a player's hash.
const DIGITS: usize = 16;
/// The most files of a folder whose names count.
const MOST_NAMES: usize = 100_000;

/// A file of a player that could not be read.
#[derive(Debug)]
pub struct Unreadable {
    /// Its name, relative to the player's folder.
    pub name: String,
    /// The cause.
    pub error: io::Error,
}

/// The parts of a player that a command runs.
#[derive(Debug, Clone, Copy)]
pub struct HashedPlayer<'a> {
    /// The folder it runs in.
    pub dir: &'a Path,
    /// The program's path.
    pub program: &'a Path,
    /// The command as given.
    pub words: &'a [String],
    /// The variables added to its environment.
    pub env: &'a BTreeMap<String, String>,
    /// Further files and folders, relative to `dir`.
    pub files: &'a [String],
}

/// The hash of a built-in player, which changes with the referee's version.
pub fn hash_bot(name: &str) -> String {
    let mut frames = FingerprintHasher::new("bot");
    frames.text(name);
    frames.text(env!("CARGO_PKG_VERSION"));
    frames.finish()
}

/// The hash of a variant of the player with this hash.
pub(super) fn hash_variant(hash: &str, variant: &str) -> String {
    let mut frames = FingerprintHasher::new("variant");
    frames.text(hash);
    frames.text(variant);
    frames.finish()
}

/// The hash of a game whose rules are a program: of its description, and of its command and files.
pub fn hash_rules(description: &str, command: &str) -> String {
    let mut frames = FingerprintHasher::new("rules");
    frames.text(description);
    frames.text(command);
    frames.finish()
}

/// The hash of the names and sizes of all files in the folder at `path`, which may be too large to be
/// read, such as one of endgame tables.
pub fn hash_file_names(name: &str, path: &Path) -> Result<String, Unreadable> {
    let mut frames = FingerprintHasher::new("names");
    frames.names(path, 0).map_err(|error| unreadable_file(name, error))?;
    Ok(frames.finish())
}

/// The hash of a player that a command runs, and the stamps of all files that were read.
pub(super) fn hash_command(
    parts: HashedPlayer<'_>,
) -> Result<(String, Vec<(PathBuf, Stamp)>), Unreadable> {
    let mut frames = FingerprintHasher::new("command");
    frames.list(parts.words.iter());
    frames.list(parts.env.iter().flat_map(|(name, value)| [name, value]));
    for (name, path) in parts.named_files() {
        frames.file(&name, &path)?;
    }
    for name in parts.files {
        frames.tree(name, &parts.dir.join(name), parts.dir)?;
    }
    let stamps = std::mem::take(&mut frames.stamps);
    Ok((frames.finish(), stamps))
}

/// The hash of what a player runs, wherever that is: its command, with the contents of files in place
/// of their names, its variables, and the files `beside` its main file.
pub(super) fn hash_player_contents(
    parts: HashedPlayer<'_>,
    beside: &BTreeSet<PathBuf>,
) -> Result<String, Unreadable> {
    let mut frames = FingerprintHasher::new("contents");
    let named: Vec<_> = parts.named_files().collect();
    for word in parts.words {
        match named.iter().find(|(name, _)| name == word) {
            Some((_, path)) => frames.file("", path)?,
            None => frames.text(word),
        }
    }
    frames.list(parts.env.iter().flat_map(|(name, value)| [name, value]));
    let place = parts.main_folder();
    for path in beside {
        frames.tree(&path.to_string_lossy(), &place.join(path), &place)?;
    }
    Ok(frames.finish())
}

impl HashedPlayer<'_> {
    /// The folder of the main file: the first one that the command names.
    pub(super) fn main_folder(&self) -> PathBuf {
        let main = self.named_files().next();
        let folder = main.and_then(|(_, path)| Some(path.parent()?.to_owned()));
        folder.unwrap_or_else(|| self.dir.to_owned())
    }

    /// Where the files that are listed besides those of the command lie from the main file's folder;
    /// `None` if one of them is elsewhere.
    pub(super) fn listed_beside(&self) -> Option<BTreeSet<PathBuf>> {
        let place = self.main_folder().canonicalize().ok()?;
        let real = |path: &Path| path.canonicalize().ok();
        let named: Vec<_> = self.named_files().filter_map(|(_, path)| real(&path)).collect();
        let mut beside = BTreeSet::new();
        for name in self.files {
            let path = real(&self.dir.join(name))?;
            if !named.contains(&path) {
                beside.insert(path.strip_prefix(&place).ok()?.to_owned());
            }
        }
        Some(beside)
    }

    /// The files that the command itself names: the program, if it belongs to the player, and every
    /// argument that is a file name.
    fn named_files(&self) -> impl Iterator<Item = (String, PathBuf)> {
        let (program, args) = self
            .words
            .split_first()
            .map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
        let own = program.contains('/') || self.program.starts_with(self.dir);
        let program = own.then(|| (program.to_owned(), self.program.to_owned()));
        let named = args.iter().map(|arg| (arg.clone(), self.dir.join(arg)));
        program.into_iter().chain(named.filter(|(_, path)| path.is_file()))
    }
}

/// A hash of texts, lists and files, each in its own frame.
struct FingerprintHasher {
    hasher: blake3::Hasher,
    /// The stamps of the files that were read.
    stamps: Vec<(PathBuf, Stamp)>,
    /// Whether the files of the player's whole folder are added.
    is_whole: bool,
}

impl FingerprintHasher {
    fn new(kind: &str) -> Self {
        let (hasher, stamps) = (blake3::Hasher::new(), Vec::new());
        let mut frames = Self { hasher, stamps, is_whole: false };
        frames.text(kind);
        frames
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.hasher.update(&(bytes.len() as u64).to_le_bytes());
        self.hasher.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn list<'a>(&mut self, texts: impl Iterator<Item = &'a String> + Clone) {
        self.hasher.update(&(texts.clone().count() as u64).to_le_bytes());
        texts.for_each(|text| self.text(text));
    }

    /// Adds the file at `path`, or the one that a link there leads to.
    fn file(&mut self, name: &str, path: &Path) -> Result<(), Unreadable> {
        let file = open_plain_file(path).map_err(|error| match error {
            ReadError::Failed(error) => error,
            other => io::Error::other(other),
        });
        self.opened(name, path, file)
    }

    /// Adds a file's name and contents; the contents as their own hash, which has a fixed length.
    /// Both the stamp and the hash are those of the opened file, whatever `path` leads to by now.
    fn opened(
        &mut self,
        name: &str,
        path: &Path,
        file: io::Result<File>,
    ) -> Result<(), Unreadable> {
        let read = |file: File| {
            // The stamp comes first, so that a write during the read changes it.
            let stamp = Stamp::from_metadata(&file.metadata()?);
            Ok((stamp, blake3::Hasher::new().update_reader(file)?.finalize()))
        };
        let (stamp, contents) =
            file.and_then(read).map_err(|error| unreadable_file(name, error))?;
        self.stamps.push((path.to_owned(), stamp));
        self.text("file");
        self.text(name);
        self.bytes(contents.as_bytes());
        Ok(())
    }

    /// Adds a file, or a folder with everything in it. A link is followed. `root` is the player's
    /// folder.
    fn tree(&mut self, name: &str, path: &Path, root: &Path) -> Result<(), Unreadable> {
        self.is_whole = path == root;
        if path.is_dir() { self.folder(name, path, root) } else { self.file(name, path) }
    }

    /// Adds a folder with everything in it, in the order of names.
    fn folder(&mut self, name: &str, path: &Path, root: &Path) -> Result<(), Unreadable> {
        self.text("folder");
        self.text(name);
        for entry in hashed_folder_entries(path).map_err(|error| unreadable_file(name, error))? {
            let name = format!("{name}/{entry}");
            self.entry(&name, &path.join(&entry), root)?;
        }
        self.text("end");
        Ok(())
    }

    /// Adds a folder entry. Of the player's whole folder, leaves out results and folders with
    /// nothing in them: commands write their results where they are run. A link adds the text of
    /// its target, and the target's contents too if it is a file inside `root`.
    fn entry(&mut self, name: &str, path: &Path, root: &Path) -> Result<(), Unreadable> {
        let found = fs::symlink_metadata(path).map_err(|error| unreadable_file(name, error))?;
        if found.is_dir() {
            let is_aside = self.is_whole && folder_holds_results(path);
            return if is_aside { Ok(()) } else { self.folder(name, path, root) };
        }
        if !found.is_symlink() {
            // It is refused if a link has taken its place.
            return self.opened(name, path, open_plain_nofollow(path));
        }
        let target = fs::read_link(path).map_err(|error| unreadable_file(name, error))?;
        self.text("link");
        self.text(name);
        self.bytes(target.as_os_str().as_encoded_bytes());
        match linked_file_inside(path, root) {
            Some(target) => self.opened(name, path, open_plain_nofollow(&target)),
            None => Ok(()),
        }
    }

    /// Adds the names and sizes of the files in a folder, after `before` others.
    /// Returns how many there are now. Links to folders are not followed.
    fn names(&mut self, folder: &Path, before: usize) -> io::Result<usize> {
        let mut count = before;
        for name in hashed_folder_entries(folder)? {
            if count == MOST_NAMES {
                return Err(io::Error::other(format!("it has more than {MOST_NAMES} files")));
            }
            count += 1;
            let path = folder.join(&name);
            self.text(&name);
            if fs::symlink_metadata(&path)?.is_dir() {
                count = self.names(&path, count)?;
                self.text("end");
            } else {
                let size = fs::metadata(&path).map_or(0, |file| file.len());
                self.bytes(&size.to_le_bytes());
            }
        }
        Ok(count)
    }

    fn finish(self) -> String {
        let mut hex = self.hasher.finalize().to_hex().to_string();
        hex.truncate(DIGITS);
        hex
    }
}

fn unreadable_file(name: &str, error: io::Error) -> Unreadable {
    Unreadable { name: name.to_owned(), error }
}

/// Folders of version control and caches. What programs do not read is not part of them.
const LEFT_OUT: [&str; 5] = [".git", ".hg", ".svn", "__pycache__", ".DS_Store"];

/// Whether a file or folder with this name is part of no player.
pub fn is_left_out_of_hash(name: &str) -> bool {
    LEFT_OUT.contains(&name)
}

/// The names in a folder, sorted, without those in [`LEFT_OUT`].
fn hashed_folder_entries(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.into_string().map_err(|_| io::Error::other("a name in it is not UTF-8"))?;
        if !is_left_out_of_hash(&name) {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a folder holds the log of a tournament or comparison, itself or in a folder of its own; or
/// nothing.
fn folder_holds_results(folder: &Path) -> bool {
    let inside = |folder: &Path| {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let has_log = |folder: &Path| folder.join(LOG).is_file();
    inside(folder).next().is_none() || has_log(folder) || inside(folder).any(|path| has_log(&path))
}

/// The file inside `root` that a link at `path` leads to, without links; `None` for anything else.
fn linked_file_inside(path: &Path, root: &Path) -> Option<PathBuf> {
    let target = path.canonicalize().ok()?;
    (target.starts_with(root.canonicalize().ok()?) && target.is_file()).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Player {
        dir: tempfile::TempDir,
        words: Vec<String>,
        env: BTreeMap<String, String>,
        files: Vec<String>,
    }

    impl Player {
        fn new(words: &[&str], files: &[&str]) -> Self {
            let dir = tempfile::tempdir().expect("a folder");
            let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
            Self { dir, words: owned(words), env: BTreeMap::new(), files: owned(files) }
        }

        fn write(&self, name: &str, contents: &str) {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            fs::write(path, contents).expect("a file");
        }

        fn try_hash(&self) -> Result<String, Unreadable> {
            let parts = HashedPlayer {
                dir: self.dir.path(),
                program: Path::new("/elsewhere/python3"),
                words: &self.words,
                env: &self.env,
                files: &self.files,
            };
            hash_command(parts).map(|(hash, _)| hash)
        }

        fn hash(&self) -> String {
            self.try_hash().expect("readable")
        }
    }

    #[test]
    fn the_same_player_in_another_folder_has_the_same_hash() {
        let hashes = [(), ()].map(|()| {
            let player = Player::new(&["python3", "a.py"], &["lib"]);
            player.write("a.py", "print()");
            player.write("lib/b.py", "1");
            player.hash()
        });
        assert_eq!(hashes[0], hashes[1]);
        assert_eq!(hashes[0].len(), DIGITS);
    }

    #[test]
    fn every_part_counts() {
        let mut player = Player::new(&["python3", "a.py"], &["lib"]);
        player.write("a.py", "1");
        player.write("lib/deep/b.py", "1");
        let mut seen = vec![player.hash()];
        let mut changed = |player: &Player| {
            let hash = player.hash();
            assert!(!seen.contains(&hash), "nothing changed");
            seen.push(hash);
        };
        player.write("a.py", "2");
        changed(&player);
        player.write("lib/deep/b.py", "2");
        changed(&player);
        player.write("lib/c.py", "");
        changed(&player);
        player.env.insert("A".to_owned(), "1".to_owned());
        changed(&player);
        player.words.push("-v".to_owned());
        changed(&player);
    }

    #[test]
    fn hidden_files_count_and_caches_do_not() {
        let player = Player::new(&["python3", "-m", "lib"], &["lib"]);
        player.write("lib/b.py", "1");
        let before = player.hash();
        player.write("lib/__pycache__/b.pyc", "1");
        player.write("lib/.git/HEAD", "1");
        player.write("unnamed.py", "1");
        assert_eq!(player.hash(), before);
        player.write("lib/.weights", "1");
        assert_ne!(player.hash(), before);
    }

    #[test]
    fn results_in_the_folder_of_a_player_are_no_part_of_it_but_data_it_lists_is() {
        let whole = Player::new(&["python3", "p.py"], &["."]);
        whole.write("p.py", "1");
        let before = whole.hash();
        whole.write("results/cup/games.jsonl", "{}");
        whole.write("cup/games.jsonl", "{}");
        fs::create_dir(whole.dir.path().join("empty")).expect("a folder");
        assert_eq!(whole.hash(), before);
        whole.write("book/moves", "1");
        assert_ne!(whole.hash(), before);

        let listed = Player::new(&["python3", "p.py"], &["learned"]);
        listed.write("learned/cup/games.jsonl", "1");
        let before = listed.hash();
        listed.write("learned/cup/games.jsonl", "2");
        assert_ne!(listed.hash(), before, "a player may learn from games");
    }

    #[test]
    fn hashed_words_are_framed() {
        assert_ne!(
            Player::new(&["p", "ab", "c"], &[]).hash(),
            Player::new(&["p", "a", "bc"], &[]).hash()
        );
        let mut moved = Player::new(&["p"], &[]);
        moved.env.insert("x".to_owned(), "y".to_owned());
        assert_ne!(moved.hash(), Player::new(&["p", "x", "y"], &[]).hash());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_out_of_the_folder_nor_in_circles() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::NamedTempFile::new().expect("a file");
        let player = Player::new(&["p"], &["lib"]);
        player.write("lib/inside", "1");
        symlink(".", player.dir.path().join("lib/circle")).expect("a link");
        symlink("inside", player.dir.path().join("lib/link")).expect("a link");
        symlink(outside.path(), player.dir.path().join("lib/out")).expect("a link");
        let before = player.hash();
        fs::write(outside.path(), "changed").expect("written");
        assert_eq!(player.hash(), before);
    }

    #[cfg(unix)]
    #[test]
    fn what_was_opened_is_hashed_and_stamped_though_its_folder_was_swapped() {
        let player = Player::new(&["p"], &[]);
        player.write("lib/a.py", "1");
        player.write("other/a.py", "2");
        let path = player.dir.path().join("lib/a.py");
        let added = |file| {
            let mut frames = FingerprintHasher::new("");
            frames.opened("a.py", &path, file).expect("readable");
            (frames.stamps.remove(0).1, frames.finish())
        };
        let first = added(open_plain_nofollow(&path));
        let opened = open_plain_nofollow(&path);
        let lib = player.dir.path().join("lib");
        fs::rename(&lib, player.dir.path().join("gone")).expect("renamed");
        fs::rename(player.dir.path().join("other"), &lib).expect("renamed");
        assert_eq!(added(opened), first);
        let second = added(open_plain_nofollow(&path));
        assert!(second.0 != first.0 && second.1 != first.1, "the swap is noticed");
    }

    #[test]
    fn names_and_sizes_of_a_folder_count() {
        let player = Player::new(&["p"], &[]);
        let hash = || hash_file_names("tables", player.dir.path()).expect("readable");
        player.write("KQvK.rtbw", "1");
        let before = hash();
        player.write("KQvK.rtbw", "2");
        assert_eq!(hash(), before, "the contents are not read");
        player.write("KQvK.rtbw", "22");
        let longer = hash();
        player.write("dtz/KQvK.rtbz", "");
        let more = hash();
        assert!(before != longer && longer != more && more != before);
        assert!(hash_file_names("gone", &player.dir.path().join("gone")).is_err());
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Player::new(&["p"], &["weights.bin"]).try_hash().expect_err("missing");
        assert_eq!(error.name, "weights.bin");
    }

    #[test]
    fn fingerprints_of_built_in_players_differ_by_name() {
        assert_ne!(hash_bot("greedy"), hash_bot("search"));
    }
}
