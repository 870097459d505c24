//! Notices what authors hand in, and what the organiser wants.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use notify::EventKind;

use super::author_folder::{CHALLENGE_FILE, REPORT_FILE, is_not_submitted};
use super::author_watches::{AuthorWatches, Watching};
use super::control::CONTROL;

/// For how long nothing may change in an author's folder before it is read.
pub(crate) const QUIET: Duration = Duration::from_secs(2);
/// When to look again at what cannot be watched, or to try again what had to wait.
pub(crate) const AGAIN: Duration = Duration::from_secs(60);
/// The most authors of a league.
const MOST_AUTHORS: usize = 10_000;

/// What has happened since somebody looked.
#[derive(Debug, Default)]
struct HandInEvents {
    /// The authors in whose folders something changed.
    authors: BTreeSet<String>,
    /// Whether events may have been lost, so that everything has to be read.
    is_unclear: bool,
    control: bool,
    /// How many checks and challenges have ended.
    ended: usize,
    is_closed: bool,
}

/// Tells the watch what happened.
#[derive(Debug, Clone)]
pub(crate) struct HandInNotifier {
    happened: Arc<Mutex<HandInEvents>>,
    ring: SyncSender<()>,
}

impl HandInNotifier {
    fn happened(&self, change: impl FnOnce(&mut HandInEvents)) {
        change(&mut self.happened.lock().unwrap_or_else(PoisonError::into_inner));
        // If it rings already, everything is seen together.
        let _ = self.ring.try_send(());
    }

    /// A check or a challenge has ended.
    pub(crate) fn ended(&self) {
        self.happened(|happened| happened.ended += 1);
    }

    /// The intake stops.
    pub(crate) fn close(&self) {
        self.happened(|happened| happened.is_closed = true);
    }
}

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HandInTask {
    /// Read this author's folder.
    Author(String),
    /// Read what the organiser wants.
    Control,
    /// The intake stops.
    Close,
    /// Begin what waits: a check has ended, or there is time for one.
    Begin,
}

/// Watches the folder that authors hand in to, and the results folder.
#[derive(Debug)]
pub(crate) struct HandInWatch {
    hand_in: PathBuf,
    bell: HandInNotifier,
    rings: Receiver<()>,
    /// When to read the folder of each author, if it is to be read.
    due: BTreeMap<String, Instant>,
    folders: AuthorWatches,
    results: PathBuf,
    /// When to read everything, because new authors or the organiser's wishes cannot be watched.
    all_due: Option<Instant>,
}

