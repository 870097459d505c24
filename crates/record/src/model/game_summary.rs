//! A compact summary of a game, as results need it.

use std::num::NonZeroU64;

use crate::model::fault::FaultCode;
use crate::model::fixture::Lineup;
use crate::model::record::GameRecord;
use referee_games::{BySeat, Places, SEATS, Seat, SeatMap};
use referee_ratings::{
    Compared, GameOutcome, PlayedGame, Results, ScoredGame, ScoredGames, SeatedEnding, SeatedGame,
};

/// A record says neither who won nor who had which place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("game {id:?}: the result {result:?} is neither a seat nor `draw`, and `places` is missing")]
pub struct UnknownResult {
    /// The game's id.
    id: String,
    /// The result as recorded.
    result: String,
}

/// A summary of a finished game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameSummary {
    /// The places by seat. Two that failed are not compared, regardless of their places.
    pub places: Places,
    /// The faults, by seat.
    pub faults: SummaryFaults,
    /// How often the game was void before, because the player at this seat could not reach its
    /// service.
    pub outages: SummaryOutages,
    /// A fingerprint that identical games share: a hash of the players by seat, the luck, all
    /// actions and the result. None for a game without actions.
    pub fingerprint: Option<NonZeroU64>,
}

impl GameSummary {
    /// Summarizes a record.
    ///
    /// # Errors
    ///
    /// If the record's result is neither a seat nor `draw`, or no game can end with its places.
    pub fn from_record(game: &GameRecord) -> Result<Self, UnknownResult> {
        let code = |seat| Some((seat, game.fault_of(seat)?.code));
        let faults = game.players.seats().filter_map(code).collect();
        let unknown = || UnknownResult { id: game.id.clone(), result: game.result.clone() };
        Ok(Self {
            places: game.places().ok_or_else(unknown)?,
            faults,
            outages: game.outages.by_seat(&game.players.names),
            fingerprint: game_fingerprint(game),
        })
    }

    /// The summary of a game with these places and nothing else.
    pub fn from_places(places: Places) -> Self {
        let (faults, outages) = (SummaryFaults::default(), SummaryOutages::default());
        Self { places, faults, outages, fingerprint: None }
    }

    /// The summary of a game for two that the first seat won, drew or lost.
    pub fn from_outcome(outcome: GameOutcome) -> Self {
        let places = match outcome {
            GameOutcome::Win => Places::won_by(Seat::FIRST, 2),
            GameOutcome::Draw => Places::level(2),
            GameOutcome::Loss => Places::won_by(Seat::SECOND, 2),
        };
        Self::from_places(places)
    }

    /// The first seat's outcome in a game for two. None when both players failed: neither scores,
    /// and the game does not affect ratings.
    pub fn outcome(self) -> Option<GameOutcome> {
        let outcome = match self.places.half_points(Seat::FIRST, Seat::SECOND) {
            2 => GameOutcome::Win,
            1 => GameOutcome::Draw,
            _ => GameOutcome::Loss,
        };
        (self.faults.count() < 2).then_some(outcome)
    }

    /// The half points of each seat against all others together: 2 for each that it is ahead of, 1
    /// for each that is level with it. None between two that failed.
    pub fn halves(self) -> BySeat<usize> {
        BySeat::from_fn(self.places.seats(), |seat| {
            Seat::all(self.places.seats())
                .filter(|&other| other != seat)
                .map(|other| usize::from(self.halves_between(seat, other)))
                .sum()
        })
    }

    /// The half points of `one` in its comparison with `other`: 2 if it is ahead, 1 if they are level,
    /// else 0, and 0 for both if both failed.
    pub fn halves_between(self, one: Seat, other: Seat) -> u8 {
        let both_failed = self.faults.of(one).is_some() && self.faults.of(other).is_some();
        if both_failed { 0 } else { self.places.half_points(one, other) }
    }

