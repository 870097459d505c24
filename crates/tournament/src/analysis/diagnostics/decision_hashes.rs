//! The decisions in a recorded game, found by replaying it.

use std::hash::{DefaultHasher, Hash, Hasher};

use referee_games::Seat;
use referee_match::replay::{Replay, ReplayError};
use referee_record::model::game_rules::GameRules;
use referee_record::model::record::GameRecord;

/// A decision of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionHash {
    /// The seat that decided.
    pub(crate) seat: Seat,
    /// A hash of the position and of the seat on turn.
    pub position: u64,
    /// A hash of the action.
    pub action: u64,
    /// Whether the action is the first of the list of legal ones.
    pub is_first: bool,
}

/// The decisions of a game, without its opening and forced actions.
///
/// # Errors
/// The record cannot be replayed.
pub(crate) fn hash_decisions(
    rules: &GameRules,
    record: &GameRecord,
) -> Result<Vec<DecisionHash>, ReplayError> {
    let mut replay = Replay::with_rules(rules, record)?;
    let mut found = Vec::new();
    loop {
        add_decision_hashes(&replay, &mut found);
        if replay.next().transpose()?.is_none() {
            return Ok(found);
        }
    }
}

/// Adds the decisions that the next recorded answers are.
pub fn add_decision_hashes(replay: &Replay<'_>, found: &mut Vec<DecisionHash>) {
    if replay.is_in_opening() {
        return;
    }
    let position = replay.current_position();
    let mut state = None;
    for seat in position.turn().asked().iter() {
        let Some(text) = replay.recorded_answer(seat) else { return };
        if position.legal_count(seat) > 1 {
            let state = *state.get_or_insert_with(|| position.state_hash());
            let place = hash_decision_part(&(state, seat));
            let is_first = position.first_legal(seat).as_deref() == Some(text);
            found.push(DecisionHash {
                seat,
                position: place,
                action: hash_decision_part(&text),
                is_first,
            });
        }
    }
}

fn hash_decision_part(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
