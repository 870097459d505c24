//! The players that come to a league and go while it is played.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::PlayerInfo;

/// The most files of a version that its line in the log names.
pub const MOST_FILES: usize = 100;

/// What an entrant of a league is: a version of its author's player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The author's name.
    pub author: String,
    /// The version's number among those of its author, from 1.
    pub version: u32,
    /// When it came, in seconds since 1970.
    pub at: u64,
    /// A hash of everything that its author handed in, as 64 hexadecimal digits.
    pub source: String,
}

impl Entry {
    /// The name that version `version` of an author's player has in the tables, such as `ann v3`.
    pub fn name(author: &str, version: u32) -> String {
        format!("{author} v{version}")
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
    /// Its author handed in a newer version.
    Replaced,
    /// The organiser removed it.
    Removed,
    /// Its files are not those that entered.
    Lost,
}

/// A line of a league's log about a player that comes or goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "roster", rename_all = "kebab-case")]
pub enum RosterChange {
    /// A player came.
    Entered {
        /// The player; its `entry` says who its author is.
        player: PlayerInfo,
        /// Hashes of the files it plays with, by path: the first [`MOST_FILES`].
        files: BTreeMap<String, String>,
    },
    /// A player went.
    Left {
        /// Its name.
        player: String,
        /// When, and why.
        #[serde(flatten)]
        leaving: Leaving,
    },
}

impl RosterChange {
    /// How such a line begins. No game's line begins so.
    pub(crate) const BEGIN: &str = r#"{"roster":"#;

    /// The name of the player that comes or goes.
    pub fn player(&self) -> &str {
        match self {
            Self::Entered { player, .. } => &player.name,
            Self::Left { player, .. } => player,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_read_as_they_are_written() {
        let change = RosterChange::Left {
            player: Entry::name("ann", 2),
            leaving: Leaving { at: 7, why: LeavingReason::Replaced },
        };
        let text = serde_json::to_string(&change).expect("plain data");
        assert_eq!(text, r#"{"roster":"left","player":"ann v2","at":7,"why":"replaced"}"#);
        assert!(text.starts_with(RosterChange::BEGIN));
        assert_eq!(serde_json::from_str::<RosterChange>(&text).expect("a change"), change);
    }
}
