//! The options for points that the source leaves open, and the rules in force.

use serde::Deserialize;

use super::map::{Map, SHIPPED};
use super::walls::Readings;
use super::{Board, MapGround};
use crate::options::{FileError, Item, OptionError, Options};
use crate::two_player::Side;

/// The rules in force, and the boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The readings of T1, T2, T4 and T5.
    pub readings: Readings,
    /// T6: whether the starting squares are owned at the start.
    pub(crate) start_captured: bool,
    /// T7: the number of turns after which a round ends.
    pub(crate) max_turns: u32,
    /// T8: the seat that wins a tied round; `None` for a draw.
    pub(crate) tie: Option<Side>,
    /// T9: the boards, in order; at least one.
    pub(crate) maps: Vec<Map>,
    /// T9: the number of won rounds that ends the match.
    pub(crate) enough: usize,
}

/// The values of the options.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct GivenRules {
    #[serde(flatten)]
    readings: Readings,
    start_captured: String,
    max_turns: u32,
    tie: String,
    dmo: String,
    rounds: Rounds,
}

/// The value of the option `rounds`.
#[derive(Deserialize, PartialEq)]
#[serde(untagged)]
enum Rounds {
    /// A word, or the names of shipped boards.
    Names(String),
    Listed(Vec<Item>),
}

impl Rules {
    /// Builds the rules from `options`, which must be resolved from those of the sheet.
    pub(super) fn new(options: &Options) -> Result<Self, OptionError> {
        let given: GivenRules = options.read();
        let rules = Self {
            readings: given.readings,
            start_captured: given.start_captured == "true",
            max_turns: given.max_turns,
            tie: match (given.tie.as_str(), given.dmo.as_str()) {
                ("draw", _) => None,
                (_, "grunkle") => Some(Side::First),
                _ => Some(Side::Second),
            },
            enough: if given.rounds == Rounds::Names("best-of-3".into()) { 2 } else { usize::MAX },
            maps: rounds_option_maps(given.rounds)?,
        };
        rules.maps.iter().try_for_each(|map| rules.check_start_on_map(map))?;
        Ok(rules)
    }

    /// Checks that a round can be played on `map` under these readings (T13).
    fn check_start_on_map(&self, map: &Map) -> Result<(), FileError> {
        let board = Board::start(map, self.start_captured);
        let site = board.site(self.readings);
        if let Some(piece) = site.enclosed_now().next() {
            let reason = format!("the piece on {piece} is enclosed");
            return Err(map.origin.row_error(usize::from(piece.row), &reason));
        }
        if let Some(corner) = site.closed_now().next() {
            let reason = format!("the corner {corner} is closed off");
            return Err(map.origin.row_error(usize::from(corner.row), &reason));
        }
        if !site.has_room() {
            let MapGround { walls_each, .. } = map.ground;
            let many = 2 * walls_each;
            let reason = format!("no room for walls: no {many} squares can become walls together");
            return Err(map.origin.row_error(0, &reason));
        }
        Ok(())
    }
}

/// The boards of the match.
fn rounds_option_maps(rounds: Rounds) -> Result<Vec<Map>, OptionError> {
    let items = match rounds {
        Rounds::Names(word) if matches!(&*word, "best-of-3" | "play-all") => {
            SHIPPED.map(|(name, _)| Item::Name(name.to_owned())).to_vec()
        }
        Rounds::Names(names) => names.split(',').map(|name| Item::Name(name.to_owned())).collect(),
        Rounds::Listed(items) => items,
    };
    items.iter().map(map_from_list_item).collect()
}

fn map_from_list_item(item: &Item) -> Result<Map, OptionError> {
    match item {
        Item::Name(name) => {
            let unknown = || OptionError::Rules(format!("unknown board `{name}`").into());
            Ok(Map::load_shipped(name).ok_or_else(unknown)??)
        }
        Item::File { file, text: Some(text) } => Ok(Map::read(file, text)?),
        Item::File { file, text: None } => {
            Err(OptionError::Rules(format!("the board file `{file}` was not read").into()))
        }
    }
}
