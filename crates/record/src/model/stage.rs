//! The stages of a tournament, and their formats.

use crate::wording::counted;
use serde::{Deserialize, Serialize};

/// The maximum number of pairs in a meeting.
pub const MOST_PAIRS: u32 = 100_000;

/// The minimum number of opponents in a round-robin where not everyone meets everyone.
pub const FEWEST_OPPONENTS: usize = 2;
/// The maximum number of rounds of a Swiss stage.
pub const MOST_ROUNDS: u32 = 1000;
/// The maximum number of further pairs of a tied meeting.
pub const MOST_TIE_BREAKS: u32 = 100;
/// The maximum number of games of a ladder.
pub const MOST_LADDER_GAMES: u32 = 100_000_000;
/// The widest margin at which a ladder ends, in Elo.
pub const WIDEST_MARGIN: u32 = 1000;

/// The order in which players enter a schedule, and which of two players has the first seat first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// In the order of the configuration, with seats by the order of the names. Anyone who has the
    /// configuration can predict it.
    #[default]
    Listed,
    /// Random, drawn from a text that nobody can predict.
    Drawn(String),
}

/// A part of a tournament with its own format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The pairings.
    pub format: Format,
    /// The number of pairs of games in each meeting.
    pub pairs: u32,
    /// How many players take part, the best of the earlier stages; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
}

/// A format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Everyone plays until it has met an opponent without a fault. A player that makes a fault is
    /// out.
    Check,
    /// Everyone meets everyone.
    RoundRobin,
    /// Everyone meets as many others, whatever the results.
    PartialRoundRobin {
        /// The number of opponents of each player.
        opponents: usize,
        /// The names of the players that came after the start, in the order in which they came. A
        /// player comes again if it was corrected after it failed the check.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        late: Vec<String>,
        /// Those of them that were there at the start, and failed the check of all.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        corrected: Vec<String>,
    },
    /// Everyone meets the anchors; the anchors do not meet each other.
    Gauntlet {
        /// The names of the anchors.
        anchors: Vec<String>,
    },
    /// In each round, players with about the same score meet. Nobody meets the same player twice.
    Swiss {
        /// The number of rounds.
        rounds: u32,
    },
    /// The loser of a meeting is out.
    Knockout {
        /// How many further pairs a tied meeting may play before the better seed goes on.
        tie_breaks: u32,
    },
    /// In each round, the most informative games for the ranking are played.
    Ladder {
        /// The maximum number of games.
        games: u32,
        /// Ends as soon as every rating's 95% interval extends at most this far each way, in Elo.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        margin: Option<u32>,
    },
    /// Players come and go while it is played, and it never ends by itself. The next games are
    /// chosen by what they tell about the ratings of the players that are there.
    League,
    /// Extra games, the most informative for the ranking first, as long as there is time. It cannot
    /// be configured: a run with an end time adds it.
    Further,
}

impl Stage {
    /// Whether a configuration may have such a stage.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let format = match self.format {
            Format::Swiss { rounds } => (1..=MOST_ROUNDS).contains(&rounds),
            Format::Knockout { tie_breaks } => tie_breaks <= MOST_TIE_BREAKS,
            Format::Ladder { games, margin } => {
                (2..=MOST_LADDER_GAMES).contains(&games)
                    && margin.is_none_or(|margin| (1..=WIDEST_MARGIN).contains(&margin))
            }
            Format::PartialRoundRobin { opponents, .. } => opponents >= FEWEST_OPPONENTS,
            Format::Check
            | Format::RoundRobin
            | Format::Gauntlet { .. }
            | Format::League
            | Format::Further => true,
        };
        format
            && (1..=MOST_PAIRS).contains(&self.pairs)
            && self.players.is_none_or(|players| players >= 2)
    }

    /// The stage as it was at the start, before any player came late.
    #[must_use]
    pub fn without_late(&self) -> Self {
        let mut stage = self.clone();
        if let Format::PartialRoundRobin { late, corrected, .. } = &mut stage.format {
            late.clear();
            corrected.clear();
        }
        stage
    }

    /// A round-robin of all players with this many pairs in each meeting.
    pub fn round_robin(pairs: u32) -> Self {
        Self { format: Format::RoundRobin, pairs, players: None }
    }

    /// Extra games of all players after all other stages, as long as there is time.
    pub fn further() -> Self {
        Self { format: Format::Further, pairs: 1, players: None }
    }
}

impl Format {
    /// A description of a stage with this many players; `pairs` describes the pairs in a meeting.
    pub fn describe(&self, players: usize, pairs: &str) -> String {
        match self {
            Self::Check => format!("a check of {pairs} each"),
            Self::RoundRobin => {
                let pairings = players * players.saturating_sub(1) / 2;
                format!("{} of {pairs}", counted(pairings, "pairing"))
            }
            Self::PartialRoundRobin { opponents, .. } => {
                format!("{} each, {pairs} per pairing", counted(*opponents, "opponent"))
            }
            Self::Gauntlet { anchors } => {
                let entrants = players.saturating_sub(anchors.len());
                let anchors = counted(anchors.len(), "anchor");
                format!("a gauntlet of {entrants} against {anchors}, {pairs} each")
            }
            Self::Swiss { rounds } => {
                format!("{} of {pairs}", counted(*rounds as usize, "Swiss round"))
            }
            Self::Knockout { .. } => format!("a knockout with {pairs} per match"),
            Self::Ladder { games, .. } => {
                format!("a ladder of {} at most", counted(*games as usize, "game"))
            }
            Self::League => format!("a league that begins with {}", counted(players, "player")),
            Self::Further => "further games as time allows".to_owned(),
        }
    }

