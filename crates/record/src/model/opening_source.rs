//! The source of a tournament's openings.

use std::fmt;
use std::sync::Arc;

use super::plies::Plies;
use crate::wording::pluralize;
use referee_games::options::option_value_text;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The maximum number of plies in a random opening.
pub const MOST_PLIES: u32 = 100;

/// The most openings that are drawn from a book, if the pairs of a tournament do not need more.
const USUALLY_DRAWN: u32 = 10_000;

/// The source of a tournament's openings, as configured.
#[derive(Debug, Clone)]
pub enum OpeningSource {
    /// See [`Openings::Random`].
    Random {
        /// The number of plies.
        plies: u32,
    },
    /// A file.
    Book(Arc<dyn OpeningFile>),
}

/// A file of openings, which may have millions.
pub trait OpeningFile: fmt::Debug + Send + Sync {
    /// The part of a file in use.
    fn selection(&self) -> &OpeningBookSelection;

    /// Draws this many openings, or all if there are fewer, in the order of the pairs. `seed`
    /// decides a random order. More openings from the same seed begin with the same ones.
    ///
    /// # Errors
    /// The file cannot be read any more.
    fn draw(&self, seed: u64, count: usize) -> Result<DrawnOpenings, UnreadableBook>;

    /// The same file with this number, from 1, as its first opening.
    fn starting_at(&self, start: u32) -> Arc<dyn OpeningFile>;
}

impl OpeningSource {
    /// The same after `pairs` have used their openings. Others are drawn at random anyway.
    #[must_use]
    pub fn after_pairs(&self, pairs: u64) -> Self {
        let Self::Book(book) = self else { return self.clone() };
        let &OpeningBookSelection { order, start, size, .. } = book.selection();
        if order == BookOrder::Random {
            return self.clone();
        }
        let next = (u64::from(start.max(1)) - 1 + pairs) % size.max(1) + 1;
        Self::Book(book.starting_at(u32::try_from(next).unwrap_or(1)))
    }
}

/// The reason why a file of openings cannot be read any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableBook(pub String);

/// Openings of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnOpenings {
    /// The openings, in the order of the pairs.
    pub list: Vec<ListedOpening>,
    /// How many openings were read, those left out included.
    pub read: u64,
    /// Says how many could not be played, and where the first of them is, if there were any.
    pub left_out: Option<String>,
}

/// The part of an openings file that a tournament uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningBookSelection {
    /// The name of the file, without its folder.
    pub file: String,
    /// A hash of its contents.
    pub hash: String,
    /// The number of openings in it.
    pub size: u64,
    /// The order in which pairs use them.
    pub order: BookOrder,
    /// The number of the first opening, from 1, in that order.
    pub start: u32,
    /// The most plies of an opening, if that was limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// How many openings were read to draw those of the tournament. The others are left out because
    /// they cannot be played.
    pub read: u64,
}

/// The order in which pairs use the openings of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookOrder {
    /// That of the file.
    Sequential,
    /// Random, by the seed of the tournament, or else by the identity of its log.
    Random,
}

impl OpeningBookSelection {
    /// The number of openings to draw for this many pairs.
    pub fn openings_needed(pairs: u32) -> usize {
        pairs.max(USUALLY_DRAWN) as usize
    }

    /// A description of the part of the file that is `used`.
    pub fn describe(&self, used: u64) -> String {
        let all = pluralize(self.size, "opening");
        let part = if used == self.size { all } else { format!("{used} of {all}") };
        format!("{part} from {}, {}", self.file, self.in_order())
    }

    /// The whole selection as text, which changes when the contents of the file do.
    pub fn describe_distinctly(&self) -> String {
        let Self { hash, size, start, plies, .. } = self;
        let all = pluralize(*size, "opening");
        let plies = plies.map_or(String::new(), |plies| format!(", at most {}", Plies(plies)));
        let start = if *start == 1 { String::new() } else { format!(" from number {start} on") };
        format!("{all} from a file, {}{start}{plies} ({hash})", self.in_order())
    }

    fn in_order(&self) -> &'static str {
        match self.order {
            BookOrder::Sequential => "in turn",
            BookOrder::Random => "in random order",
        }
    }
}

/// The openings of a tournament.
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
        let option =
            |(name, value): (&String, &Value)| format!("{name}={}", option_value_text(value));
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
            Self::Listed(list) if list.len() == 1 => "1 opening from a file".to_owned(),
            Self::Listed(list) => format!("{} openings from a file, in turn", list.len()),
        }
    }

    /// The same description with a hash, which changes when anything in a list does.
    pub fn describe_distinctly(&self) -> String {
        let Self::Listed(list) = self else { return self.describe() };
        let mut hasher = blake3::Hasher::new();
        for opening in list {
            hasher.update(opening.texts().join(";").as_bytes());
            hasher.update(b"\n");
        }
        format!("{} ({})", self.describe(), &hasher.finalize().to_hex()[..16])
    }
}
