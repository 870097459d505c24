//! The source of a tournament's openings.

use super::plies::Plies;
use referee_games::options::plain;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The maximum number of plies in a random opening.
pub const MOST_PLIES: u32 = 100;

/// The source of a tournament's openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// This many plies of random legal play, 1 to [`MOST_PLIES`], but at most half of the game.
    Random {
        /// The number of plies.
        plies: u32,
    },
    /// A list of one or more openings, used by the pairs in turn.
    Listed(Vec<ListedOpening>),
}

/// An opening of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ListedOpening {
    /// Its actions as in a record, forced passes included.
    Actions(Vec<String>),
    /// Its own options of the game, such as a start position, and its actions.
    Elsewhere {
        /// The options that differ from those of the tournament.
        options: Map<String, Value>,
        /// The actions.
        actions: Vec<String>,
    },
}

impl ListedOpening {
    /// The opening with these options of its own, and these actions.
    pub fn new(options: Map<String, Value>, actions: Vec<String>) -> Self {
        if options.is_empty() {
            Self::Actions(actions)
        } else {
            Self::Elsewhere { options, actions }
        }
    }

    /// The actions.
    pub fn actions(&self) -> &[String] {
        match self {
            Self::Actions(actions) | Self::Elsewhere { actions, .. } => actions,
        }
    }

    /// The options that differ from those of the tournament.
    pub fn options(&self) -> Map<String, Value> {
        match self {
            Self::Actions(_) => Map::new(),
            Self::Elsewhere { options, .. } => options.clone(),
        }
    }

    /// The options and the actions, for people.
    pub fn texts(&self) -> Vec<String> {
        let options = self.options();
        let option = |(name, value): (&String, &Value)| format!("{name}={}", plain(value));
        options.iter().map(option).chain(self.actions().iter().cloned()).collect()
    }
}

impl Openings {
    /// Whether a configuration may have such openings.
    pub(crate) fn is_within_bounds(&self) -> bool {
        match self {
            Self::Random { plies } => (1..=MOST_PLIES).contains(plies),
            Self::Listed(list) => !list.is_empty(),
        }
    }

    /// A description of the openings.
    pub fn describe(&self) -> String {
        match self {
            Self::Random { plies: 1 } => "1 ply of random legal play".to_owned(),
            Self::Random { plies } => format!("{} of random legal play", Plies(*plies)),
            Self::Listed(list) if list.len() == 1 => "1 opening of a file".to_owned(),
            Self::Listed(list) => format!("{} openings of a file, in turn", list.len()),
        }
    }

    /// The same description with a hash, which changes when anything in a list does.
    pub fn distinctly(&self) -> String {
        let Self::Listed(list) = self else { return self.describe() };
        let mut hasher = blake3::Hasher::new();
        for opening in list {
            hasher.update(opening.texts().join(";").as_bytes());
            hasher.update(b"\n");
        }
        format!("{} ({})", self.describe(), &hasher.finalize().to_hex()[..16])
    }
}
