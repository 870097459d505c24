//! The versions that entered: their folders, how they are started, and what they are made of.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::hand_in_history::{PastOutcome, read_hand_in_history};
use referee_config::player_from_start;
use referee_entrants::start_command::StartCommand;
use referee_entrants::start_decision::decide_start;
use referee_record::model::league_entry::LeagueEntry;
use referee_record::model::league_settings::LeagueSettings;
use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::record::HeaderPlayer;
use referee_record::plain_files::{ReadError, read_plain_text};
use referee_record::tree_walk::{UnfitTree, digest_tree};

/// The folder of a version.
pub fn league_version_dir(league: &LeagueSettings, entry: &LeagueEntry) -> PathBuf {
    league.entrants.join(&entry.author).join(entry.version.to_string())
}

/// The number of an author's last version in any league with these folders; 0 without one.
pub(crate) fn last_league_version(league: &LeagueSettings, author: &str) -> io::Result<u32> {
    let entered = read_hand_in_history(&league.entrants, author)?.into_iter();
    let last = entered.filter_map(|past| match past.outcome {
        PastOutcome::Entered { version } => Some(version),
        PastOutcome::Refused { .. } => None,
    });
    Ok(last.max().unwrap_or_default())
}

/// The longest file that says how a version is started, in bytes.
const LONGEST_START: u64 = 64 * 1024;

/// How the version in the folder `dir` is started; `None` if nothing in it looks like a player.
///
/// What a build made is started as was found out after it, because that also depends on its
/// sources, which are not kept.
pub fn league_version_start(dir: &Path) -> Option<StartCommand> {
    let kept = read_plain_text(&version_start_file(dir), LONGEST_START).ok();
    let kept = kept
        .and_then(|read_plain_text| serde_json::from_str::<StartCommand>(&read_plain_text).ok());
    if let Some(start) = kept {
        return Some(StartCommand { dir: dir.join(&start.dir), ..start });
    }
    let mut found = decide_start(dir, None).found;
    found.pop().filter(|_| found.is_empty())
}

/// A hash of the version in the folder `dir`, and of how it is started.
pub fn league_version_digest(dir: &Path) -> Result<String, UnfitTree> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(digest_tree(dir)?.as_bytes());
    let file = version_start_file(dir);
    match read_plain_text(&file, LONGEST_START) {
        Ok(text) => drop(hasher.update(text.as_bytes())),
        // It was not built.
        Err(ReadError::Failed(error)) if error.kind() == io::ErrorKind::NotFound => {}
        Err(ReadError::Failed(source)) => return Err(UnfitTree::Failed { path: file, source }),
        Err(_) => return Err(UnfitTree::Special(file.display().to_string())),
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Keeps how the version in the folder `dir` is started if it was built; then its folder is seen
/// from `dir`.
pub(crate) fn keep_version_start(dir: &Path, start: Option<&StartCommand>) -> io::Result<()> {
    let file = version_start_file(dir);
    match start {
        Some(start) => fs::write(file, serde_json::to_string(start)?),
        // Of a version that never played.
        None => match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

fn version_start_file(dir: &Path) -> PathBuf {
    dir.with_extension("json")
}

/// The player in the folder of a version, found as an intake finds it, whatever a log says of its
/// command; or why it cannot be started.
pub(crate) fn find_version_player(dir: &Path, name: &str) -> Result<PlayerSpec, String> {
    let start = league_version_start(dir)
        .ok_or_else(|| format!("no player found in `{}`", dir.display()))?;
    player_from_start(name, &start).map_err(|why| why.to_string())
}

/// What became of the files of a version that entered.
pub(crate) enum KeptVersion {
    /// It can play.
    Ready(Box<PlayerSpec>),
    /// It cannot be started now, for this reason; its files may still be those that entered.
    Unavailable(String),
    /// They were read, and are others.
    Changed,
}

impl KeptVersion {
    /// What became of the version in the folder `dir`.
    pub(crate) fn of(info: &HeaderPlayer, entry: &LeagueEntry, dir: &Path) -> Self {
        match league_version_digest(dir) {
            Err(why @ UnfitTree::Failed { .. }) => {
                return Self::Unavailable(format!("{}: {why}", dir.display()));
            }
            Ok(now) if now == entry.kept => {}
            _ => return Self::Changed,
        }
        match find_version_player(dir, &info.name) {
            Ok(spec) => Self::Ready(Box::new(spec)),
            Err(why) => Self::Unavailable(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_version_is_started_as_was_found_out_after_its_build() {
        let top = tempfile::tempdir().expect("a folder");
        let version = top.path().join("entrants/ann/1");
        fs::create_dir_all(version.join("build")).expect("a folder");
        // Without what the sources said, either may be the player.
        for name in ["one.py", "two.py"] {
            fs::write(version.join(name), "").expect("written");
        }
        assert_eq!(league_version_start(&version), None);
        let start = StartCommand {
            dir: "build".into(),
            words: vec!["./bot".to_owned(), "--fast".to_owned()],
            env: [("PYTHONPATH".to_owned(), "../site-packages".to_owned())].into(),
        };
        keep_version_start(&version, Some(&start)).expect("kept");
        assert!(top.path().join("entrants/ann/1.json").is_file());
        let expected = StartCommand { dir: version.join("build"), ..start.clone() };
        assert_eq!(league_version_start(&version), Some(expected.clone()));
        // A league may move.
        let moved = top.path().join("moved");
        fs::rename(top.path().join("entrants"), &moved).expect("moved");
        let version = moved.join("ann/1");
        let expected = StartCommand { dir: version.join("build"), ..expected };
        assert_eq!(league_version_start(&version), Some(expected));
        // A version that was not built leaves nothing of an earlier one that never played.
        keep_version_start(&version, None).expect("removed");
        keep_version_start(&version, None).expect("there is nothing to remove");
        assert_eq!(league_version_start(&version), None);
        fs::remove_file(version.join("two.py")).expect("removed");
        for damaged in ["", "{\"words\":", "[1]"] {
            fs::write(moved.join("ann/1.json"), damaged).expect("written");
            let found = league_version_start(&version).expect("the only file");
            assert_eq!(found.words, ["python3", "one.py"]);
        }
    }
}
