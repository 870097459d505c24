//! The results of a tournament, summed: all that tables and ratings need of the games.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::pairs::{GameOutcome, PairCounts, Side};
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

/// Whether games that ended in a fault count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Faulted {
    /// As any other game.
    #[default]
    Count,
    /// As if they had not been played; the faults themselves are still counted.
    LeaveOut,
}

/// A place in the schedule, as far as results need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The number of the player at the first seat.
    pub first: usize,
    /// The number of the player at the second seat.
    pub second: usize,
    /// The number of the pair among those of these two players.
    pub pair: u32,
}

/// The summed results of a tournament. No game is kept: its size grows with the number of
/// pairings, and by one number a game to know copies by.
///
/// Players are numbered in the order of their names as given, from 0. All games count in the
/// scores; a copy of an earlier game (the same players at the same seats, the same luck, actions
/// and result) tells nothing new and is left out of what ratings are fitted to.
#[derive(Debug, Clone)]
pub struct Tally {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    faulted: Faulted,
    /// Row: the player at the first seat; column: the one at the second; from the first's side.
    grid: Vec<Outcomes>,
    faults: Vec<FaultCounts>,
    /// By the two players' numbers, the lower number being the upper player.
    pairs: BTreeMap<(usize, usize), PairCounts>,
    /// Games whose partner has not come yet.
    open: BTreeMap<(usize, usize, u32), (usize, GameOutcome)>,
    seen: HashSet<u64>,
    /// Copies by first and second player.
    copies: BTreeMap<(usize, usize), u32>,
}