    /// The number of games in a stage with this many players, estimated if it depends on results.
    pub fn games(&self, players: usize, pairs: u32) -> usize {
        let meetings = match self {
            Self::Check => players.div_ceil(2),
            Self::RoundRobin => players * players.saturating_sub(1) / 2,
            Self::PartialRoundRobin { opponents, late, .. } => {
                let opponents = *opponents;
                let first = players.saturating_sub(late.len());
                let of_first = first * opponents.min(first.saturating_sub(1));
                of_first.div_ceil(2) + (first..players).map(|all| opponents.min(all)).sum::<usize>()
            }
            Self::Gauntlet { anchors } => players.saturating_sub(anchors.len()) * anchors.len(),
            Self::Swiss { rounds } => players / 2 * *rounds as usize,
            Self::Knockout { .. } => players.saturating_sub(1),
            Self::Ladder { games, .. } => return *games as usize,
            Self::League | Self::Further => 0,
        };
        2 * meetings * pairs as usize
    }
}

/// The stages without the one of further games, which is never configured.
pub fn configured(stages: &[Stage]) -> &[Stage] {
    match stages {
        [before @ .., Stage { format: Format::Further, .. }] => before,
        all => all,
    }
}

/// Whether a tournament with these stages is a league.
pub fn is_league(stages: &[Stage]) -> bool {
    stages.iter().any(|stage| stage.format == Format::League)
}

/// A check of all and the partial round-robin after it, which late players join by a check of their
/// own, if these are the stages.
pub fn checked_round_robin(stages: &[Stage]) -> Option<[&Stage; 2]> {
    match configured(stages) {
        [check, all @ Stage { format: Format::PartialRoundRobin { .. }, players: None, .. }]
            if check.format == Format::Check =>
        {
            Some([check, all])
        }
        _ => None,
    }
}

impl Format {
    /// Whether a stage has one section, whatever its results.
    pub fn has_one_section(&self) -> bool {
        matches!(self, Self::RoundRobin | Self::PartialRoundRobin { .. } | Self::Gauntlet { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gauntlet() -> Format {
        Format::Gauntlet { anchors: vec!["ant".to_owned(), "bee".to_owned()] }
    }

    fn some() -> Format {
        let late = vec!["ant".to_owned()];
        Format::PartialRoundRobin { opponents: 3, late, corrected: Vec::new() }
    }

    fn all() -> [Format; 9] {
        [
            Format::Check,
            Format::RoundRobin,
            some(),
            gauntlet(),
            Format::Swiss { rounds: 3 },
            Format::Knockout { tie_breaks: 1 },
            Format::Ladder { games: 400, margin: Some(30) },
            Format::League,
            Format::Further,
        ]
    }

    #[test]
    fn the_number_of_games_follows_from_the_format() {
        let games = |players| all().map(|format| format.games(players, 2));
        assert_eq!(games(5), [12, 40, 36, 24, 24, 16, 400, 0, 0]);
        assert_eq!(games(1), [4, 0, 0, 0, 0, 0, 400, 0, 0], "a check needs an opponent");
        assert_eq!(games(0), [0, 0, 0, 0, 0, 0, 400, 0, 0]);
    }

    #[test]
    fn a_stage_reads_as_it_is_written() {
        for format in all() {
            let stage = Stage { format, pairs: 2, players: Some(8) };
            let text = serde_json::to_string(&stage).expect("plain data");
            assert_eq!(serde_json::from_str::<Stage>(&text).expect(&text), stage);
        }
        let plain = serde_json::to_string(&Stage::round_robin(1)).expect("plain data");
        assert_eq!(plain, r#"{"format":"round-robin","pairs":1}"#);
        for unknown in [r#"{"format":"cup","pairs":1}"#, r#"{"format":"check","pairs":1,"x":1}"#] {
            assert!(serde_json::from_str::<Stage>(unknown).is_err(), "{unknown}");
        }
    }

    #[test]
    fn a_format_is_described_with_its_size() {
        let said = all().map(|format| format.describe(5, "2 pairs"));
        assert_eq!(
            said,
            [
                "a check of 2 pairs each",
                "10 pairings of 2 pairs",
                "3 opponents each, 2 pairs per pairing",
                "a gauntlet of 3 against 2 anchors, 2 pairs each",
                "3 Swiss rounds of 2 pairs",
                "a knockout with 2 pairs per match",
                "a ladder of 400 games at most",
                "a league that begins with 5 players",
                "further games as time allows",
            ]
        );
        assert_eq!(Format::RoundRobin.describe(2, "1 pair"), "1 pairing of 1 pair");
    }
}
