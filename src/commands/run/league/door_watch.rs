//! Notices what authors hand in, and what the organiser wants.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::error::Failure;
use crate::league::author_folder::is_aside;
use crate::league::control::CONTROL;

/// For how long nothing may change in an author's folder before it is read.
const QUIET: Duration = Duration::from_secs(2);
/// The most authors of a league.
const MOST_AUTHORS: usize = 10_000;

/// What has happened since somebody looked.
#[derive(Debug, Default)]
struct Happened {
    /// The authors in whose folders something changed.
    authors: BTreeSet<String>,
    /// Whether events may have been lost, so that every author's folder has to be read.
    is_unclear: bool,
    control: bool,
    is_closed: bool,
}

/// Tells the watch what happened.
#[derive(Debug, Clone)]
pub(super) struct Bell {
    happened: Arc<Mutex<Happened>>,
    ring: SyncSender<()>,
}

impl Bell {
    fn happened(&self, change: impl FnOnce(&mut Happened)) {
        change(&mut self.happened.lock().unwrap_or_else(PoisonError::into_inner));
        // If it rings already, everything is seen together.
        let _ = self.ring.try_send(());
    }

    /// The door closes.
    pub(super) fn close(&self) {
        self.happened(|happened| happened.is_closed = true);
    }
}

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DoorTask {
    /// Read this author's folder.
    Author(String),
    /// Read what the organiser wants.
    Control,
    /// The door closes.
    Close,
}

/// Watches the folder that authors hand in to, and the results folder.
#[derive(Debug)]
pub(super) struct DoorWatch {
    hand_in: PathBuf,
    bell: Bell,
    rings: Receiver<()>,
    /// When to read the folder of each author, if it is to be read.
    due: BTreeMap<String, Instant>,
    _watchers: [RecommendedWatcher; 2],
}

impl DoorWatch {
    /// Begins to watch. All folders are to be read at once.
    pub(super) fn begin(hand_in: &Path, results: &Path) -> Result<Self, Failure> {
        let (ring, rings) = sync_channel(1);
        let bell = Bell { happened: Arc::default(), ring };
        let (top, tell) = (hand_in.to_owned(), bell.clone());
        let on_hand_in = move |event: notify::Result<notify::Event>| match event {
            Ok(event) if event.kind.is_access() => {}
            Ok(event) if !event.need_rescan() => {
                let authors: Vec<String> =
                    event.paths.iter().filter_map(|path| author(&top, path)).collect();
                if !authors.is_empty() {
                    tell.happened(|happened| {
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
        let tell = bell.clone();
        let on_results = move |event: notify::Result<notify::Event>| {
            let is_control = |path: &PathBuf| path.file_name() == Some(OsStr::new(CONTROL));
            if event
                .is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(is_control))
            {
                tell.happened(|happened| happened.control = true);
            }
        };
        let watchers = [
            watcher(hand_in, RecursiveMode::Recursive, on_hand_in)?,
            watcher(results, RecursiveMode::NonRecursive, on_results)?,
        ];
        let mut watch = Self {
            hand_in: hand_in.to_owned(),
            bell,
            rings,
            due: BTreeMap::new(),
            _watchers: watchers,
        };
        watch.read_all();
        Ok(watch)
    }

    /// Tells the watch that the door closes.
    pub(super) fn bell(&self) -> Bell {
        self.bell.clone()
    }

    /// All folders are to be read at once.
    pub(super) fn read_all(&mut self) {
        let now = Instant::now();
        let entries = fs::read_dir(&self.hand_in).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| author(&self.hand_in, &entry.path()));
        for author in names.take(MOST_AUTHORS).collect::<Vec<_>>() {
            self.due.insert(author, now);
        }
    }

    /// The folder of an author is to be read at this time, unless something changes before.
    pub(super) fn later(&mut self, author: String, at: Instant) {
        self.due.insert(author, at);
    }

    /// Waits until there is something to do.
    pub(super) fn next(&mut self) -> DoorTask {
        loop {
            let happened = std::mem::take(
                &mut *self.bell.happened.lock().unwrap_or_else(PoisonError::into_inner),
            );
            if happened.is_closed {
                return DoorTask::Close;
            }
            if happened.is_unclear {
                self.read_all();
            }
            let quiet = Instant::now() + QUIET;
            self.due.extend(happened.authors.into_iter().map(|author| (author, quiet)));
            if happened.control {
                return DoorTask::Control;
            }
            let first = self.due.iter().min_by_key(|(_, at)| **at);
            let Some((author, at)) = first.map(|(author, at)| (author.clone(), *at)) else {
                if self.rings.recv().is_err() {
                    return DoorTask::Close;
                }
                continue;
            };
            let left = at.saturating_duration_since(Instant::now());
            match self.rings.recv_timeout(left) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.due.remove(&author);
                    return DoorTask::Author(author);
                }
                Err(RecvTimeoutError::Disconnected) => return DoorTask::Close,
            }
        }
    }
}

fn watcher(
    folder: &Path,
    mode: RecursiveMode,
    told: impl FnMut(notify::Result<notify::Event>) + Send + 'static,
) -> Result<RecommendedWatcher, Failure> {
    let failure = |error| Failure::system(format!("cannot watch {}: {error}", folder.display()));
    let mut watcher = notify::recommended_watcher(told).map_err(failure)?;
    watcher.watch(folder, mode).map_err(failure)?;
    Ok(watcher)
}

/// The author whose submission a path belongs to. Files beside the authors' folders are nobody's.
fn author(hand_in: &Path, path: &Path) -> Option<String> {
    let mut parts = path.strip_prefix(hand_in).ok()?.iter();
    let author = parts.next()?.to_str()?;
    let is_aside = author.starts_with('.') || parts.next().is_some_and(is_aside);
    (!is_aside).then(|| author.to_owned())
}
