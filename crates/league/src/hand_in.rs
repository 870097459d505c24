//! What an author hands in: a folder that anyone may have filled.

use std::path::Path;

use super::author_folder::{AuthorFolder, is_not_submitted};
use referee_record::tree_walk::{FoundTree, Links, TreeRules, UnfitTree, read_tree};

/// The most files and folders of a submission.
const MOST_ENTRIES: usize = 20_000;

/// Reads the submission in the folder of an author, of at most this many bytes. Copies it to the new
/// folder `to`, if one is given. The report and hidden files at the top do not count.
pub fn read_hand_in(
    from: &AuthorFolder,
    to: Option<&Path>,
    largest: u64,
) -> Result<FoundTree, UnfitTree> {
    let rules = TreeRules {
        largest,
        entries: MOST_ENTRIES,
        links: Links::Refused,
        leaves_out: |path| {
            let mut names = path.iter();
            names.next().is_some_and(is_not_submitted) && names.next().is_none()
        },
    };
    read_tree(from, to, rules)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::REPORT_FILE;

    fn read_at(from: &Path, to: Option<&Path>, largest: u64) -> Result<FoundTree, UnfitTree> {
        read_hand_in(&AuthorFolder::open(from).expect("a folder"), to, largest)
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
        for aside in [REPORT_FILE, "report.txt.x.new", ".upload"] {
            fs::write(from.join(aside), "aside").expect("a file");
        }
        let to = dir.path().join("copy");
        assert_eq!(read_at(&from, Some(&to), 12).expect("a copy"), whole);
        assert_eq!(read_at(&to, None, 12).expect("the copy"), whole);
        fs::write(from.join("src/book"), "move!").expect("a file");
        assert_ne!(read_at(&from, None, 12).expect("a submission").digest, whole.digest);
        let too_large = read_at(&from, None, 11).expect_err("too large");
        assert!(matches!(too_large, UnfitTree::TooLarge(11)), "{too_large}");
    }

    #[test]
    fn a_name_of_several_lines_is_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let name = "book\nhand-in 0123: entered as ann v9";
        fs::write(dir.path().join(name), "").expect("a file");
        let refused = read_at(dir.path(), None, 1 << 20).expect_err("two lines");
        assert!(matches!(&refused, UnfitTree::Name(it) if it == name), "{refused}");
        assert_eq!(refused.to_string().lines().count(), 1, "{refused}");
        fs::remove_file(dir.path().join(name)).expect("removed");
        fs::create_dir(dir.path().join("a\tb")).expect("a folder");
        read_at(dir.path(), None, 1 << 20).expect_err("a folder");
    }

    #[test]
    fn nothing_but_files_and_folders_is_read() {
        let dir = tempfile::tempdir().expect("a folder");
        symlink("/etc/passwd", dir.path().join("link")).expect("a link");
        let refused = read_at(dir.path(), None, 1 << 20).expect_err("a link");
        assert!(matches!(&refused, UnfitTree::Special(name) if name == "link"), "{refused}");
        fs::remove_file(dir.path().join("link")).expect("removed");
        rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join("pipe"), rustix::fs::Mode::RWXU)
            .expect("a pipe");
        let refused = read_at(dir.path(), None, 1 << 20).expect_err("a pipe");
        assert!(matches!(&refused, UnfitTree::Special(name) if name == "pipe"), "{refused}");
    }
}
