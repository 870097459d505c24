//! What a pass over a log has found about decisions, so that the next pass need not replay the same
//! games again, which takes most of its time.

use super::look_alikes::LookAlikeDecisions;
use crate::analysis::seen_games::SeenGames;

/// The first decisions in a number of games from the first of a log.
#[derive(Debug, Default)]
pub struct KnownDecisions {
    pub(super) first: LookAlikeDecisions,
    /// The number of games, and a hash of them.
    games: usize,
    hash: u64,
}

impl KnownDecisions {
    /// The decisions in the games that were seen.
    pub(super) fn from_seen(first: LookAlikeDecisions, seen: &SeenGames) -> Self {
        Self { first, games: seen.games, hash: seen.hash() }
    }

    /// Whether the last one of the games that were seen is among those known here.
    pub(super) fn has_last_of(&self, seen: &SeenGames) -> bool {
        seen.games <= self.games
    }

    /// Whether no game known here is missing among those that were seen.
    pub(super) fn is_whole_in(&self, seen: &SeenGames) -> bool {
        self.games <= seen.games
    }

    /// Whether all games known here are among those that were seen, as far as these go.
    pub(super) fn agrees_with(&self, seen: &SeenGames) -> bool {
        seen.games != self.games || seen.hash() == self.hash
    }
}
