//! A compact summary of a game, as results need it.

use std::num::NonZeroU64;

use crate::model::fault::FaultCode;
use crate::model::record::GameRecord;
use referee_games::{BySeat, Seat};
use referee_ratings::{GameOutcome, PlayedGame};

/// A record's result is neither one of its seats nor `draw`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {id:?}: the result {result:?} is neither a seat nor `draw`")]
pub struct UnknownResult {
    /// The game's id.
    id: String,
    /// The result as recorded.
    result: String,
}

/// A summary of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameSummary {
    /// The first seat's outcome. None when both players failed: neither scores, and the game does
    /// not affect ratings.
    pub outcome: Option<GameOutcome>,
    /// The faults, by seat.
    pub faults: BySeat<Option<FaultCode>>,
    /// A fingerprint that identical games share: a hash of the players by seat, the luck, all
    /// actions and the result. None for a game without actions.
    pub fingerprint: Option<NonZeroU64>,
}

impl GameSummary {
    /// Summarizes a record.
    ///
    /// # Errors
    ///
    /// If the record's result is neither a seat nor `draw`.
    pub fn of(game: &GameRecord) -> Result<Self, UnknownResult> {
        let faults = BySeat::from_fn(|seat| game.fault_of(seat).map(|fault| fault.code));
        let result = result(&game.players.names, &game.result)
            .ok_or_else(|| UnknownResult { id: game.id.clone(), result: game.result.clone() })?;
        Ok(Self::new(result, faults, fingerprint(game)))
    }

    /// The summary of a game with this recorded result, these faults and this fingerprint.
    pub(crate) fn new(
        result: GameOutcome,
        faults: BySeat<Option<FaultCode>>,
        fingerprint: Option<NonZeroU64>,
    ) -> Self {
        let both_failed = faults.first.is_some() && faults.second.is_some();
        Self { outcome: (!both_failed).then_some(result), faults, fingerprint }
    }

    /// The scores by seat in half points: 2 for a win, 1 for a draw, 0 for a loss or a double
    /// fault.
    pub fn halves(self) -> BySeat<usize> {
        self.outcome.map_or(BySeat::new(0, 0), |outcome| {
            BySeat::new(outcome.halves(), GameOutcome::Win.halves() - outcome.halves())
        })
    }

    /// The game as input for ratings, between players with these numbers.
    pub fn between(self, players: BySeat<usize>, pair: u32) -> PlayedGame {
        PlayedGame {
            first: players.first,
            second: players.second,
            pair,
            outcome: self.outcome,
            forfeits: [self.faults.first.is_some(), self.faults.second.is_some()],
            fingerprint: self.fingerprint,
        }
    }

    /// Whether a fault ended the game.
    pub fn is_faulted(self) -> bool {
        self.faults.first.is_some() || self.faults.second.is_some()
    }
}

/// The first seat's result, recorded as one of these seats or `draw`; `None` if it is neither. A
/// double fault is recorded as a draw.
pub(crate) fn result(seats: &BySeat<impl AsRef<str>>, result: &str) -> Option<GameOutcome> {
    match result {
        "draw" => Some(GameOutcome::Draw),
        won if won == seats[Seat::First].as_ref() => Some(GameOutcome::Win),
        won if won == seats[Seat::Second].as_ref() => Some(GameOutcome::Loss),
        _ => None,
    }
}

/// The [fingerprint](GameSummary::fingerprint) of a game.
pub(crate) fn fingerprint(game: &GameRecord) -> Option<NonZeroU64> {
    if game.actions.is_empty() {
        return None;
    }
    // Hashing the whole is faster than hashing many short pieces.
    let mut whole = Vec::with_capacity(1024);
    let mut put = |text: &str| {
        whole.extend_from_slice(&(text.len() as u64).to_le_bytes());
        whole.extend_from_slice(text.as_bytes());
    };
    for text in [&game.players[Seat::First], &game.players[Seat::Second], &game.result] {
        put(text);
    }
    if !game.options.is_empty() {
        put(&serde_json::to_string(&game.options).unwrap_or_default());
    }
    for list in [&game.opening, &game.rolls, &game.actions] {
        put(&list.len().to_string());
        for text in list {
            put(text);
        }
    }
    let mut start = [0; 8];
    start.copy_from_slice(&blake3::hash(&whole).as_bytes()[..8]);
    NonZeroU64::new(u64::from_le_bytes(start)).or(Some(NonZeroU64::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::examples::{faulty, game};

    #[test]
    fn a_double_fault_scores_zero_for_both() {
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Timeout)];
        let both_failed =
            GameSummary::of(&faulty(game("ant", "bee", "draw"), &both)).expect("a result");
        assert_eq!((both_failed.outcome, both_failed.halves()), (None, BySeat::new(0, 0)));
        let drawn = GameSummary::of(&game("ant", "bee", "draw")).expect("a result");
        assert_eq!(drawn.halves(), BySeat::new(1, 1));
    }

    #[test]
    fn a_game_takes_sixteen_bytes() {
        assert_eq!(size_of::<Option<GameSummary>>(), 16);
    }
}
