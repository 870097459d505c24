//! Finds players that are identical byte for byte.

use std::path::Path;
use std::{fs, io};

use referee_record::plain_files::open_plain_nofollow;

/// How many levels of folders to read.
const DEEPEST: usize = 8;

/// A digest of the files in a folder, independent of their names; `None` if nothing can be compared
/// or something cannot be read. Hidden files, caches and links do not count.
pub(super) fn digest_identical_files(dir: &Path) -> Option<blake3::Hash> {
    let mut files = Vec::new();
    add_file_digests(dir, DEEPEST, &mut files).ok()?;
    files.sort_unstable();
    let mut all = blake3::Hasher::new();
    for file in &files {
        all.update(file);
    }
    (!files.is_empty()).then(|| all.finalize())
}

fn add_file_digests(dir: &Path, left: usize, files: &mut Vec<[u8; 32]>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if is_hidden || name == "__pycache__" || name == "__MACOSX" {
            continue;
        }
        if kind.is_dir() && left > 0 {
            add_file_digests(&entry.path(), left - 1, files)?;
        } else if kind.is_file() && entry.metadata()?.len() > 0 {
            let read = blake3::Hasher::new()
                .update_reader(open_plain_nofollow(&entry.path())?)?
                .finalize();
            files.push(*read.as_bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[(&str, &str)]) -> Option<blake3::Hash> {
        let dir = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
            fs::write(path, text).expect("written");
        }
        digest_identical_files(dir.path())
    }

    #[test]
    fn copies_are_recognised_under_other_names() {
        let one = of(&[("ada.py", "code"), ("deep/book", "moves"), ("empty", "")]);
        assert_eq!(one, of(&[("bob.py", "code"), ("book", "moves"), (".git/x", "1")]));
        assert_ne!(one, of(&[("ada.py", "code")]));
        assert_ne!(one, of(&[("ada.py", "code"), ("book", "other moves")]));
        assert_ne!(one, of(&[("ada.py", "code"), ("a", "moves"), ("b", "moves")]));
        assert_eq!(of(&[("empty", "")]), None);
    }
}
