//! The options for points that the source leaves open, and the rules in force.

use crate::options::{OptionError, OptionKind, OptionSpec, Options, Preset};

/// The rules in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// B2: who begins.
    pub first: First,
    /// B8: the meaning of a pass when there is an action.
    pub(crate) overlooked: Overlooked,
    /// B9: what decides how far a pawn goes.
    pub movement: Movement,
    /// B10: when a capture is allowed.
    pub capture: Capture,
    /// B11: whether pawns turn when they are blocked.
    pub turning: Turning,
    /// B12: the number of plies after which the game is a draw.
    pub max_plies: u32,
    /// B12: the number of occurrences of a position that make a draw, without dice; 0 for never.
    pub repetition: u32,
}

/// The side that begins (B2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum First {
    /// White.
    White,
    /// Black.
    Black,
    /// The side that rolls higher.
    Roll,
}

/// The meaning of a pass when there is an action (B8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Overlooked {
    /// It is illegal.
    Reject,
    /// The opponent may play one of the passer's actions.
    Opponent,
}

/// The rule for how far a pawn goes (B9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Movement {
    /// A die.
    Dice,
    /// The number of pawns that its side has lost.
    NoDice,
}

/// When a capture is allowed (B10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Capture {
    /// With a roll of 6.
    Six,
    /// With no own pawn on the outer ring.
    Ring,
    /// With a roll of 6 or with no own pawn on the outer ring.
    SixOrRing,
}

/// Whether pawns turn when they are blocked (B11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Turning {
    /// Pawns only go straight.
    Off,
    /// Pawns turn.
    On,
}

impl Rules {
    /// Builds the rules from `options`, which must be resolved from [`OPTIONS`]; fails if they
    /// contradict each other.
    pub(super) fn new(options: &Options) -> Result<Self, OptionError> {
        check(options)?;
        Ok(Self {
            first: match options.word("first") {
                "black" => First::Black,
                "roll" => First::Roll,
                _ => First::White,
            },
            overlooked: match options.word("overlooked") {
                "opponent" => Overlooked::Opponent,
                _ => Overlooked::Reject,
            },
            movement: if has_dice(options) { Movement::Dice } else { Movement::NoDice },
            capture: match options.word("capture") {
                "ring" => Capture::Ring,
                "six-or-ring" => Capture::SixOrRing,
                _ => Capture::Six,
            },
            turning: match options.word("turning") {
                "on" => Turning::On,
                _ => Turning::Off,
            },
            max_plies: options.number("max-plies"),
            repetition: options.number("repetition"),
        })
    }
}

fn check(options: &Options) -> Result<(), OptionError> {
    if has_dice(options) {
        let refusal = "repetition is counted only without dice (B12); leave it out or set \
                       move=no-dice";
        return if options.has("repetition") {
            Err(OptionError::Rules(refusal.into()))
        } else {
            Ok(())
        };
    }
    match options.word("capture") {
        "ring" => Ok(()),
        word => Err(OptionError::Rules(
            format!(
                "without dice nobody rolls a 6 (B10), so capture={word} makes no sense; leave it \
                 out or set capture=ring"
            )
            .into(),
        )),
    }
}

fn has_dice(options: &Options) -> bool {
    options.word("move") == "dice"
}

/// Every option, in the order of its clause.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new(
        "first",
        "B2",
        OptionKind::choice(&[
            ("white", "White"),
            ("black", "Black"),
            ("roll", "who rolls higher; equal rolls are repeated"),
        ]),
        Preset::always("white"),
        "who begins",
    ),
    OptionSpec::new(
        "overlooked",
        "B8",
        OptionKind::choice(&[
            ("reject", "it is illegal"),
            ("opponent", "the opponent is asked and may play one of the passer's actions"),
        ]),
        Preset::always("reject"),
        "what happens if a side passes although it has an action",
    ),
    OptionSpec::new(
        "move",
        "B9",
        OptionKind::choice(&[
            ("dice", "what the die shows"),
            ("no-dice", "one more than half the own pawns lost, rounded down"),
        ]),
        Preset::always("dice"),
        "how far a pawn goes",
    ),
    OptionSpec::new(
        "capture",
        "B10",
        OptionKind::choice(&[
            ("six", "with a roll of 6"),
            ("ring", "with no own pawn on the outer ring"),
            ("six-or-ring", "with either"),
        ]),
        Preset::depends("six with dice, ring without", |others| {
            Some(if has_dice(others) { "six" } else { "ring" })
        }),
        "when a capture is allowed",
    ),
    OptionSpec::new(
        "turning",
        "B11",
        OptionKind::choice(&[
            ("off", "they go straight or not at all"),
            ("on", "they turn left or right if the way ahead is blocked"),
        ]),
        Preset::always("off"),
        "whether pawns turn",
    ),
    OptionSpec::new(
        "max-plies",
        "B12",
        OptionKind::Number { min: 1, max: 1_000_000 },
        Preset::depends("500 with dice, 300 without", |others| {
            Some(if has_dice(others) { "500" } else { "300" })
        }),
        "a draw after this many plies",
    ),
    OptionSpec::new(
        "repetition",
        "B12",
        OptionKind::Number { min: 0, max: 1000 },
        Preset::depends("3 without dice, refused with dice", |others| {
            (!has_dice(others)).then_some("3")
        }),
        "a draw when board and side to move occur this often, the start included; 0 for \
               never",
    ),
];
