//! A league that continues another one under other rules. A log has one set of rules, so other rules
//! need another log; it begins with the versions that played when the one before ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::folder::{FolderError, is_folder_in_use};
use crate::name_likeness::are_names_alike;
use referee_record::log::{LOG, LogScan, ScannedLine};
use referee_record::model::league_entry::{LeagueEntry, LeavingReason};
use referee_record::model::record::{Header, HeaderPlayer};
use referee_record::model::roster_change::RosterChange;

/// The reason why a league cannot continue another one.
#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    /// Its results are missing.
    #[error(
        "`continues = {name:?}`: {} has no {LOG}; give the name of a league whose results are there",
        dir.display()
    )]
    Missing {
        /// The name in the configuration.
        name: String,
        /// Where its results should be.
        dir: PathBuf,
    },
    /// It is still being played.
    #[error("`continues = {0:?}`: that league is still being played; stop its run first")]
    Playing(String),
    /// Its results are of something else.
    #[error("`continues = {name:?}`: {} holds {found}, not a league playing {game}", dir.display())]
    Unlike {
        /// The name in the configuration.
        name: String,
        /// Its results folder.
        dir: PathBuf,
        /// What is there.
        found: String,
        /// The game of the league that continues.
        game: String,
    },
    /// A player of the configuration has the name of a version or an author, or one like it.
    #[error(
        "`continues = {name:?}`: `{player}`, or someone with a similar name, joined that league; \
         give the configured player another name"
    )]
    Taken {
        /// The name in the configuration.
        name: String,
        /// The name of the player.
        player: String,
    },
    /// Its log cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// The results folder of the league called `name`, which the one in the folder `dir` continues.
///
/// # Errors
/// Nothing was played there, or it is still being played.
pub fn continuation_folder(dir: &Path, name: &str) -> Result<PathBuf, ContinuationError> {
    let before = dir.with_file_name(name);
    if !before.join(LOG).is_file() {
        return Err(ContinuationError::Missing { name: name.to_owned(), dir: before });
    }
    // What changed there afterwards would be lost.
    if is_folder_in_use(&before) {
        return Err(ContinuationError::Playing(name.to_owned()));
    }
    Ok(before)
}

/// Lines for the beginning of the log with the header `wanted` in the folder `dir`: who was in the
/// league that it continues. Empty if it continues none.
pub(super) fn continuation_versions(
    dir: &Path,
    wanted: &Header,
) -> Result<Vec<RosterChange>, ContinuationError> {
    let Some(name) = wanted.continues.clone() else { return Ok(Vec::new()) };
    let dir = continuation_folder(dir, &name)?;
    let failure = FolderError::of_log(&dir);
    let mut log = LogScan::open(&dir).map_err(failure)?;
    if let Some(found) = continuation_mismatch(log.header(), wanted) {
        return Err(ContinuationError::Unlike { name, dir, found, game: wanted.game.clone() });
    }
    let (mut there, mut gone) = (Vec::<RosterChange>::new(), BTreeSet::new());
    while let Some(line) = log.next_line().map_err(failure)? {
        let ScannedLine::Other(line) = line else { continue };
        match line.change.filter(|_| line.intact).map(|change| *change) {
            Some(RosterChange::Entered { player, files }) => {
                there.retain(|known| {
                    author_of_entered(known) != player.entry.as_ref().map(|it| &*it.author)
                });
                let player = reenter_continued_version(player, wanted.created);
                there.push(RosterChange::Entered { player, files });
            }
            // The next one may not have entered before that run was killed.
            Some(RosterChange::Left { leaving, .. }) if leaving.why == LeavingReason::Replaced => {}
            Some(RosterChange::Left { player, .. }) => drop(gone.insert(player)),
            Some(RosterChange::Returned { player, .. }) => drop(gone.remove(&player)),
            None => {}
        }
    }
    there.retain(|known| !gone.contains(known.player()));
    let came = |own: &&HeaderPlayer| {
        let is_own = |name: &str| are_names_alike(&own.name, name);
        there
            .iter()
            .any(|known| is_own(known.player()) || author_of_entered(known).is_some_and(is_own))
    };
    match wanted.players.iter().find(came) {
        Some(taken) => Err(ContinuationError::Taken { name, player: taken.name.clone() }),
        None => Ok(there),
    }
}

/// The author of a version that enters.
fn author_of_entered(change: &RosterChange) -> Option<&str> {
    match change {
        RosterChange::Entered { player, .. } => Some(&player.entry.as_ref()?.author),
        RosterChange::Left { .. } | RosterChange::Returned { .. } => None,
    }
}

/// What the log with the header `old` holds, if not a league of the same game.
fn continuation_mismatch(old: &Header, wanted: &Header) -> Option<String> {
    if !old.is_league() {
        return Some("a tournament in another format".to_owned());
    }
    (old.game != wanted.game).then(|| format!("a league playing {}", old.game))
}

/// The same version, entering at this time, in seconds since 1970.
fn reenter_continued_version(mut player: Box<HeaderPlayer>, at: u64) -> Box<HeaderPlayer> {
    player.entry = player.entry.map(|entry| LeagueEntry { at, ..entry });
    player
}
