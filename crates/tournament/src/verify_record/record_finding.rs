//! Errors that verification finds in a record.

use referee_games::{BySeat, Text};
use referee_match::replay::ReplayError;
use referee_record::model::bounds::HasBounds;

/// An error in a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordFinding {
    /// The record cannot be replayed.
    #[error(transparent)]
    Replay(ReplayError),
    /// An outcome of chance differs from the one that follows from the secret.
    #[error("ply {ply}: `{drawn}` was drawn, but the secret gives `{expected}`")]
    Unlucky {
        /// The number of plies before it.
        ply: u32,
        /// The recorded outcome.
        drawn: String,
        /// The outcome that follows from the secret.
        expected: String,
    },
    /// The game does not begin with the opening of its pair.
    #[error(
        "it begins {}, pair {pair} begins {}",
        describe_opening_found(found),
        describe_opening_found(expected)
    )]
    Opening {
        /// The number of the pair.
        pair: u32,
        /// The recorded opening.
        found: Vec<String>,
        /// The opening of the pair.
        expected: Vec<String>,
    },
    /// The seats have wrong names.
    #[error("the seats are {}", .0.in_words())]
    Seats(BySeat<Text>),
    /// Something in the record names other seats than its players do.
    #[error("the seats in `{field}` are {}, unlike those of the players", names.in_words())]
    OtherSeats {
        /// The field of the record.
        field: &'static str,
        /// The names in it.
        names: BySeat<Text>,
    },
    /// A fault is recorded, although the game was over.
    #[error("a fault after the end of the game")]
    FaultAfterEnd,
    /// The game was not over, and no fault is recorded.
    #[error("the game was not over, but no fault is recorded")]
    NoEnd,
    /// The game was adjudicated, although the scores do not say so.
    #[error("it was adjudicated, but not according to the recorded scores and tournament rules")]
    NotAdjudicated,
    /// The game went on, or ended in a fault, when it had to be adjudicated.
    #[error("it should have ended after ply {ply}: {reason}")]
    NotEnded {
        /// The number of plies then.
        ply: u32,
        /// The reason that it had to end with.
        reason: Text,
    },
    /// The fault names an unknown seat.
    #[error("the fault names an unknown seat")]
    FaultOfNobody,
    /// The record and the replay disagree.
    #[error("the {fact} is {recorded}, the replay says {replayed}")]
    Differs {
        /// The property in question: `result`, `reason`, `number of plies`, or the score of a seat.
        fact: String,
        /// The recorded value.
        recorded: String,
        /// The replayed value.
        replayed: String,
    },
    /// This seat had another clock than its player has.
    #[error("{0}'s clock does not match its player's")]
    OtherClock(Text),
    /// A turn exceeded its time, but the game continued.
    #[error("{seat} exceeded its time in turn {turn}, but the game continued")]
    Late {
        /// The name of the seat.
        seat: Text,
        /// The number of its turn, from 1.
        turn: usize,
    },
    /// This seat lost on time, although it had not exceeded its time.
    #[error("{0} lost on time but had time left")]
    NotLate(Text),
    /// The game was void more often than this player's outages may make it.
    #[error(
        "it was voided {times} times because {player} could not reach its service; at most {most} \
         allowed"
    )]
    Outages {
        /// The name of the player.
        player: String,
        /// How often.
        times: u8,
        /// How often it may be.
        most: u8,
    },
    /// A fault of this player is an outage, but it may have none.
    #[error("{0} lost to an outage, but is allowed none: it has no `outages`")]
    NoService(String),
    /// The seed of this player does not follow from the secret.
    #[error("{0}'s seed does not match the secret")]
    Seed(String),
}

/// A description of how a game begins.
fn describe_opening_found(texts: &[String]) -> String {
    match texts {
        [] => "at the start".to_owned(),
        texts => {
            let mut opening = texts.join("; ");
            opening.cut();
            format!("with `{opening}`")
        }
    }
}
