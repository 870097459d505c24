//! The choices that were made in a recorded game, found by playing it again.

use std::sync::Arc;

use super::audit::{Replay, Replayed};
use crate::model::record::GameRecord;
use referee_games::{Game, Seat, Turn};

/// A choice that a player made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Who had it.
    pub seat: Seat,
    /// A hash of the position and of whose turn it was.
    pub position: u64,
    /// A hash of the action.
    pub action: u64,
}

/// The choices of a game, its opening and forced actions left out.
///
/// # Errors
///
/// Why the record cannot be true, in words.
pub fn decisions<G: Game>(
    rules: &Arc<G::Rules>,
    record: &GameRecord,
) -> Result<Vec<Decision>, String> {
    let mut replay = Replay::<G>::new(rules, record);
    let mut texts = record.opening.iter().chain(&record.actions).enumerate();
    let mut found = Vec::new();
    loop {
        let seats: &[Seat] = match replay.position.turn() {
            Turn::Over(_) | Turn::Chance(..) => &[],
            Turn::Pass(_) => {
                texts.next();
                &[]
            }
            Turn::Move(Seat::First) => &[Seat::First],
            Turn::Move(Seat::Second) => &[Seat::Second],
            Turn::Both => &Seat::BOTH,
        };
        for &seat in seats {
            let Some((at, text)) = texts.next() else { return Ok(found) };
            if at >= record.opening.len() && replay.position.legal_count(seat) > 1 {
                let position = position(&replay.position, seat)?;
                found.push(Decision { seat, position, action: hash(text.as_bytes()) });
            }
        }
        if replay.step()? == Replayed::End {
            return Ok(found);
        }
    }
}

fn position<G: Game>(position: &G, seat: Seat) -> Result<u64, String> {
    let mut text = serde_json::to_vec(&position.state()).map_err(|error| error.to_string())?;
    text.extend_from_slice(G::SEATS[seat].as_bytes());
    Ok(hash(&text))
}

fn hash(bytes: &[u8]) -> u64 {
    let mut start = [0; 8];
    start.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    u64::from_le_bytes(start)
}
