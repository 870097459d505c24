//! What an audit finds wrong with a record.

use std::fmt;

use crate::replay::ReplayError;
use referee_games::{BySeat, Text};

/// Something in a record that cannot be true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The record cannot be played.
    Replay(ReplayError),
    /// An outcome of chance is not the one that follows from the secret.
    Unlucky {
        /// The plies before it.
        ply: u32,
        /// The outcome of the record.
        drawn: String,
        /// The outcome that follows from the secret.
        expected: String,
    },
    /// The game does not begin as its pair does.
    Opening {
        /// The number of the pair.
        pair: u32,
        /// The opening of the record.
        found: Vec<String>,
        /// The opening of the pair.
        expected: Vec<String>,
    },
    /// The seats have other names.
    Seats(BySeat<Text>),
    /// There is a fault, though the game was over.
    FaultAfterEnd,
    /// The game was not over, and nobody made a fault.
    NoEnd,
    /// The fault is of a seat that the game does not have.
    FaultOfNobody,
    /// The record says something else about the game than the replay does.
    Differs {
        /// What about the game.
        fact: Fact,
        /// What the record says.
        recorded: String,
        /// What the replay says.
        replayed: String,
    },
    /// A turn was over its time, and the game went on.
    Late {
        /// The name of the seat.
        seat: Text,
        /// Which of its turns, from 1.
        turn: usize,
    },
    /// This seat lost on time within its time.
    NotLate(Text),
    /// The seed of this player does not follow from the secret.
    Seed(String),
}

/// Something that a record says of its game, and a replay too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The result.
    Result,
    /// Why the game ended.
    Reason,
    /// The number of plies.
    Plies,
    /// The score of the seat of this name.
    Score(Text),
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Result => f.write_str("result"),
            Self::Reason => f.write_str("reason"),
            Self::Plies => f.write_str("number of plies"),
            Self::Score(seat) => write!(f, "score of {seat}"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replay(error) => error.fmt(f),
            Self::Unlucky { ply, drawn, expected } => {
                write!(f, "ply {ply}: `{drawn}` was drawn, the secret says `{expected}`")
            }
            Self::Opening { pair, found, expected } => {
                let (found, expected) = (beginning(found), beginning(expected));
                write!(f, "it begins {found}, pair {pair} begins {expected}")
            }
            Self::Seats(names) => write!(f, "the seats are {} and {}", names.first, names.second),
            Self::FaultAfterEnd => f.write_str("a fault after the end of the game"),
            Self::NoEnd => f.write_str("the game was not over and nobody made a fault"),
            Self::FaultOfNobody => f.write_str("the fault is of no seat"),
            Self::Differs { fact, recorded, replayed } => {
                write!(f, "the {fact} is {recorded}, the replay says {replayed}")
            }
            Self::Late { seat, turn } => write!(f, "turn {turn} of {seat} was over its time"),
            Self::NotLate(seat) => write!(f, "{seat} lost on time within its time"),
            Self::Seed(player) => write!(f, "the seed of {player} is not the secret's"),
        }
    }
}

/// How a game begins, in words.
fn beginning(texts: &[String]) -> String {
    match texts {
        [] => "at the start".to_owned(),
        texts => format!("with `{}`", texts.join("; ")),
    }
}
