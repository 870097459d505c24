//! What a run is told while it plays.

use tokio::sync::{mpsc, oneshot};

use referee_record::model::player_spec::PlayerSpec;
use referee_record::model::roster_change::RosterChange;

/// What a run is told while it plays. It follows one instruction after the other, and no game in
/// play is disturbed: it is played to its end and counts, whatever becomes of its players.
#[derive(Debug)]
pub enum Instruction {
    /// A player comes or goes.
    Change(Box<PlayerChange>),
    /// From now on, at most this many games are played at once.
    PlayAtOnce(usize),
    /// No game begins until [`Instruction::GoOn`].
    Pause,
    /// Games may begin again.
    GoOn,
    /// From now on, at most this many further games begin, until the next such instruction.
    BeginAtMost(usize),
    /// No further game begins, because somebody interrupts the run.
    Finish,
    /// No further game begins, because the league is over.
    Close,
    /// Something to tell: a sentence that is safe to show.
    Notice(String),
    /// Something went wrong that no player caused: a sentence that is safe to show.
    Warning(String),
}

/// A player that comes or goes.
#[derive(Debug)]
pub struct PlayerChange {
    /// The line of the log about it.
    pub change: RosterChange,
    /// The program of a player that comes.
    pub program: Option<PlayerSpec>,
    /// Learns why the change is impossible, if it is. It is dropped if the run ends first.
    pub done: oneshot::Sender<Result<(), String>>,
}

/// Where a run gets its instructions from. They are followed in the order in which they were given.
pub type Instructions = mpsc::UnboundedReceiver<Instruction>;

/// The instructions of a run that nobody interrupts.
#[cfg(test)]
pub(crate) fn no_run_instructions() -> Instructions {
    mpsc::unbounded_channel().1
}
