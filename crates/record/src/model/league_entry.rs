//! What a player of a league is that came while it was played: a version of its author's player.

use serde::{Deserialize, Serialize};

use super::player_spec::player_name_problem;

/// The most versions of an author's player.
pub const MOST_VERSIONS: u32 = 999_999;

/// What an entrant of a league is: a version of its author's player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeagueEntry {
    /// The author's name.
    pub author: String,
    /// The version's number among those of its author, from 1.
    pub version: u32,
    /// When it came, in seconds since 1970.
    pub at: u64,
    /// A hash of everything that its author handed in, as 64 hexadecimal digits.
    pub source: String,
    /// A hash of everything that was kept of it, and of how it is started, as 64 hexadecimal digits.
    pub kept: String,
}

impl LeagueEntry {
    /// The name that version `version` of an author's player has in the tables, such as `ann v3`.
    pub fn version_name(author: &str, version: u32) -> String {
        format!("{author} v{version}")
    }

    /// Whether it is the entry of a player of this name, whose author's name can be that of a
    /// folder. A log may come from a stranger.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        let Self { author, version, .. } = self;
        let is_folder = !author.contains(['/', '\\']) && !author.starts_with('.');
        is_folder
            && player_name_problem(author).is_none()
            && player_name_problem(name).is_none()
            && (1..=MOST_VERSIONS).contains(version)
            && Self::version_name(author, *version) == name
    }
}

/// When and why a player stopped playing. Its games and its rating stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaving {
    /// When, in seconds since 1970.
    pub at: u64,
    /// Why.
    pub why: LeavingReason,
}

/// Why a player of a league stopped playing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeavingReason {
    /// Replaced by the author's newer version.
    Replaced,
    /// The organiser removed it.
    Removed,
    /// Changed files: they are not those that entered.
    Lost,
}
