//! `check --watch`: checks again whenever a file of the players changes.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::CheckArgs;
use crate::command_failure::{Failure, FailureKind};
use crate::commands::Status;
use crate::commands::runtime::run_until_interrupted;
use crate::printer::Printer;

/// How long no file may change before the next check begins: a build writes many files.
const QUIET: Duration = Duration::from_millis(300);

/// Folders whose files are made by the check, the tournament or an interpreter.
const NOT_SOURCES: [&str; 3] = ["__pycache__", "results", "node_modules"];

/// Checks now and after each change, until it is interrupted.
pub(super) fn check_on_every_change(
    args: &CheckArgs,
    printer: Printer,
    check: impl Fn() -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let folders = find_watched_folders(&args.players);
    let (_watcher, mut news) = watch_player_folders(&folders, &args.records)?;
    loop {
        match check() {
            Ok(Status::Interrupted) => return Ok(Status::Interrupted),
            Err(failure) if failure.kind == FailureKind::Input => printer.error(&failure.message),
            checked => drop(checked?),
        }
        printer.note("waiting for changes; press Ctrl-C to stop");
        let Some(changed) = run_until_interrupted(wait_for_watched_change(&mut news))? else {
            return Ok(Status::Interrupted);
        };
        printer.note(&format!("\n{} changed", referee_protocol::escape::escape_line(&changed)));
    }
}

/// The folders in which the players lie.
fn find_watched_folders(players: &[String]) -> BTreeSet<PathBuf> {
    let folder = |word: &String| {
        let path = Path::new(word);
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let folder = folder.filter(|dir| dir.is_dir() && !dir.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        folder.canonicalize().unwrap_or(folder)
    };
    let here = players.is_empty().then(|| folder(&".".to_owned()));
    players.iter().map(folder).chain(here).collect()
}

/// Watches the folders, and receives the path of each file that changes. Files of the folder
/// `records` do not count.
fn watch_player_folders(
    folders: &BTreeSet<PathBuf>,
    records: &Path,
) -> Result<(impl Watcher + use<>, UnboundedReceiver<PathBuf>), Failure> {
    let failed = |error: notify::Error| Failure::system(format!("cannot watch files: {error}"));
    let (tell, changes) = unbounded_channel();
    let records = records.file_name().unwrap_or(OsStr::new("check-results")).to_owned();
    let roots = folders.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let kind = event.kind;
        if kind.is_modify() || kind.is_create() || kind.is_remove() {
            for path in event.paths {
                let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok());
                if inside.is_some_and(|inside| is_watched_source(inside, &records)) {
                    // Without a listener, the command is about to end.
                    let _ = tell.send(path);
                }
            }
        }
    })
    .map_err(failed)?;
    for folder in folders {
        watcher.watch(folder, RecursiveMode::Recursive).map_err(failed)?;
    }
    Ok((watcher, changes))
}

/// Whether a changed file, relative to the folder that is watched, may be part of a player.
fn is_watched_source(path: &Path, records: &OsStr) -> bool {
    path.components().all(|part| {
        let name = part.as_os_str();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        !is_hidden && name != records && !NOT_SOURCES.iter().any(|other| name == *other)
    })
}

/// Waits for a change and for the quiet after it. Returns the name of the file that changed first.
async fn wait_for_watched_change(
    changes: &mut UnboundedReceiver<PathBuf>,
) -> Result<String, Failure> {
    let gone = || Failure::system("files are no longer watched");
    let first = changes.recv().await.ok_or_else(gone)?;
    while let Ok(change) = tokio::time::timeout(QUIET, changes.recv()).await {
        change.ok_or_else(gone)?;
    }
    Ok(first.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sources_count_as_changes() {
        let is_source =
            |path: &str| is_watched_source(Path::new(path), OsStr::new("check-results"));
        assert!(is_source("player.py") && is_source("bot/src/main.rs"));
        for path in ["check-results/bot/games.jsonl", "a/__pycache__/b.pyc", ".git/HEAD"] {
            assert!(!is_source(path), "{path}");
        }
    }
}
