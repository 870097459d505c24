//! Where the openings of a tournament come from.

use serde::{Deserialize, Serialize};

/// The most plies of a random opening.
pub const MOST_PLIES: u32 = 100;

/// Where the openings of a tournament come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Openings {
    /// So many plies of random legal play, 1 to [`MOST_PLIES`]; fewer where they would be more than
    /// half of the game.
    Random {
        /// The plies.
        plies: u32,
    },
    /// The actions of each opening as a record has them, forced passes included; one or more
    /// openings. Pairs take them in turn.
    Listed(Vec<Vec<String>>),
}

impl Openings {
    /// What they are, in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Random { plies: 1 } => "1 ply of random legal play".to_owned(),
            Self::Random { plies } => format!("{plies} plies of random legal play"),
            Self::Listed(list) if list.len() == 1 => "1 opening of a file".to_owned(),
            Self::Listed(list) => format!("{} openings of a file, in turn", list.len()),
        }
    }

    /// The same, with a hash that differs when anything in a list does.
    pub fn distinctly(&self) -> String {
        let Self::Listed(list) = self else { return self.in_words() };
        let mut hasher = blake3::Hasher::new();
        for opening in list {
            hasher.update(opening.join(";").as_bytes());
            hasher.update(b"\n");
        }
        format!("{} ({})", self.in_words(), &hasher.finalize().to_hex()[..16])
    }
}
