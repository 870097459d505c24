//! Watches the folders that authors hand in to, within bounds: whoever can make folders there must
//! neither keep the league from starting nor use up the watches of its user.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::author_folder::is_not_submitted;

/// The most folders of one author that are watched.
const MOST_OF_AUTHOR: usize = 64;
/// The most folders that are watched in all. Some systems permit 8,192 per user.
const MOST_WATCHED: usize = 4096;
/// The most entries in an author's folders to look at in search of folders.
const MOST_ENTRIES: usize = 20_000;

/// What a look at an author's folders has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watching {
    /// Some folders are watched only from now on, so they may have just been made.
    More,
    /// The same folders as before.
    Same,
    /// Not all folders are watched. Changes have to be looked for.
    Partly,
}

/// The folders of authors that are watched.
#[derive(Debug)]
pub(crate) struct AuthorWatches {
    hand_in: PathBuf,
    /// `None` if the system permits no more watchers.
    watcher: Option<RecommendedWatcher>,
    by_author: BTreeMap<String, BTreeSet<PathBuf>>,
    most: usize,
}

impl AuthorWatches {
    pub(crate) fn new(hand_in: &Path, watcher: Option<RecommendedWatcher>) -> Self {
        let by_author = BTreeMap::new();
        Self { hand_in: hand_in.to_owned(), watcher, by_author, most: MOST_WATCHED }
    }

    /// Watches the entries of a folder. Returns whether that is possible.
    pub(crate) fn watch_folder(&mut self, folder: &Path) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
    }

    /// Watches the folders that this author has now, and no longer those that are gone.
    pub(crate) fn watch(&mut self, author: &str) -> Watching {
        let before = self.by_author.remove(author).unwrap_or_default();
        let (folders, mut is_whole) = author_folders_to_watch(&self.hand_in.join(author));
        // Before the others: what was renamed has the same watch under both names.
        for gone in before.iter().filter(|folder| !folders.contains(folder)) {
            // The watch of a removed folder has ended already.
            let _ = self.watcher.as_mut().map(|system| system.unwatch(gone));
        }
        let room = self.most - self.by_author.values().map(BTreeSet::len).sum::<usize>();
        let mut own = BTreeSet::new();
        for folder in folders {
            // Again for each of them, because the folder of this name may be a new one.
            if own.len() < room && self.watch_folder(&folder) {
                own.insert(folder);
            } else {
                is_whole = false;
            }
        }
        let has_more = own.iter().any(|folder| !before.contains(folder));
        if !own.is_empty() {
            self.by_author.insert(author.to_owned(), own);
        }
        match (is_whole, has_more) {
            (false, _) => Watching::Partly,
            (true, true) => Watching::More,
            (true, false) => Watching::Same,
        }
    }
}

/// The folder `top` and those below it that belong to a submission, the outer ones first, and whether
/// these are all. Links are not followed.
fn author_folders_to_watch(top: &Path) -> (Vec<PathBuf>, bool) {
    let mut found = Vec::new();
    if fs::symlink_metadata(top).is_ok_and(|there| there.is_dir()) {
        found.push(top.to_owned());
    }
    let (mut at, mut entries) = (0, 0);
    while let Some(folder) = found.get(at).cloned() {
        at += 1;
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let counts = is_folder && !(folder == top && is_not_submitted(&entry.file_name()));
            if entries > MOST_ENTRIES || counts && found.len() == MOST_OF_AUTHOR {
                return (found, false);
            }
            if counts {
                found.push(entry.path());
            }
        }
    }
    (found, true)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folders(hand_in: &Path, most: usize) -> AuthorWatches {
        let watcher = notify::recommended_watcher(|_| {}).expect("a watcher");
        AuthorWatches { most, ..AuthorWatches::new(hand_in, Some(watcher)) }
    }

    #[test]
    fn an_author_cannot_use_up_the_watches() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |path: &str| dir.path().join(path);
        for number in 0..2 * MOST_OF_AUTHOR {
            fs::create_dir_all(at("ann").join(format!("{number}/deep"))).expect("folders");
        }
        fs::create_dir_all(at("bob/src")).expect("folders");
        let mut watch = folders(dir.path(), MOST_OF_AUTHOR + 3);
        assert_eq!(watch.watch("ann"), Watching::Partly);
        assert_eq!(watch.by_author["ann"].len(), MOST_OF_AUTHOR);
        assert_eq!([(); 2].map(|()| watch.watch("bob")), [Watching::More, Watching::Same]);
        fs::create_dir_all(at("cat/src")).expect("folders");
        assert_eq!(watch.watch("cat"), Watching::Partly, "no more than that in all");
        assert!(watch.by_author["cat"].contains(&at("cat")), "the outer folder first");
        // Folders that are gone make room.
        fs::remove_dir_all(at("ann")).expect("removed");
        assert_eq!([(); 2].map(|()| watch.watch("ann")), [Watching::Same; 2]);
        assert_eq!(watch.watch("cat"), Watching::More);
    }

    #[test]
    fn only_folders_of_a_submission_are_watched() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |path: &str| dir.path().join(path);
        for folder in ["ann/src", "ann/.git/objects", "elsewhere/deep"] {
            fs::create_dir_all(at(folder)).expect("folders");
        }
        symlink(at("elsewhere"), at("ann/link")).expect("a link");
        symlink(at("elsewhere"), at("eve")).expect("a link");
        assert_eq!(author_folders_to_watch(&at("ann")), (vec![at("ann"), at("ann/src")], true));
        assert_eq!(author_folders_to_watch(&at("eve")), (Vec::new(), true));
    }

    #[test]
    fn without_a_watcher_changes_have_to_be_looked_for() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("ann")).expect("a folder");
        let mut watch = AuthorWatches::new(dir.path(), None);
        assert!(!watch.watch_folder(dir.path()));
        assert_eq!(watch.watch("ann"), Watching::Partly);
    }
}