impl HandInWatch {
    /// Begins to watch. All folders are to be read at once.
    pub(crate) fn begin(hand_in: &Path, results: &Path) -> Self {
        let (ring, rings) = sync_channel(1);
        let bell = HandInNotifier { happened: Arc::default(), ring };
        let (top, tell) = (hand_in.to_owned(), bell.clone());
        let control = results.join(CONTROL);
        let told = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if event.kind.is_access() => {}
            Ok(event) if !event.need_rescan() => {
                let concerned = |path: &PathBuf| author_of_hand_in_event(&top, event.kind, path);
                let authors: Vec<String> = event.paths.iter().filter_map(concerned).collect();
                let is_control = event.paths.contains(&control);
                if is_control || !authors.is_empty() {
                    tell.happened(|happened| {
                        happened.control |= is_control;
                        happened.authors.extend(authors);
                        if happened.authors.len() > MOST_AUTHORS {
                            happened.authors.clear();
                            happened.is_unclear = true;
                        }
                    });
                }
            }
            _ => tell.happened(|happened| happened.is_unclear = true),
        };
        // The system permits only so many of them.
        let watcher = notify::recommended_watcher(told).ok();
        let mut watch = Self {
            hand_in: hand_in.to_owned(),
            bell,
            rings,
            due: BTreeMap::new(),
            folders: AuthorWatches::new(hand_in, watcher),
            results: results.to_owned(),
            all_due: None,
        };
        watch.watch_tops();
        watch.read_all();
        watch
    }

    /// Watches for new authors, and for what the organiser wants.
    fn watch_tops(&mut self) {
        let tops = [&self.hand_in, &self.results];
        let are_watched = tops.map(|top| self.folders.watch_folder(top));
        self.all_due = are_watched.contains(&false).then(|| Instant::now() + AGAIN);
    }

    /// What tells the watch that something has ended, or that the intake stops.
    pub(crate) fn bell(&self) -> HandInNotifier {
        self.bell.clone()
    }

    /// All folders are to be read at once.
    pub(crate) fn read_all(&mut self) {
        let (now, today) = (Instant::now(), SystemTime::now());
        let entries = fs::read_dir(&self.hand_in).into_iter().flatten().flatten();
        let authors = entries.filter_map(|entry| {
            let path = entry.path();
            Some((author_of_hand_in_path(&self.hand_in, &path)?, hand_in_folder_time(&path)))
        });
        for (author, changed) in authors.take(MOST_AUTHORS).collect::<Vec<_>>() {
            self.folders.watch(&author);
            // Who handed in first comes first, also after a new start.
            let age = changed.and_then(|at| today.duration_since(at).ok()).unwrap_or_default();
            self.due.insert(author, now.checked_sub(age).unwrap_or(now));
        }
    }

    /// The folder of an author is to be read at this time, unless something changes before.
    pub(crate) fn later(&mut self, author: String, at: Instant) {
        self.due.insert(author, at);
    }

    /// What to do next. Waits for it, but not after `begins_at`, when the next check may begin.
    pub(crate) fn next(&mut self, begins_at: Option<Instant>) -> HandInTask {
        loop {
            let happened = std::mem::take(
                &mut *self.bell.happened.lock().unwrap_or_else(PoisonError::into_inner),
            );
            if happened.is_closed {
                return HandInTask::Close;
            }
            let is_all_due = self.all_due.is_some_and(|at| at <= Instant::now());
            if is_all_due {
                self.watch_tops();
            }
            if is_all_due || happened.is_unclear {
                self.read_all();
            }
            for author in happened.authors {
                self.note_change(author);
            }
            if is_all_due || happened.is_unclear || happened.control {
                return HandInTask::Control;
            }
            if happened.ended > 0 || begins_at.is_some_and(|at| at <= Instant::now()) {
                return self.due_author().map_or(HandInTask::Begin, HandInTask::Author);
            }
            let author = self.due.iter().min_by_key(|(_, at)| **at);
            let author = author.map(|(_, at)| *at);
            let first = author.into_iter().chain(self.all_due).chain(begins_at).min();
            let Some(first) = first else {
                if self.rings.recv().is_err() {
                    return HandInTask::Close;
                }
                continue;
            };
            match self.rings.recv_timeout(first.saturating_duration_since(Instant::now())) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(author) = self.due_author() {
                        return HandInTask::Author(author);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return HandInTask::Close,
            }
        }
    }

    /// Something changed in an author's folder. It is read when nothing changes any more.
    fn note_change(&mut self, author: String) {
        // Once is enough, and again before it is read: an author may change much.
        if !self.due.contains_key(&author) {
            self.folders.watch(&author);
        }
        self.due.insert(author, Instant::now() + QUIET);
    }

    /// Takes the author whose folder is to be read now, if there is one.
    fn due_author(&mut self) -> Option<String> {
        let (author, at) = self.due.iter().min_by_key(|(_, at)| **at)?;
        if *at > Instant::now() {
            return None;
        }
        let author = author.clone();
        match self.folders.watch(&author) {
            // Its folders are still being filled.
            Watching::More => {
                self.due.insert(author, Instant::now() + QUIET);
                return None;
            }
            Watching::Same => self.due.remove(&author),
            Watching::Partly => self.due.insert(author.clone(), Instant::now() + AGAIN),
        };
        Some(author)
    }
}

/// When something was last put into a folder, or taken out. Its author cannot set that time.
pub(crate) fn hand_in_folder_time(folder: &Path) -> Option<SystemTime> {
    let found = fs::symlink_metadata(folder).ok()?;
    let nanos = u32::try_from(found.ctime_nsec()).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(u64::try_from(found.ctime()).ok()?, nanos))
}

/// The author whose folder is to be read after an event of this kind at `path`. Whoever deletes a
/// report wants the check repeated; the run never does, as it renames the next report over it.
fn author_of_hand_in_event(hand_in: &Path, kind: EventKind, path: &Path) -> Option<String> {
    let is_deleted_report = matches!(kind, EventKind::Remove(_)) && path.ends_with(REPORT_FILE);
    author_of_hand_in_path(hand_in, if is_deleted_report { path.parent()? } else { path })
}

