//! The decisions in a recorded game, found by replaying it.

use crate::model::record::GameRecord;
use crate::replay::{Replay, ReplayError};
use referee_games::{AnyPosition, Position, Seat};

/// A decision of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionHash {
    /// The seat that decided.
    pub seat: Seat,
    /// A hash of the position and of the seat on turn.
    pub position: u64,
    /// A hash of the action.
    pub action: u64,
}

/// The decisions of a game, without its opening and forced actions.
///
/// # Errors
/// The record cannot be replayed.
pub fn decisions(start: &Position, record: &GameRecord) -> Result<Vec<DecisionHash>, ReplayError> {
    let mut replay = Replay::new(start, record);
    let mut found = Vec::new();
    loop {
        add_decisions(&replay, &mut found);
        if replay.next().transpose()?.is_none() {
            return Ok(found);
        }
    }
}

/// Adds the decisions that the next recorded answers are.
pub fn add_decisions(replay: &Replay<'_>, found: &mut Vec<DecisionHash>) {
    if replay.is_in_opening() {
        return;
    }
    let position = replay.current();
    for &seat in position.turn().asked() {
        let Some(text) = replay.recorded(seat) else { return };
        if position.legal_count(seat) > 1 {
            let action = hash(text.as_bytes());
            found.push(DecisionHash { seat, position: hash_of(position, seat), action });
        }
    }
}

/// Identifies the position and the seat that decides there.
fn hash_of(position: &dyn AnyPosition, seat: Seat) -> u64 {
    let mut text = Vec::new();
    position.write_state(&mut text);
    text.extend_from_slice(position.seats()[seat].as_bytes());
    hash(&text)
}

fn hash(bytes: &[u8]) -> u64 {
    let mut start = [0; 8];
    start.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    u64::from_le_bytes(start)
}
