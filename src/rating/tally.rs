//! The results of a tournament, summed: all that tables and ratings need of the games.

use std::collections::{BTreeMap, HashMap};

use super::{Points, RatingError};
use crate::fault::FaultCode;
use crate::record::GameRecord;
use crate::rules::{BySeat, Seat};

/// How often a player made each fault; codes that did not happen are absent.
pub type FaultCounts = BTreeMap<FaultCode, u32>;

/// Wins, draws and losses, counted from one player's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Outcomes {
    /// How many games there were.
    pub fn games(self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// What they scored.
    pub fn score(self) -> Points {
        Points::of(self.wins, self.draws)
    }

    /// The same games from the opponent's side.
    #[must_use]
    pub fn flipped(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl std::iter::Sum for Outcomes {
    fn sum<I: Iterator<Item = Self>>(outcomes: I) -> Self {
        outcomes.fold(Self::default(), Self::plus)
    }
}

/// The summed results of a tournament. Its size depends on the number of players alone.
///
/// Players are numbered in the order of their names as given, from 0.
#[derive(Debug, Clone)]
pub struct Tally {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    /// Row: the player at the first seat; column: the one at the second; from the first's side.
    grid: Vec<Outcomes>,
    faults: Vec<FaultCounts>,
}

impl Tally {
    /// A tally without games for players of these (distinct) names.
    pub fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            numbers: names.iter().cloned().enumerate().map(|(n, name)| (name, n)).collect(),
            grid: vec![Outcomes::default(); names.len() * names.len()],
            faults: vec![FaultCounts::new(); names.len()],
        }
    }

    /// Counts a game. On an error nothing is counted.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RatingError> {
        let first = self.number(&game.players[Seat::First])?;
        let second = self.number(&game.players[Seat::Second])?;
        if first == second {
            return Err(RatingError::SelfPlay(self.names[first].clone()));
        }
        let outcome = outcome(game)?;
        let cell = &mut self.grid[first * self.names.len() + second];
        *cell = cell.plus(outcome);
        let players = BySeat::new(first, second);
        for seat in Seat::BOTH {
            if let Some(fault) = game.fault_of(seat) {
                *self.faults[players[seat]].entry(fault.code).or_default() += 1;
            }
        }
        Ok(())
    }

    /// The players' names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of the player called `name`.
    pub fn number(&self, name: &str) -> Result<usize, RatingError> {
        let number = self.numbers.get(name).copied();
        number.ok_or_else(|| RatingError::UnknownPlayer(name.to_owned()))
    }

    /// The games of `first` at the first seat against `second`, from the side of `first`.
    ///
    /// # Panics
    ///
    /// When there is no such player, as all that take a player's number.
    pub fn pairing(&self, first: usize, second: usize) -> Outcomes {
        self.grid[first * self.names.len() + second]
    }

    /// All games of `player` against `opponent`, at either seat, from the side of `player`.
    pub fn between(&self, player: usize, opponent: usize) -> Outcomes {
        self.pairing(player, opponent).plus(self.pairing(opponent, player).flipped())
    }

    /// All games of `player` at `seat`, from its side.
    pub fn at(&self, player: usize, seat: Seat) -> Outcomes {
        let opponents = 0..self.names.len();
        match seat {
            Seat::First => opponents.map(|other| self.pairing(player, other)).sum(),
            Seat::Second => opponents.map(|other| self.pairing(other, player).flipped()).sum(),
        }
    }

    /// All games of `player`, from its side.
    pub fn of(&self, player: usize) -> Outcomes {
        self.at(player, Seat::First).plus(self.at(player, Seat::Second))
    }

    /// The faults of `player`.
    pub fn faults(&self, player: usize) -> &FaultCounts {
        &self.faults[player]
    }

    /// All games, from the side of the first seat.
    pub fn total(&self) -> Outcomes {
        self.grid.iter().copied().sum()
    }
}

