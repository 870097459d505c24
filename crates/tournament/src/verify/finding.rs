//! Errors that an audit finds in a record.

use std::fmt;

use referee_games::{BySeat, Text};
use referee_match::replay::ReplayError;

/// An error in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordFinding {
    /// The record cannot be replayed.
    Replay(ReplayError),
    /// An outcome of chance differs from the one that follows from the secret.
    Unlucky {
        /// The number of plies before it.
        ply: u32,
        /// The recorded outcome.
        drawn: String,
        /// The outcome that follows from the secret.
        expected: String,
    },
    /// The game does not begin with the opening of its pair.
    Opening {
        /// The number of the pair.
        pair: u32,
        /// The recorded opening.
        found: Vec<String>,
        /// The opening of the pair.
        expected: Vec<String>,
    },
    /// The seats have wrong names.
    Seats(BySeat<Text>),
    /// A fault is recorded, although the game was over.
    FaultAfterEnd,
    /// The game was not over, and no fault is recorded.
    NoEnd,
    /// The fault names an unknown seat.
    FaultOfNobody,
    /// The record and the replay disagree.
    Differs {
        /// The property in question.
        fact: Fact,
        /// The recorded value.
        recorded: String,
        /// The replayed value.
        replayed: String,
    },
    /// A turn exceeded its time, but the game continued.
    Late {
        /// The name of the seat.
        seat: Text,
        /// The number of its turn, from 1.
        turn: usize,
    },
    /// This seat lost on time, although it had not exceeded its time.
    NotLate(Text),
    /// The seed of this player does not follow from the secret.
    Seed(String),
}

/// A property of a game that both the record and the replay state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The result.
    Result,
    /// The reason why the game ended.
    Reason,
    /// The number of plies.
    Plies,
    /// The score of the seat with this name.
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

impl fmt::Display for RecordFinding {
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
            Self::NoEnd => f.write_str("the game was not over, but no fault is recorded"),
            Self::FaultOfNobody => f.write_str("the fault names an unknown seat"),
            Self::Differs { fact, recorded, replayed } => {
                write!(f, "the {fact} is {recorded}, the replay says {replayed}")
            }
            Self::Late { seat, turn } => {
                write!(f, "{seat} exceeded its time in turn {turn}, but the game continued")
            }
            Self::NotLate(seat) => write!(f, "{seat} lost on time but had time left"),
            Self::Seed(player) => write!(f, "the seed of {player} does not follow from the secret"),
        }
    }
}

/// A description of how a game begins.
fn beginning(texts: &[String]) -> String {
    match texts {
        [] => "at the start".to_owned(),
        texts => format!("with `{}`", texts.join("; ")),
    }
}
