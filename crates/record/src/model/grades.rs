//! The rules that turn ranks and scores into marks.

use std::collections::BTreeMap;

use referee_ratings::Rank;
use serde::{Deserialize, Serialize};

/// The marks of a tournament. A player's mark is the sum of both parts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    /// Which rank of a player counts.
    pub by: RankBy,
    /// Whether only the players that get marks have ranks for them.
    pub graded_only: bool,
    /// Marks for the rank, by rank. The first entry that the player's rank reaches counts.
    pub ranks: Vec<RankMark>,
    /// Marks for scores against single players, usually built-in ones. Every entry that is reached
    /// counts.
    pub against: Vec<ScoreMark>,
    /// The total mark of a player that failed the check, is quarantined, or finished no game.
    pub failed: f64,
    /// People without a player, each with the reason. They get the marks of one that failed.
    pub absent: BTreeMap<String, String>,
    /// Players that get no marks: built-in players, and anchors of any kind.
    pub exempt: Vec<String>,
}

impl Grades {
    /// The bands of `ranks`: the first rank of each, and the line that gives its marks.
    pub fn bands(&self) -> impl Iterator<Item = (u32, RankMark)> + '_ {
        let after = self.ranks.iter().map(|line| line.rank.saturating_add(1));
        let bands = std::iter::once(1).chain(after).zip(self.ranks.iter().copied());
        bands.filter(|(first, line)| *first <= line.rank)
    }

    /// The band of a player with this rank; none if it is beyond all bands.
    pub fn band(&self, rank: Rank) -> Option<RankMark> {
        let counted = self.by.counted(rank);
        self.ranks.iter().copied().find(|line| counted <= line.rank as usize)
    }

    /// Whether a player has a rank for marks.
    pub fn takes_rank(&self, player: &String) -> bool {
        !(self.graded_only && self.exempt.contains(player))
    }
}

/// Which rank of a player counts, by the column of the table that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankBy {
    /// The best rank of the 95% interval: the player has the benefit of the doubt.
    #[default]
    Low,
    /// The rank itself.
    Rank,
    /// The worst rank of the interval: the player has shown that it is this good.
    High,
}

impl RankBy {
    /// The rank that counts.
    pub fn counted(self, rank: Rank) -> usize {
        match self {
            Self::Low => rank.interval.low,
            Self::Rank => rank.place,
            Self::High => rank.interval.high,
        }
    }
}

/// Marks for this rank or a better one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankMark {
    /// The rank, from 1.
    pub rank: u32,
    /// The marks.
    pub marks: f64,
}

/// Marks for a score against a given player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreMark {
    /// The opponent.
    pub player: String,
    /// The least share of the points, 0 to 1.
    pub score: f64,
    /// The marks.
    pub marks: f64,
}