/// What the first seat made of a game.
fn outcome(game: &GameRecord) -> Result<Outcomes, RatingError> {
    let names = &game.players.names;
    let none = Outcomes::default();
    match game.result.as_str() {
        "draw" => Ok(Outcomes { draws: 1, ..none }),
        won if won == names[Seat::First] => Ok(Outcomes { wins: 1, ..none }),
        won if won == names[Seat::Second] => Ok(Outcomes { losses: 1, ..none }),
        other => Err(RatingError::UnknownResult { id: game.id.clone(), result: other.to_owned() }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fault::Fault;
    use crate::record::{ClockRecord, Score};
    use crate::rules::SeatMap;

    const SEATS: BySeat<&str> = BySeat::new("white", "black");

    /// A finished game between two players: `white`, `black` or `draw`.
    pub(crate) fn game(first: &str, second: &str, result: &str) -> GameRecord {
        let seats = |first, second| SeatMap::new(SEATS, BySeat::new(first, second));
        let score = match result {
            "white" => 1.0,
            "black" => 0.0,
            _ => 0.5,
        };
        GameRecord {
            id: format!("{first}-{second}-1-1"),
            pair: 1,
            game: 1,
            players: SeatMap::new(SEATS, BySeat::new(first.into(), second.into())),
            seed: SeatMap::new(SEATS, BySeat::new(1, 2)),
            rolls: Vec::new(),
            opening: Vec::new(),
            actions: vec!["a1".into(), "b2".into()],
            clock: ClockRecord {
                startup_ns: SeatMap::new(SEATS, BySeat::new(5, 6)),
                used_ns: SeatMap::new(SEATS, BySeat::new(vec![1_400_000, 700_000], vec![999_999])),
                cpu_ns: SeatMap::new(SEATS, BySeat::new(None, None)),
            },
            result: result.into(),
            reason: "elimination".into(),
            fault: None,
            scores: seats(Score(score), Score(1.0 - score)),
            plies: 2,
            warnings: Vec::new(),
            notes: Vec::new(),
            reported: None,
            void: Vec::new(),
        }
    }

    /// The same game with faults at these seats.
    pub(crate) fn faulty(mut game: GameRecord, faults: &[(&str, FaultCode)]) -> GameRecord {
        let fault = |&(seat, code): &(&str, _)| (seat.to_owned(), Fault::new(code, "why"));
        game.fault = Some(faults.iter().map(fault).collect());
        game
    }

    /// A tally of these games, `(first, second, result)`.
    pub(crate) fn tally(names: &[&str], games: &[(usize, usize, &str)]) -> Tally {
        let owned: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut tally = Tally::new(&owned);
        for &(first, second, result) in games {
            tally.add(&game(names[first], names[second], result)).expect("known players");
        }
        tally
    }

    /// Any small tournament of four players.
    pub(crate) fn any_tally() -> impl Strategy<Value = Tally> {
        let result = prop::sample::select(vec!["white", "black", "draw"]);
        let game = (0..4_usize, 1..4_usize, result);
        prop::collection::vec(game, 0..60).prop_map(|games| {
            let games: Vec<_> =
                games.into_iter().map(|(i, step, result)| (i, (i + step) % 4, result)).collect();
            tally(&["ant", "bee", "cat", "dog"], &games)
        })
    }

    #[test]
    fn results_are_counted_by_seat() {
        let tally = tally(&["ant", "bee"], &[(0, 1, "white"), (1, 0, "white"), (1, 0, "draw")]);
        assert_eq!(tally.pairing(1, 0), Outcomes { wins: 1, draws: 1, losses: 0 });
        assert_eq!(tally.between(0, 1), Outcomes { wins: 1, draws: 1, losses: 1 });
        assert_eq!(tally.at(0, Seat::First).score(), Points::of(1, 0));
        assert_eq!(tally.at(0, Seat::Second).score(), Points::of(0, 1));
    }

    #[test]
    fn a_double_fault_counts_for_both() {
        let mut tally = tally(&["ant", "bee"], &[]);
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Timeout)];
        tally.add(&faulty(game("bee", "ant", "draw"), &both)).expect("known players");
        assert_eq!(tally.faults(0), &FaultCounts::from([(FaultCode::Timeout, 1)]));
        assert_eq!(tally.faults(1), &FaultCounts::from([(FaultCode::Crash, 1)]));
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_not_counted() {
        let mut tally = tally(&["ant", "bee"], &[]);
        let unknown = tally.add(&game("ant", "eel", "white"));
        assert_eq!(unknown, Err(RatingError::UnknownPlayer("eel".into())));
        let own = tally.add(&game("ant", "ant", "white"));
        assert_eq!(own, Err(RatingError::SelfPlay("ant".into())));
        assert!(matches!(
            tally.add(&game("ant", "bee", "red")),
            Err(RatingError::UnknownResult { .. })
        ));
        assert_eq!(tally.total().games(), 0);
    }

    proptest! {
        #[test]
        fn every_game_gives_one_point(tally in any_tally()) {
            let points: Points = (0..4).map(|player| tally.of(player).score()).sum();
            prop_assert_eq!(points, Points::of(tally.total().games(), 0));
        }

        #[test]
        fn a_players_games_are_those_against_its_opponents(tally in any_tally()) {
            for player in 0..4 {
                let sum: Outcomes = (0..4).map(|other| tally.between(player, other)).sum();
                prop_assert_eq!(sum, tally.of(player));
            }
        }
    }
}
