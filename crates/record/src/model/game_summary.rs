//! A compact summary of a game, as results need it.

use std::num::NonZeroU64;

use crate::model::fault::FaultCode;
use crate::model::fixture::Lineup;
use crate::model::record::GameRecord;
use referee_games::{BySeat, SEATS, Seat};
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
    pub faults: SeatFaults,
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
        let code = |seat| Some((seat, game.fault_of(seat)?.code));
        let faults = game.players.seats().filter_map(code).collect();
        let result = result(&game.players.names, &game.result)
            .ok_or_else(|| UnknownResult { id: game.id.clone(), result: game.result.clone() })?;
        Ok(Self::new(result, faults, fingerprint(game)))
    }

    /// The summary of a game with this recorded result, these faults and this fingerprint.
    pub(crate) fn new(
        result: GameOutcome,
        faults: SeatFaults,
        fingerprint: Option<NonZeroU64>,
    ) -> Self {
        let both_failed = Seat::all(2).all(|seat| faults.of(seat).is_some());
        Self { outcome: (!both_failed).then_some(result), faults, fingerprint }
    }

    /// The scores by seat in half points: 2 for a win, 1 for a draw, 0 for a loss or a double
    /// fault.
    pub fn halves(self) -> BySeat<usize> {
        self.outcome.map_or([0, 0].into(), |outcome| {
            BySeat::from([outcome.halves(), GameOutcome::Win.halves() - outcome.halves()])
        })
    }

    /// The game as input for ratings, between players with these numbers.
    pub fn between(self, players: Lineup, pair: u32) -> PlayedGame {
        PlayedGame {
            first: players.at(Seat::FIRST),
            second: players.at(Seat::SECOND),
            pair,
            outcome: self.outcome,
            forfeits: [Seat::FIRST, Seat::SECOND].map(|seat| self.faults.of(seat).is_some()),
            fingerprint: self.fingerprint,
        }
    }

    /// Whether a fault ended the game.
    pub fn is_faulted(self) -> bool {
        !self.faults.is_empty()
    }
}

/// The faults of a game by seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SeatFaults {
    /// Four bits for each seat: 0 without a fault, else the position of the code in
    /// [`FaultCode::ALL`], from 1.
    digits: u64,
}

impl SeatFaults {
    /// The fault of `seat`, if any.
    pub fn of(self, seat: Seat) -> Option<FaultCode> {
        let digit = self.digits >> (4 * seat.index()) & 15;
        FaultCode::ALL.get((digit as usize).checked_sub(1)?).copied()
    }

    /// How many players failed.
    pub fn count(self) -> usize {
        Seat::all(*SEATS.end()).filter(|&seat| self.of(seat).is_some()).count()
    }

    /// Whether no player failed.
    pub fn is_empty(self) -> bool {
        self.digits == 0
    }
}

impl FromIterator<(Seat, FaultCode)> for SeatFaults {
    fn from_iter<I: IntoIterator<Item = (Seat, FaultCode)>>(faults: I) -> Self {
        let digit = |(seat, code): (Seat, FaultCode)| {
            let number = FaultCode::ALL.iter().position(|it| *it == code).map_or(0, |at| at + 1);
            (number as u64) << (4 * seat.index())
        };
        Self { digits: faults.into_iter().map(digit).fold(0, |all, one| all | one) }
    }
}

/// The first seat's result, recorded as one of these seats or `draw`; `None` if it is neither. A
/// double fault is recorded as a draw.
pub(crate) fn result(seats: &BySeat<impl AsRef<str>>, result: &str) -> Option<GameOutcome> {
    match result {
        "draw" => Some(GameOutcome::Draw),
        won if won == seats[Seat::FIRST].as_ref() => Some(GameOutcome::Win),
        won if won == seats[Seat::SECOND].as_ref() => Some(GameOutcome::Loss),
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
    game.players.values.values().iter().for_each(|name| put(name));
    put(&game.result);
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
        assert_eq!((both_failed.outcome, both_failed.halves()), (None, [0, 0].into()));
        let drawn = GameSummary::of(&game("ant", "bee", "draw")).expect("a result");
        assert_eq!(drawn.halves(), [1, 1].into());
    }

    #[test]
    fn a_game_takes_twenty_four_bytes() {
        assert_eq!(size_of::<Option<GameSummary>>(), 24);
    }

    #[test]
    fn every_seat_has_a_digit_for_every_fault() {
        let codes = FaultCode::ALL.iter().copied().cycle();
        let faults: Vec<(Seat, FaultCode)> = Seat::all(16).zip(codes).collect();
        let kept: SeatFaults = faults.iter().copied().collect();
        assert!(faults.iter().all(|&(seat, code)| kept.of(seat) == Some(code)));
        assert_eq!(SeatFaults::default().of(Seat::FIRST), None);
    }
}