    /// The two seats of each comparison that counts for ratings, and the outcome for the first one.
    pub fn comparisons(self, players: Lineup, compared: Compared) -> Vec<([Seat; 2], GameOutcome)> {
        let mut found = Vec::new();
        self.seated(players, None, |game| {
            let all = game.comparisons(compared);
            found.extend(all.map(|(seats, outcome)| (seats.map(Seat::new), outcome)));
        });
        found
    }

    /// The game for two as input for ratings, between players with these numbers.
    pub fn between(self, players: Lineup, pair: u32) -> PlayedGame {
        PlayedGame {
            first: players.at(Seat::FIRST),
            second: players.at(Seat::SECOND),
            pair,
            outcome: self.outcome(),
            forfeits: [Seat::FIRST, Seat::SECOND].map(|seat| self.faults.of(seat).is_some()),
            fingerprint: self.fingerprint,
        }
    }

    /// Adds the game between players with these numbers to results; without the number of its deal,
    /// as a game by itself.
    ///
    /// # Panics
    /// A number is out of range, or these are results of another number of seats.
    pub fn add_to(self, results: &mut Results, players: Lineup, deal: Option<u32>) {
        match (results.table(), deal) {
            (Some(_), _) => self.seated(players, deal, |game| results.add_seated(game)),
            (None, Some(pair)) => results.add(self.between(players, pair)),
            (None, None) => results.add_unpaired(self.between(players, 0)),
        }
    }

    /// Adds the game to those in which points may count, with its final scores by seat if it has
    /// some.
    ///
    /// # Panics
    /// A number is out of range, or these are games of another number of seats.
    pub fn add_scores_to(
        self,
        games: &mut ScoredGames,
        players: Lineup,
        deal: Option<u32>,
        scores: Option<&[f64]>,
    ) {
        self.seated(players, deal, |game| games.add(&ScoredGame::from_seated(game, scores)));
    }

    /// Adds to results only how the game ended for its players. It neither scores nor affects
    /// ratings.
    ///
    /// # Panics
    /// A number is out of range, or these are results of another number of seats.
    pub fn add_completion_to(self, results: &mut Results, players: Lineup) {
        match results.table() {
            Some(_) => self.seated(players, None, |game| results.add_seated_completion(game)),
            None => results.add_completion(self.between(players, 0)),
        }
    }

    /// Calls `with` with the game as ratings for any number of seats count it.
    fn seated(self, players: Lineup, deal: Option<u32>, with: impl FnOnce(&SeatedGame<'_>)) {
        let players: Vec<usize> = players.players().collect();
        let seats = Seat::all(self.places.seats());
        let places: Vec<u32> =
            seats.clone().map(|seat| self.places.place_of(seat).into()).collect();
        let forfeits: Vec<bool> = seats.map(|seat| self.faults.of(seat).is_some()).collect();
        with(&SeatedGame {
            players: &players,
            places: &places,
            forfeits: &forfeits,
            ending: if self.is_faulted() { SeatedEnding::Fault } else { SeatedEnding::Rules },
            deal,
            fingerprint: self.fingerprint,
        });
    }

    /// Whether a fault ended the game.
    pub fn is_faulted(self) -> bool {
        !self.faults.is_empty()
    }
}

/// The faults of a game by seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SummaryFaults {
    /// 0 without a fault, else the position of the code in [`FaultCode::ALL`], from 1.
    digits: SummaryDigits,
}

impl SummaryFaults {
    /// The fault of `seat`, if any.
    pub fn of(self, seat: Seat) -> Option<FaultCode> {
        FaultCode::ALL.get(usize::from(self.digits.of(seat)).checked_sub(1)?).copied()
    }

    /// How many players failed.
    pub fn count(self) -> usize {
        Seat::all(*SEATS.end()).filter(|&seat| self.of(seat).is_some()).count()
    }

    /// Whether no player failed.
    pub fn is_empty(self) -> bool {
        self.digits == SummaryDigits::default()
    }
}

