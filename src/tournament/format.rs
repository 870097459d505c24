//! Who meets whom next: the formats of tournaments, as pure functions of the results so far.
//!
//! A stage is played in sections. The next section is known when the last one is over, and
//! depends on its results alone and not on the order in which they came.

pub mod check;
pub mod knockout;
pub mod ladder;
pub mod swiss;

use serde::{Deserialize, Serialize};

use self::ladder::Goal;
use super::schedule::Pairings;
use crate::rating::{Out, Ranking, RatingError, Tally};
use crate::record::Anchor;

/// How later meetings follow from earlier results. A log keeps the rules that it was begun under:
/// its games would have no place under others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum PairingRules {
    /// Those of logs that do not say: ratings from all games alike, without anchors.
    #[default]
    First,
    /// The ranking that people see decides; nobody is paired to repeat games, and nobody loses
    /// points because an opponent was taken out.
    Second,
}

impl From<PairingRules> for u8 {
    fn from(rules: PairingRules) -> Self {
        match rules {
            PairingRules::First => 1,
            PairingRules::Second => 2,
        }
    }
}

impl TryFrom<u8> for PairingRules {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(Self::First),
            2 => Ok(Self::Second),
            other => Err(format!("unknown pairing rules {other}: a newer referee knows them")),
        }
    }
}

/// A part of a tournament with a format of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Who meets whom.
    pub format: Format,
    /// Pairs of games a meeting.
    pub pairs: u32,
    /// How many players take part, the best of the stages before; all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
}

/// A format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Everyone plays until it has met somebody without a fault; who makes one is out.
    Check,
    /// Everyone meets everyone.
    RoundRobin,
    /// Everyone meets the anchors, who do not meet each other.
    Gauntlet {
        /// The names of the anchors.
        anchors: Vec<String>,
    },
    /// In each round players of about the same score meet, nobody twice.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Who loses a meeting is out.
    Knockout {
        /// How often a tied meeting goes on for another pair, before the better seed goes on.
        tie_breaks: u32,
    },
    /// In each round those meet whose game tells most about the ranking so far.
    Ladder {
        /// The most games.
        games: u32,
        /// Ends as soon as every rating's 95% interval is at most this wide each way, in Elo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<u32>,
    },
    /// Those meet whose game tells most about the ranking so far, for as long as there is time.
    /// No configuration has it: it is what a run that is to end at a given time adds.
    Further,
}

impl Stage {
    /// A round-robin of everyone with so many pairs a pairing.
    pub fn round_robin(pairs: u32) -> Self {
        Self { format: Format::RoundRobin, pairs, players: None }
    }

    /// Further games of everyone after all other stages, as long as there is time.
    pub fn further() -> Self {
        Self { format: Format::Further, pairs: 1, players: None }
    }
}

/// How two players met in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// The players' numbers, the lower first.
    pub players: (usize, usize),
    /// Half points of each, over the games that count. Games that were not played because one of
    /// the two was taken out are credited to the other as won.
    pub halves: (usize, usize),
    /// One of these games ended by a fault.
    pub faulted: bool,
}

impl Meeting {
    /// The half points of `player`; none when it did not take part.
    pub fn halves_of(&self, player: usize) -> Option<usize> {
        match self.players {
            (low, _) if low == player => Some(self.halves.0),
            (_, high) if high == player => Some(self.halves.1),
            _ => None,
        }
    }
}

/// The course of a stage so far.
#[derive(Debug, Clone, Copy)]
pub struct Course<'a> {
    /// Those who take part, the best seed first.
    pub entrants: &'a [usize],
    /// The meetings of each section that is over, in order.
    pub sections: &'a [Vec<Meeting>],
    /// Why a player, by number, was taken out of the tournament.
    pub out: &'a [Option<Out>],
    /// The anchors' numbers, in a gauntlet.
    pub anchors: &'a [usize],
    /// Pairs a meeting.
    pub pairs: u32,
    /// The results of the whole tournament so far.
    pub tally: &'a Tally,
    /// The players whose ratings are given.
    pub ratings: &'a [Anchor],
    /// How later meetings follow from earlier results.
    pub rules: PairingRules,
}