/// The author whose submission a path belongs to. Files beside the authors' folders are nobody's.
fn author_of_hand_in_path(hand_in: &Path, path: &Path) -> Option<String> {
    let mut parts = path.strip_prefix(hand_in).ok()?.iter();
    let author = parts.next()?.to_str()?;
    let is_nothing = |name: &OsStr| is_not_submitted(name) && name != CHALLENGE_FILE;
    let is_aside = author.starts_with('.') || parts.next().is_some_and(is_nothing);
    (!is_aside).then(|| author.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author_folder::AuthorFolder;

    #[test]
    fn a_report_that_is_deleted_has_its_author_read_again_but_a_new_one_has_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let dir = dir.path().canonicalize().expect("its path");
        let hand_in = dir.join("hand-in");
        fs::create_dir(&hand_in).expect("a folder");
        let folder = AuthorFolder::make(&hand_in.join("ann")).expect("a folder");
        folder.write_report("being checked").expect("written");
        let mut watch = HandInWatch::begin(&hand_in, &dir);
        assert_eq!(watch.next(None), HandInTask::Author("ann".to_owned()));
        folder.write_report("refused").expect("written");
        fs::remove_file(hand_in.join("ann").join(REPORT_FILE)).expect("removed");
        watch.rings.recv_timeout(AGAIN).expect("it rings");
        let happened = watch.bell.happened.lock().expect("nobody panics here");
        assert_eq!(happened.authors, BTreeSet::from(["ann".to_owned()]));
        let new = hand_in.join("ann").join(REPORT_FILE);
        let renamed = EventKind::Modify(notify::event::ModifyKind::Any);
        assert_eq!(author_of_hand_in_event(&hand_in, renamed, &new), None);
        let removed = EventKind::Remove(notify::event::RemoveKind::File);
        assert_eq!(
            author_of_hand_in_event(&hand_in, removed, &new.with_extension("txt.new")),
            None
        );
    }

    #[test]
    fn who_handed_in_first_is_read_first_after_a_start() {
        let dir = tempfile::tempdir().expect("a folder");
        let hand_in = dir.path().join("hand-in");
        let mut last = None;
        for author in ["cat", "ann", "bob"] {
            let folder = hand_in.join(author);
            fs::create_dir_all(&folder).expect("a folder");
            // The clock of the file system is coarse.
            while hand_in_folder_time(&folder) == last {
                fs::write(folder.join("player.py"), "").expect("a file");
                fs::remove_file(folder.join("player.py")).expect("removed");
            }
            last = hand_in_folder_time(&folder);
        }
        let mut watch = HandInWatch::begin(&hand_in, dir.path());
        for author in ["cat", "ann", "bob"] {
            assert_eq!(watch.next(None), HandInTask::Author(author.to_owned()));
        }
    }

    #[test]
    fn what_cannot_be_watched_is_read_again_after_a_while() {
        let dir = tempfile::tempdir().expect("a folder");
        let hand_in = dir.path().join("hand-in");
        for folder in (0..100).map(|number| hand_in.join(format!("ann/{number}"))) {
            fs::create_dir_all(folder).expect("folders");
        }
        fs::create_dir_all(hand_in.join("bob/src")).expect("folders");
        let mut watch = HandInWatch::begin(&hand_in, dir.path());
        for author in ["ann", "bob"] {
            assert_eq!(watch.next(None), HandInTask::Author(author.to_owned()));
        }
        assert_eq!(watch.due.keys().collect::<Vec<_>>(), ["ann"]);
        // As if there were no watches at all.
        watch.folders = AuthorWatches::new(&hand_in, None);
        watch.watch_tops();
        assert!(watch.all_due.is_some());
        fs::create_dir(hand_in.join("cat")).expect("a folder");
        watch.all_due = Some(Instant::now());
        assert_eq!(watch.next(None), HandInTask::Control);
        for author in ["ann", "bob", "cat"] {
            assert_eq!(watch.next(None), HandInTask::Author(author.to_owned()));
        }
        assert_eq!(watch.due.len(), 3, "all of them are read again");
    }
}
