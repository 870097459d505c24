//! The options for points that the source leaves open, and the rules in force.

use std::borrow::Cow;

use super::map::{Map, SHIPPED};
use super::walls::{AdjacencyScope, CornerRule, Readings, Rule1Input, SameSquare};
use super::{Board, Ground};
use crate::options::{
    FileError, Item, ListKind, OptionError, OptionKind, OptionSpec, Options, Preset, Words,
};
use crate::seat::Seat;

/// The rules in force, and the boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The readings of T1, T2, T4 and T5.
    pub readings: Readings,
    /// T6: whether the starting squares are owned at the start.
    pub start_captured: bool,
    /// T7: the number of turns after which a round ends.
    pub max_turns: u32,
    /// T8: the seat that wins a tied round; `None` for a draw.
    pub tie: Option<Seat>,
    /// T9: the boards, in order; at least one.
    pub(crate) maps: Vec<Map>,
    /// T9: the number of won rounds that ends the match.
    pub enough: usize,
}

impl Rules {
    /// Builds the rules from `options`, which must be resolved from [`OPTIONS`].
    pub(super) fn new(options: &Options) -> Result<Self, OptionError> {
        let rules = Self {
            readings: readings(options),
            start_captured: options.word("start-captured") == "true",
            max_turns: options.number("max-turns"),
            tie: match (options.word("tie"), options.word("dmo")) {
                ("draw", _) => None,
                (_, "grunkle") => Some(Seat::First),
                _ => Some(Seat::Second),
            },
            maps: maps(options)?,
            enough: if options.word("rounds") == "best-of-3" { 2 } else { usize::MAX },
        };
        rules.maps.iter().try_for_each(|map| rules.check(map))?;
        Ok(rules)
    }

    /// Checks that a round can be played on `map` under these readings (T13).
    fn check(&self, map: &Map) -> Result<(), FileError> {
        let board = Board::start(map, self.start_captured);
        let site = board.site(self.readings);
        if let Some(piece) = site.enclosed_now().next() {
            let reason = format!("the piece on {piece} is enclosed");
            return Err(map.origin.at_row(usize::from(piece.row), &reason));
        }
        if let Some(corner) = site.closed_now().next() {
            let reason = format!("the corner {corner} is closed off");
            return Err(map.origin.at_row(usize::from(corner.row), &reason));
        }
        if !site.has_room() {
            let Ground { walls_each, .. } = map.ground;
            let many = 2 * walls_each;
            let reason = format!("no room for walls: no {many} squares can become walls together");
            return Err(map.origin.at_row(0, &reason));
        }
        Ok(())
    }
}

fn readings(options: &Options) -> Readings {
    Readings {
        corner_rule: match options.word("corner-rule") {
            "all-connected" => CornerRule::AllConnected,
            _ => CornerRule::Isolated,
        },
        adjacency_scope: match options.word("adjacency-scope") {
            "all" => AdjacencyScope::All,
            _ => AdjacencyScope::Submitted,
        },
        rule_1_input: match options.word("rule-1-input") {
            "survivors" => Rule1Input::Survivors,
            _ => Rule1Input::Submissions,
        },
        same_square: match options.word("same-square") {
            "cancel" => SameSquare::Cancel,
            _ => SameSquare::OneWall,
        },
    }
}

/// The boards of the match.
fn maps(options: &Options) -> Result<Vec<Map>, OptionError> {
    let items = options.items("rounds");
    if items.is_empty() {
        return Ok(SHIPPED
            .iter()
            .map(|(name, text)| Map::read(name, text))
            .collect::<Result<_, _>>()?);
    }
    items.iter().map(map).collect()
}

fn map(item: &Item) -> Result<Map, OptionError> {
    match item {
        Item::Name(name) => {
            let unknown = || OptionError::Rules(format!("unknown board `{name}`").into());
            Ok(Map::shipped(name).ok_or_else(unknown)??)
        }
        Item::File { file, text: Some(text) } => Ok(Map::read(file, text)?),
        Item::File { file, text: None } => {
            Err(OptionError::Rules(format!("the board file `{file}` was not read").into()))
        }
    }
}

/// Every option, in the order of its clause.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "corner-rule",
        "T1",
        OptionKind::choice(&[
            ("isolated", "when it is a wall or reaches no other corner"),
            ("all-connected", "when it is a wall or there is a corner that it does not reach"),
        ]),
        Preset::always("isolated"),
        "when a corner is closed off",
    ),
    OptionSpec::new(
        "adjacency-scope",
        "T2",
        OptionKind::choice(&[
            ("submitted", "the squares of this turn"),
            ("all", "the squares of this turn and the walls that stand"),
        ]),
        Preset::always("submitted"),
        "what keeps a neighbouring square from becoming a wall",
    ),
    OptionSpec::new(
        "rule-1-input",
        "T4",
        OptionKind::choice(&[
            ("submissions", "all squares of this turn"),
            ("survivors", "the squares that adjacency and enclosure left"),
        ]),
        Preset::always("submissions"),
        "which squares the corner rule looks at",
    ),
    OptionSpec::new(
        "same-square",
        "T5",
        OptionKind::choice(&[
            ("one-wall", "it counts once"),
            ("cancel", "it is withdrawn before all other rules"),
        ]),
        Preset::always("one-wall"),
        "what happens to a square that both players name",
    ),
    OptionSpec::new(
        "start-captured",
        "T6",
        OptionKind::choice(&[
            ("true", "they belong to the player whose piece stands there"),
            ("false", "they belong to nobody"),
        ]),
        Preset::always("true"),
        "who owns the four starting squares at the start of a round",
    ),
    OptionSpec::new(
        "max-turns",
        "T7",
        OptionKind::Number { min: 1, max: 10_000 },
        Preset::always("25"),
        "the turns after which a round ends",
    ),
    OptionSpec::new(
        "tie",
        "T8",
        OptionKind::choice(&[
            ("dmo", "the death-match opponent wins it"),
            ("draw", "nobody wins it"),
        ]),
        Preset::always("dmo"),
        "who wins a round in which both have equally many squares",
    ),
    OptionSpec::new(
        "dmo",
        "T8",
        OptionKind::choice(&[
            ("charge", "the second seat, whoever sits there"),
            ("grunkle", "the first seat, whoever sits there"),
        ]),
        Preset::always("charge"),
        "the seat of the death-match opponent",
    ),
    OptionSpec::new(
        "rounds",
        "T9",
        OptionKind::List(Cow::Borrowed(&ListKind {
            words: Words::Fixed(&[
                ("best-of-3", "on once, twice and thrice, until somebody has won two"),
                ("play-all", "on once, twice and thrice, all three"),
            ]),
            items: Words::Fixed(&[
                ("once", "7×7, one wall each"),
                ("twice", "9×9, two walls each"),
                ("thrice", "11×11, three walls each"),
            ]),
            files: Cow::Borrowed("a board file"),
            check: |file, text| Map::remark(file, text).map(Some),
        })),
        Preset::always("best-of-3"),
        "the boards that are played on, in order",
    ),
];
