//! The players that come to a league and go while it is played.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use referee_ratings::MOST_PLAYERS;

use super::league_entry::Leaving;
use super::record::{Header, HeaderPlayer};

/// The most files of a version that its line in the log names.
pub(crate) const MOST_FILES: usize = 100;

/// A line of a league's log about a player that comes or goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "roster", rename_all = "kebab-case")]
pub enum RosterChange {
    /// A player came.
    Entered {
        /// The player; its `entry` says who its author is.
        player: Box<HeaderPlayer>,
        /// Hashes of the files that its author handed in, by path: the first 100
        files: BTreeMap<String, String>,
    },
    /// A player went.
    Left {
        /// The name.
        player: String,
        /// When, and why.
        #[serde(flatten)]
        leaving: Leaving,
    },
    /// A player that went is back.
    Returned {
        /// The name.
        player: String,
        /// When, in seconds since 1970.
        at: u64,
    },
}

impl RosterChange {
    /// How such a line begins. No game's line begins so.
    pub(crate) const BEGIN: &str = r#"{"roster":"#;

    /// The name of the player that comes or goes.
    pub fn player(&self) -> &str {
        match self {
            Self::Entered { player, .. } => &player.name,
            Self::Left { player, .. } | Self::Returned { player, .. } => player,
        }
    }
}

/// The reason why a player cannot come or go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImpossibleChange {
    /// Only a league changes its players.
    #[error("players enter and leave only in a league")]
    NoLeague,
    /// More players cannot be rated together.
    #[error("the league is full: it has {MOST_PLAYERS} players")]
    Full,
    /// The name is not that of a version of the author's player.
    #[error("the name does not match its author and version")]
    Misnamed,
    /// A player of this name came already.
    #[error("a player has already used this name")]
    There,
    /// No player has this name.
    #[error("no player has this name")]
    NotThere,
    /// The player has not left.
    #[error("the player has not left")]
    NotGone,
}

impl Header {
    /// Follows a change of a league's players.
    ///
    /// # Errors
    /// No such change is possible now. Then nothing changes.
    pub fn apply_roster_change(&mut self, change: &RosterChange) -> Result<(), ImpossibleChange> {
        if !self.is_league() {
            return Err(ImpossibleChange::NoLeague);
        }
        let place = self.players.iter().position(|known| known.name == change.player());
        match (change, place) {
            (RosterChange::Entered { player, .. }, None) => {
                if self.players.len() >= MOST_PLAYERS {
                    return Err(ImpossibleChange::Full);
                }
                if !player.entry.as_ref().is_some_and(|entry| entry.is_of(&player.name)) {
                    return Err(ImpossibleChange::Misnamed);
                }
                self.players.push((**player).clone());
            }
            (RosterChange::Left { leaving, .. }, Some(place))
                if self.players[place].left.is_none() =>
            {
                self.players[place].left = Some(*leaving);
            }
            (RosterChange::Returned { .. }, Some(place)) if self.players[place].left.is_some() => {
                self.players[place].left = None;
            }
            (RosterChange::Entered { .. }, Some(_)) => return Err(ImpossibleChange::There),
            (RosterChange::Returned { .. }, Some(_)) => return Err(ImpossibleChange::NotGone),
            (RosterChange::Left { .. }, _) | (RosterChange::Returned { .. }, None) => {
                return Err(ImpossibleChange::NotThere);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::league_entry::{LeagueEntry, LeavingReason};
    use super::*;

    #[test]
    fn changes_read_as_they_are_written() {
        let change = RosterChange::Left {
            player: LeagueEntry::version_name("ann", 2),
            leaving: Leaving { at: 7, why: LeavingReason::Replaced },
        };
        let text = serde_json::to_string(&change).expect("plain data");
        assert_eq!(text, r#"{"roster":"left","player":"ann v2","at":7,"why":"replaced"}"#);
        assert!(text.starts_with(RosterChange::BEGIN));
        assert_eq!(serde_json::from_str::<RosterChange>(&text).expect("a change"), change);
    }
}
