//! The parts of a tournament, and who meets whom in each.

use serde::{Deserialize, Serialize};

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

/// In which order players enter a schedule, and which of two has the first seat first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// In the order of the configuration; seats by the order of the names. Whoever has the
    /// configuration can work it out.
    #[default]
    Listed,
    /// By lots, drawn from a text that nobody can foresee.
    Drawn(String),
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

impl Format {
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
            Self::Knockout { .. } => format!("a knockout with {pairs} per match"),
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