impl FromIterator<(Seat, FaultCode)> for SummaryFaults {
    fn from_iter<I: IntoIterator<Item = (Seat, FaultCode)>>(faults: I) -> Self {
        let number = |code| FaultCode::ALL.iter().position(|it| *it == code).map_or(0, |at| at + 1);
        let digit = |(seat, code)| (seat, number(code));
        Self { digits: faults.into_iter().map(digit).collect() }
    }
}

/// A number from 0 to 15 for each seat, in four bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct SummaryDigits(u64);

impl SummaryDigits {
    fn of(self, seat: Seat) -> u8 {
        (self.0 >> (4 * seat.index()) & 15) as u8
    }
}

/// Larger numbers become 15.
impl FromIterator<(Seat, usize)> for SummaryDigits {
    fn from_iter<I: IntoIterator<Item = (Seat, usize)>>(numbers: I) -> Self {
        let shifted = |(seat, number): (Seat, usize)| (number.min(15) as u64) << (4 * seat.index());
        Self(numbers.into_iter().map(shifted).fold(0, |all, one| all | one))
    }
}

/// How often a game was void because players could not reach their services, by seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SummaryOutages {
    counts: SummaryDigits,
}

impl SummaryOutages {
    /// The count of `seat`.
    pub fn of(self, seat: Seat) -> u8 {
        self.counts.of(seat)
    }
}

impl FromIterator<(Seat, u8)> for SummaryOutages {
    fn from_iter<I: IntoIterator<Item = (Seat, u8)>>(counts: I) -> Self {
        let counts = counts.into_iter().map(|(seat, count)| (seat, usize::from(count)));
        Self { counts: counts.collect() }
    }
}

/// The places in a game of these seats: those recorded, or if there are two seats those of the
/// winner that is recorded, or of a `draw`. A double fault is recorded as a draw. `None` if these are
/// places that no game ends with.
pub(crate) fn summarize_places(
    seats: &BySeat<impl AsRef<str>>,
    result: &str,
    recorded: Option<&SeatMap<u8>>,
) -> Option<Places> {
    if seats.len() > 2 {
        let recorded = recorded.filter(|places| {
            let names = places.names.values().iter().map(AsRef::as_ref);
            names.eq(seats.values().iter().map(AsRef::as_ref))
        })?;
        return Places::from_listed(&recorded.values.as_ref().map(|place| place.wrapping_sub(1)));
    }
    if result == "draw" {
        return Some(Places::level(2));
    }
    let winner = seats.seats().find(|&seat| seats[seat].as_ref() == result)?;
    Some(Places::won_by(winner, 2))
}

/// The [fingerprint](GameSummary::fingerprint) of a game.
pub(crate) fn game_fingerprint(game: &GameRecord) -> Option<NonZeroU64> {
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
    match &game.places {
        None => put(&game.result),
        Some(places) => put(&format!("{:?}", places.values)),
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
            GameSummary::from_record(&faulty(game("ant", "bee", "draw"), &both)).expect("a result");
        assert_eq!((both_failed.outcome(), both_failed.halves()), (None, [0, 0].into()));
        let drawn = GameSummary::from_record(&game("ant", "bee", "draw")).expect("a result");
        assert_eq!(drawn.halves(), [1, 1].into());
    }

    #[test]
    fn a_game_takes_forty_bytes() {
        assert_eq!(size_of::<Option<GameSummary>>(), 40);
    }

    #[test]
    fn every_seat_has_a_digit_for_every_fault() {
        let codes = FaultCode::ALL.iter().copied().cycle();
        let faults: Vec<(Seat, FaultCode)> = Seat::all(16).zip(codes).collect();
        let kept: SummaryFaults = faults.iter().copied().collect();
        assert!(faults.iter().all(|&(seat, code)| kept.of(seat) == Some(code)));
        assert_eq!(SummaryFaults::default().of(Seat::FIRST), None);
    }
}