impl Course<'_> {
    /// The entrants that were not taken out, the best seed first.
    pub fn there(&self) -> impl Iterator<Item = usize> {
        self.entrants.iter().copied().filter(|&player| self.out[player].is_none())
    }

    /// The ranking of all players so far.
    ///
    /// # Errors
    ///
    /// When the given ratings cannot be used.
    pub fn ranking(&self) -> Result<Ranking, RatingError> {
        Ranking::new(self.tally, self.ratings, self.out)
    }
}

/// The next section of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    /// Who meets whom.
    pub pairings: Pairings,
    /// Pairs a meeting.
    pub pairs: u32,
}

impl Format {
    /// The next section after `course`, if there is one.
    pub fn next(&self, course: &Course<'_>) -> Option<Next> {
        let pairings = match self {
            Self::Check => Pairings::Listed(check::next(course)?),
            Self::RoundRobin => once(course, || Pairings::Everyone(course.entrants.to_vec()))?,
            Self::Gauntlet { .. } => once(course, || field(course))?,
            Self::Swiss { rounds } => Pairings::Listed(swiss::next(course, *rounds)?),
            Self::Knockout { tie_breaks } => return knockout::next(course, *tie_breaks),
            Self::Ladder { games, margin } => {
                let goal = Goal { games: *games, margin: margin.map(f64::from) };
                Pairings::Listed(ladder::next(course, goal)?)
            }
            Self::Further => return ladder::further(course),
        };
        Some(Next { pairings, pairs: course.pairs })
    }

    /// What a stage of so many players is, `pairs` saying how many pairs a meeting has.
    pub fn in_words(&self, players: usize, pairs: &str) -> String {
        match self {
            Self::Check => format!("a check of {pairs} each"),
            Self::RoundRobin => {
                format!("{} pairings of {pairs}", players * players.saturating_sub(1) / 2)
            }
            Self::Gauntlet { anchors } => {
                let entrants = players.saturating_sub(anchors.len());
                format!("a gauntlet of {entrants} against {} anchors, {pairs} each", anchors.len())
            }
            Self::Swiss { rounds } => format!("{rounds} Swiss rounds of {pairs}"),
            Self::Knockout { .. } => format!("a knockout with {pairs} a meeting"),
            Self::Ladder { games, .. } => format!("a ladder of {games} games at most"),
            Self::Further => "further games as time allows".to_owned(),
        }
    }

    /// How many games a stage of so many players has; what is not known before is estimated.
    pub fn games(&self, players: usize, pairs: u32) -> usize {
        let meetings = match self {
            Self::Check => players.div_ceil(2),
            Self::RoundRobin => players * players.saturating_sub(1) / 2,
            Self::Gauntlet { anchors } => players.saturating_sub(anchors.len()) * anchors.len(),
            Self::Swiss { rounds } => players / 2 * *rounds as usize,
            Self::Knockout { .. } => players.saturating_sub(1),
            Self::Ladder { games, .. } => return *games as usize,
            Self::Further => 0,
        };
        2 * meetings * pairs as usize
    }
}

/// The only section of a format that has one.
fn once(course: &Course<'_>, pairings: impl FnOnce() -> Pairings) -> Option<Pairings> {
    course.sections.is_empty().then(pairings)
}

fn field(course: &Course<'_>) -> Pairings {
    let is_anchor = |player: &usize| course.anchors.contains(player);
    let entrants = course.entrants.iter().copied().filter(|player| !is_anchor(player)).collect();
    Pairings::Field { entrants, anchors: course.anchors.to_vec() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A course by the rules of today, of one pair a meeting.
    pub(in crate::tournament) fn course<'a>(
        entrants: &'a [usize],
        sections: &'a [Vec<Meeting>],
        out: &'a [Option<Out>],
        tally: &'a Tally,
    ) -> Course<'a> {
        Course {
            entrants,
            sections,
            out,
            anchors: &[],
            pairs: 1,
            tally,
            ratings: &[],
            rules: PairingRules::Second,
        }
    }
}
