//! The results of a tournament, summed: all that tables and ratings need of the games.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroU64;

use super::pairs::{GameOutcome, PairCounts, Side};
use super::played::{Conduct, Played};
use super::{Points, RatingError};
use crate::model::fault::FaultCode;
use crate::model::record::GameRecord;
use referee_games::{BySeat, Seat};

/// How often a player made each fault; codes that did not happen are absent.
pub type FaultCounts = BTreeMap<FaultCode, u32>;

/// Wins, draws and losses, counted from one player's side. Both players lose a game in which both
/// failed.
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

    /// One game, by what was scored in it in half points.
    fn of_halves(halves: usize) -> Self {
        let none = Self::default();
        match halves {
            0 => Self { losses: 1, ..none },
            1 => Self { draws: 1, ..none },
            _ => Self { wins: 1, ..none },
        }
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
/// scores. Two kinds of games are left out of what ratings are fitted to, because they tell
/// nothing: a copy of an earlier game (the same players at the same seats, the same luck, actions
/// and result), and a double fault.
#[derive(Debug, Clone)]
pub struct Tally {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
    faulted: Faulted,
    /// Row: the player at the first seat; column: the one at the second; each from its own side.
    grid: Vec<BySeat<Outcomes>>,
    faults: Vec<FaultCounts>,
    conduct: Vec<Conduct>,
    /// By the two players' numbers, the lower number being the upper player.
    pairs: BTreeMap<(usize, usize), PairCounts>,
    /// Games whose partner has not come yet.
    open: BTreeMap<(usize, usize, u32), (usize, GameOutcome)>,
    seen: HashSet<NonZeroU64>,
    /// Copies by first and second player.
    copies: BTreeMap<(usize, usize), u32>,
    /// By upper and lower player: how many of their last games, in a row, were copies.
    repeats: BTreeMap<(usize, usize), u32>,
}

impl Tally {
    /// A tally without games for players of these (distinct) names.
    pub fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            numbers: names.iter().cloned().enumerate().map(|(n, name)| (name, n)).collect(),
            faulted: Faulted::Count,
            grid: vec![
                BySeat::new(Outcomes::default(), Outcomes::default());
                names.len() * names.len()
            ],
            faults: vec![FaultCounts::new(); names.len()],
            conduct: vec![Conduct::default(); names.len()],
            pairs: BTreeMap::new(),
            open: BTreeMap::new(),
            seen: HashSet::new(),
            copies: BTreeMap::new(),
            repeats: BTreeMap::new(),
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
        let played = Played::of(game)?;
        self.add_played(Place { first, second, pair: game.pair }, played);
        Ok(())
    }

    /// Counts a game of which only the players and the outcome are known; never as a copy.
    ///
    /// # Panics
    ///
    /// When there is no such player.
    pub fn add_outcome(&mut self, place: Place, outcome: GameOutcome) {
        self.add_played(place, Played::by_rules(outcome));
    }

    /// Counts a game.
    ///
    /// # Panics
    ///
    /// When there is no such player.
    pub fn add_played(&mut self, place: Place, game: Played) {
        for (seat, player) in [(Seat::First, place.first), (Seat::Second, place.second)] {
            self.conduct[player].add(seat, game);
            if let Some(code) = game.faults[seat] {
                *self.faults[player].entry(code).or_default() += 1;
            }
        }
        if game.is_faulted() && self.faulted == Faulted::LeaveOut {
            return;
        }
        let cell = &mut self.grid[place.first * self.names.len() + place.second];
        for seat in Seat::BOTH {
            cell[seat] = cell[seat].plus(Outcomes::of_halves(game.halves()[seat]));
        }
        if let Some(outcome) = game.outcome {
            self.add_rated(place, outcome, game.print);
        }
    }

    /// Takes a game into what ratings are fitted to, unless it is a copy.
    fn add_rated(&mut self, place: Place, outcome: GameOutcome, print: Option<NonZeroU64>) {
        let Place { first, second, .. } = place;
        let repeats = self.repeats.entry((first.min(second), first.max(second))).or_default();
        let is_copy = print.is_some_and(|print| !self.seen.insert(print));
        if is_copy {
            *repeats += 1;
            *self.copies.entry((first, second)).or_default() += 1;
        } else {
            *repeats = 0;
            self.pair_up(place, outcome);
        }
    }

    /// Finds the other game of the pair, or lets this one wait for it.
    fn pair_up(&mut self, place: Place, outcome: GameOutcome) {
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

    /// How many of the last games of two players, in a row, were copies of earlier ones.
    pub fn repeats(&self, one: usize, other: usize) -> u32 {
        self.repeats.get(&(one.min(other), one.max(other))).copied().unwrap_or(0)
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
        self.cell(first, second).first
    }

    fn cell(&self, first: usize, second: usize) -> &BySeat<Outcomes> {
        &self.grid[first * self.names.len() + second]
    }

    /// All games of `player` against `opponent`, at either seat, from the side of `player`.
    pub fn between(&self, player: usize, opponent: usize) -> Outcomes {
        self.cell(player, opponent).first.plus(self.cell(opponent, player).second)
    }

    /// All games of `player` at `seat`, from its side.
    pub fn at(&self, player: usize, seat: Seat) -> Outcomes {
        let opponents = 0..self.names.len();
        match seat {
            Seat::First => opponents.map(|other| self.cell(player, other).first).sum(),
            Seat::Second => opponents.map(|other| self.cell(other, player).second).sum(),
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

    /// How `player` behaved in its games, those that [`Faulted`] leaves out included.
    pub fn conduct(&self, player: usize) -> Conduct {
        self.conduct[player]
    }

    /// All games, from the side of the first seat.
    pub fn total(&self) -> Outcomes {
        self.grid.iter().map(|cell| cell.first).sum()
    }
}

fn side(first: usize, upper: usize) -> Side {
    if first == upper { Side::Upper } else { Side::Lower }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::fault::Fault;
    use crate::model::record::{ClockRecord, Score};
    use referee_games::SeatMap;

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
    fn both_lose_a_double_fault_and_it_is_not_rated() {
        let mut tally = tally(&["ant", "bee"], &[(0, 1, "draw")]);
        let both = [("white", FaultCode::Crash), ("black", FaultCode::Timeout)];
        tally.add(&faulty(game("bee", "ant", "draw"), &both)).expect("known players");
        assert_eq!(tally.faults(0), &FaultCounts::from([(FaultCode::Timeout, 1)]));
        assert_eq!(tally.faults(1), &FaultCounts::from([(FaultCode::Crash, 1)]));
        let lost = Outcomes { wins: 0, draws: 1, losses: 1 };
        assert_eq!([tally.of(0), tally.between(1, 0), tally.total()], [lost; 3]);
        let [(0, 1, counts)] = tally.pairings()[..] else { panic!("one pairing") };
        assert_eq!((counts.pairs(), counts.singles(Side::Upper)), (0, 1));
        assert_eq!(tally.conduct(1), Conduct { finished: 1, failed: 1, spared: 0 });
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
        assert_eq!((tally.repeats(1, 0), tally.repeats(0, 0)), (4, 0));
        tally.add(&played("bee", "ant", "draw", 4, "new")).expect("known players");
        assert_eq!(tally.repeats(0, 1), 0);
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
        assert_eq!(tally.conduct(1).failed, 1, "what happened is known all the same");
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
