//! The source of a tournament's openings.

use super::plies::Plies;
use serde::{Deserialize, Serialize};

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
    /// A list of one or more openings, used by the pairs in turn. Each lists its actions as in a
    /// record, forced passes included.
    Listed(Vec<Vec<String>>),
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
            hasher.update(opening.join(";").as_bytes());
            hasher.update(b"\n");
        }
        format!("{} ({})", self.describe(), &hasher.finalize().to_hex()[..16])
    }
}
