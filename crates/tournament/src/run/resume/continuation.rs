//! A league that continues another one under other rules. A log has one set of rules, so other rules
//! need another log; it begins with the versions that played when the one before ended.

use std::path::{Path, PathBuf};

use crate::folder::{self, FolderError};
use referee_record::log::{LOG, LogScan, Scanned};
use referee_record::model::entry::Entry;
use referee_record::model::record::{Header, PlayerInfo};
use referee_record::model::roster::RosterChange;

/// The reason why a league cannot continue another one.
#[derive(Debug, thiserror::Error)]
pub enum ContinuationError {
    /// There is no such league.
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
    #[error("`continues = {name:?}`: {} holds {found}, not a league of {game}", dir.display())]
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
    /// A player of the configuration has the name of a version or an author.
    #[error(
        "`continues = {name:?}`: `{player}` came to that league, so no configured player may have \
         this name"
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
/// Nothing was played there.
pub fn folder_before(dir: &Path, name: &str) -> Result<PathBuf, ContinuationError> {
    let before = dir.with_file_name(name);
    if before.join(LOG).is_file() {
        return Ok(before);
    }
    Err(ContinuationError::Missing { name: name.to_owned(), dir: before })
}

/// Lines for the beginning of the log with the header `wanted` in the folder `dir`: who was in the
/// league that it continues. Empty if it continues none.
pub(super) fn versions(
    dir: &Path,
    wanted: &Header,
) -> Result<Vec<RosterChange>, ContinuationError> {
    let Some(name) = wanted.continues.clone() else { return Ok(Vec::new()) };
    let dir = folder_before(dir, &name)?;
    if folder::is_being_written(&dir) {
        return Err(ContinuationError::Playing(name));
    }
    let failure = FolderError::of_log(&dir);
    let mut log = LogScan::open(&dir).map_err(failure)?;
    if let Some(found) = difference(log.header(), wanted) {
        return Err(ContinuationError::Unlike { name, dir, found, game: wanted.game.clone() });
    }
    let mut there: Vec<RosterChange> = Vec::new();
    while let Some(line) = log.next_line().map_err(failure)? {
        let Scanned::Other(line) = line else { continue };
        let Some(change) = line.change.filter(|_| line.intact) else { continue };
        there.retain(|known| known.player() != change.player());
        if let RosterChange::Entered { player, files } = *change {
            there.push(RosterChange::Entered { player: entering(player, wanted.created), files });
        }
    }
    let is_taken = |came: &&RosterChange| {
        wanted.players.iter().any(|configured| configured.name == came.player())
    };
    match there.iter().find(is_taken) {
        Some(taken) => Err(ContinuationError::Taken { name, player: taken.player().to_owned() }),
        None => Ok(there),
    }
}

/// What the log with the header `old` holds, if not a league of the same game.
fn difference(old: &Header, wanted: &Header) -> Option<String> {
    if !old.is_league() {
        return Some("a tournament of another format".to_owned());
    }
    (old.game != wanted.game).then(|| format!("a league of {}", old.game))
}

/// The same version, entering at this time, in seconds since 1970.
fn entering(mut player: Box<PlayerInfo>, at: u64) -> Box<PlayerInfo> {
    player.entry = player.entry.map(|entry| Entry { at, ..entry });
    player
}