impl Tally {
    /// A tally without games for players of these (distinct) names.
    pub fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            numbers: names.iter().cloned().enumerate().map(|(n, name)| (name, n)).collect(),
            faulted: Faulted::Count,
            grid: vec![Outcomes::default(); names.len() * names.len()],
            faults: vec![FaultCounts::new(); names.len()],
            pairs: BTreeMap::new(),
            open: BTreeMap::new(),
            seen: HashSet::new(),
            copies: BTreeMap::new(),
        }
    }

    /// The same, with or without games that ended in a fault.
    #[must_use]
    pub fn with(self, faulted: Faulted) -> Self {
        Self { faulted, ..self }
    }

    /// Counts a game. On an error nothing is counted.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), RatingError> {
        let first = self.number(&game.players[Seat::First])?;
        let second = self.number(&game.players[Seat::Second])?;
        if first == second {
            return Err(RatingError::SelfPlay(self.names[first].clone()));
        }
        let outcome = outcome(game)?;
        let players = BySeat::new(first, second);
        for seat in Seat::BOTH {
            if let Some(fault) = game.fault_of(seat) {
                *self.faults[players[seat]].entry(fault.code).or_default() += 1;
            }
        }
        if game.fault.is_some() && self.faulted == Faulted::LeaveOut {
            return Ok(());
        }
        let place = Place { first, second, pair: game.pair };
        if fingerprint(game).is_none_or(|print| self.seen.insert(print)) {
            self.add_outcome(place, outcome);
        } else {
            self.count(place, outcome);
            *self.copies.entry((first, second)).or_default() += 1;
        }
        Ok(())
    }

    /// Counts a game of which only the players and the outcome are known; never as a copy.
    ///
    /// # Panics
    ///
    /// When there is no such player.
    pub fn add_outcome(&mut self, place: Place, outcome: GameOutcome) {
        self.count(place, outcome);
        let Place { first, second, pair } = place;
        let (upper, lower) = (first.min(second), first.max(second));
        let counts = self.pairs.entry((upper, lower)).or_default();
        match self.open.remove(&(upper, lower, pair)) {
            Some((other, earlier)) if other == second => {
                if first == upper {
                    counts.add(outcome, earlier);
                } else {
                    counts.add(earlier, outcome);
                }
            }
            unrelated => {
                if let Some((other, earlier)) = unrelated {
                    counts.add_single(side(other, upper), earlier);
                }
                self.open.insert((upper, lower, pair), (first, outcome));
            }
        }
    }

    fn count(&mut self, place: Place, outcome: GameOutcome) {
        let cell = &mut self.grid[place.first * self.names.len() + place.second];
        *cell = cell.plus(Outcomes::from(outcome));
    }

    /// What ratings are fitted to: for each two players that met, the upper's number (the lower
    /// of the two), the lower's, and their pairs without copies.
    pub fn pairings(&self) -> Vec<(usize, usize, PairCounts)> {
        let mut all = self.pairs.clone();
        for (&(upper, lower, _), &(first, outcome)) in &self.open {
            all.entry((upper, lower)).or_default().add_single(side(first, upper), outcome);
        }
        all.into_iter().map(|((upper, lower), counts)| (upper, lower, counts)).collect()
    }

    /// How many games are copies of earlier ones, by first and second player; only where there
    /// are any.
    pub fn copies(&self) -> &BTreeMap<(usize, usize), u32> {
        &self.copies
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

impl From<GameOutcome> for Outcomes {
    fn from(outcome: GameOutcome) -> Self {
        let none = Self::default();
        match outcome {
            GameOutcome::Win => Self { wins: 1, ..none },
            GameOutcome::Draw => Self { draws: 1, ..none },
            GameOutcome::Loss => Self { losses: 1, ..none },
        }
    }
}

fn side(first: usize, upper: usize) -> Side {
    if first == upper { Side::Upper } else { Side::Lower }
}

/// What the first seat made of a game.
pub fn outcome(game: &GameRecord) -> Result<GameOutcome, RatingError> {
    let names = &game.players.names;
    match game.result.as_str() {
        "draw" => Ok(GameOutcome::Draw),
        won if won == names[Seat::First] => Ok(GameOutcome::Win),
        won if won == names[Seat::Second] => Ok(GameOutcome::Loss),
        other => Err(RatingError::UnknownResult { id: game.id.clone(), result: other.to_owned() }),
    }
}

/// A hash that copies of a game share: of the players by seat, the luck, all actions and the
/// result. None for a game without an action, which nothing was copied in.
pub fn fingerprint(game: &GameRecord) -> Option<u64> {
    if game.actions.is_empty() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    let mut put = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for text in [&game.players[Seat::First], &game.players[Seat::Second], &game.result] {
        put(text);
    }
    for list in [&game.opening, &game.rolls, &game.actions] {
        put(&list.len().to_string());
        for text in list {
            put(text);
        }
    }
    let mut start = [0; 8];
    start.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    Some(u64::from_le_bytes(start))
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
                wall_ns: 3_100_000,
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

    /// The same game as the first of a pair of its own, and a copy of no other.
    pub(crate) fn distinct(game: GameRecord, number: u32) -> GameRecord {
        GameRecord { pair: number, actions: vec![format!("a{number}")], ..game }
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
        for (number, &(first, second, result)) in (1..).zip(games) {
            let game = distinct(game(names[first], names[second], result), number);
            tally.add(&game).expect("known players");
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

    /// One game of pair `pair`, told apart by `action`.
    fn played(first: &str, second: &str, result: &str, pair: u32, action: &str) -> GameRecord {
        GameRecord { pair, actions: vec![action.into()], ..game(first, second, result) }
    }

    #[test]
    fn the_two_games_of_a_pair_find_each_other() {
        let mut tally = tally(&["ant", "bee"], &[]);
        for game in [
            played("bee", "ant", "white", 1, "a"),
            played("ant", "bee", "draw", 2, "b"),
            played("ant", "bee", "black", 1, "c"),
        ] {
            tally.add(&game).expect("known players");
        }
        let [(0, 1, counts)] = tally.pairings()[..] else { panic!("one pairing") };
        let lost = (GameOutcome::Loss, GameOutcome::Win, 1);
        assert_eq!(counts.cells().collect::<Vec<_>>(), [lost]);
        assert_eq!((counts.singles(Side::Upper), counts.singles(Side::Lower)), (1, 0));
    }

    #[test]
    fn a_copy_scores_but_is_not_rated() {
        let mut tally = tally(&["ant", "bee"], &[]);
        for pair in 1..=3 {
            tally.add(&played("ant", "bee", "white", pair, "a")).expect("known players");
            tally.add(&played("bee", "ant", "draw", pair, "a")).expect("known players");
        }
        assert_eq!(tally.of(0), Outcomes { wins: 3, draws: 3, losses: 0 });
        assert_eq!(tally.copies(), &BTreeMap::from([((0, 1), 2), ((1, 0), 2)]));
        let [(0, 1, counts)] = tally.pairings()[..] else { panic!("one pairing") };
        assert_eq!((counts.pairs(), counts.games(Side::Upper)), (1, [1, 0, 0]));
    }

    #[test]
    fn games_without_an_action_are_no_copies() {
        let mut tally = tally(&["ant", "bee"], &[]);
        for pair in 1..=3 {
            let crashed = GameRecord { pair, actions: vec![], ..game("ant", "bee", "white") };
            tally.add(&crashed).expect("known players");
        }
        assert!(tally.copies().is_empty());
    }

    #[test]
    fn faulted_games_can_be_left_out() {
        let owned = ["ant", "bee"].map(str::to_owned);
        let mut tally = Tally::new(&owned).with(Faulted::LeaveOut);
        let late = faulty(game("ant", "bee", "white"), &[("black", FaultCode::Timeout)]);
        tally.add(&late).expect("known players");
        tally.add(&played("ant", "bee", "black", 2, "x")).expect("known players");
        assert_eq!(tally.of(1), Outcomes { wins: 1, draws: 0, losses: 0 });
        assert_eq!(tally.faults(1), &FaultCounts::from([(FaultCode::Timeout, 1)]));
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
