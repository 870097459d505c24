//! The options for points that the source leaves open, and the rules in force.

use super::board::EndCheck;
use crate::options::{OptionKind, OptionSpec, Options, Preset};

/// The rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// W10: when to test for the end of the game on moves that shrink the board.
    pub end_check: EndCheck,
    /// W11: what happens when neither side can ever move again.
    pub mutual_block: MutualBlock,
    /// W11: the number of occurrences of a position that make a draw; 0 for never.
    pub repetition: u32,
    /// W11: the number of moves in the moving phase after which the game is a draw; 0 for no limit.
    pub max_moves: u32,
}

/// What happens when neither side can ever move again (W11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MutualBlock {
    /// The game is a draw at once.
    Draw,
    /// Nothing: both sides go on passing.
    Off,
}

impl Rules {
    /// Builds the rules from `options`, which must be resolved from [`OPTIONS`].
    pub(super) fn new(options: &Options) -> Self {
        Self {
            end_check: match options.word("end-check") {
                "after-shrink" => EndCheck::AfterShrink,
                _ => EndCheck::BeforeAndAfterShrink,
            },
            mutual_block: match options.word("mutual-block") {
                "off" => MutualBlock::Off,
                _ => MutualBlock::Draw,
            },
            repetition: options.number("repetition"),
            max_moves: options.number("max-moves"),
        }
    }

    /// The reason why a game under these rules might never end, if there is one (W11).
    pub(super) fn endless(&self) -> Option<String> {
        (self.max_moves == 0 && self.repetition == 0).then(|| {
            "with max-moves=0 and repetition=0 a game may never end (W11); set one of them"
                .to_owned()
        })
    }
}

/// Every option, in the order of its clause.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "end-check",
        "W10",
        OptionKind::choice(&[
            (
                "before-and-after-shrink",
                "tested before the shrink and again after it; a decided game does not shrink",
            ),
            ("after-shrink", "tested once, when the shrink is done"),
        ]),
        Preset::always("before-and-after-shrink"),
        "when the end is tested on moves 128 and 192",
    ),
    OptionSpec::new(
        "mutual-block",
        "W11",
        OptionKind::choice(&[
            ("draw", "a draw at once when neither side can move and no shrink is to come"),
            ("off", "both sides go on passing"),
        ]),
        Preset::always("draw"),
        "what happens if nobody can ever move again",
    ),
    OptionSpec::new(
        "repetition",
        "W11",
        OptionKind::Number { min: 0, max: 1000 },
        Preset::always("3"),
        "a draw when board and side to move occur this often, counted from the position \
               after the second shrink; 0 for never",
    ),
    OptionSpec::new(
        "max-moves",
        "W11",
        OptionKind::Number { min: 0, max: 1_000_000 },
        Preset::always("512"),
        "a draw after this many moves of the moving phase; 0 for no limit",
    ),
];
