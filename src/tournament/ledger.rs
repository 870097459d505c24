//! Which games of a schedule are done, and who is out.
//!
//! A player is quarantined after so many faults in a row, counted in the order of the schedule:
//! a pure function of the log, whatever order the games were finished in. Its later games are
//! not played, and do not count where they were.

use super::schedule::{Fixture, Schedule};
use crate::record::GameRecord;
use crate::rules::{BySeat, Seat};

/// One byte a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Mark {
    done: bool,
    faults: BySeat<bool>,
}

/// The state of a schedule.
#[derive(Debug)]
pub struct Ledger {
    names: Vec<String>,
    schedule: Schedule,
    limit: u32,
    marks: Vec<Mark>,
    played: usize,
    /// Every game before it is done, or will not be played.
    frontier: usize,
    streak: Vec<u32>,
    /// The game that took a player out.
    out: Vec<Option<usize>>,
}

/// Why a record has no place in a ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    /// It is not a game of this schedule.
    Foreign,
    /// The game is there already.
    Double,
}

impl Ledger {
    /// An empty ledger for these players, with so many pairs a pairing; `limit` faults in a row
    /// take a player out, 0 for never.
    pub fn new(names: Vec<String>, pairs: u32, limit: u32) -> Self {
        let schedule = Schedule::new(&names, pairs);
        let marks = vec![Mark::default(); schedule.len()];
        let (streak, out) = (vec![0; names.len()], vec![None; names.len()]);
        Self { names, schedule, limit, marks, played: 0, frontier: 0, streak, out }
    }

    /// Games of the schedule.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// The schedule has no games.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Games that are done.
    pub fn played(&self) -> usize {
        self.played
    }

    /// The game at `index`.
    pub fn fixture(&self, index: usize) -> Fixture {
        self.schedule.fixture(index)
    }

    /// The name of a player.
    pub fn name(&self, player: usize) -> &str {
        &self.names[player]
    }

    /// The names of all players.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where a record belongs, if it is a game of this schedule under its own identity.
    pub fn place(&self, record: &GameRecord) -> Option<usize> {
        let number = |name: &str| self.names.iter().position(|known| known == name);
        let players = BySeat::new(
            number(&record.players[Seat::First])?,
            number(&record.players[Seat::Second])?,
        );
        let fixture = Fixture { players, pair: record.pair, game: record.game };
        let index = self.schedule.index(fixture)?;
        (self.id(index) == record.id).then_some(index)
    }

    /// The identity of the game at `index`.
    pub fn id(&self, index: usize) -> String {
        let Fixture { players, pair, game } = self.fixture(index);
        crate::seeds::game_id(self.name(players.first), self.name(players.second), pair, game)
    }

    /// Marks the game of a record as done.
    pub fn add(&mut self, record: &GameRecord) -> Result<usize, Misfit> {
        let index = self.place(record).ok_or(Misfit::Foreign)?;
        let mark = &mut self.marks[index];
        if mark.done {
            return Err(Misfit::Double);
        }
        let faults = BySeat::from_fn(|seat| record.fault_of(seat).is_some());
        *mark = Mark { done: true, faults };
        self.played += 1;
        self.advance();
        Ok(index)
    }

    /// The game at `index` is done.
    pub fn is_done(&self, index: usize) -> bool {
        self.marks[index].done
    }

    /// The game at `index` comes after one of its players was taken out.
    pub fn is_void(&self, index: usize) -> bool {
        let players = self.fixture(index).players;
        Seat::BOTH.into_iter().any(|seat| self.out[players[seat]].is_some_and(|last| last < index))
    }

    /// The first game from `from` on that is still to be played.
    pub fn next_due(&self, from: usize) -> Option<usize> {
        (from..self.len()).find(|&index| !self.marks[index].done && !self.is_void(index))
    }

    /// How many games are still to be played, as far as is known now.
    pub fn due(&self) -> usize {
        if self.out.iter().all(Option::is_none) {
            return self.len() - self.played;
        }
        (0..self.len()).filter(|&index| !self.marks[index].done && !self.is_void(index)).count()
    }

    /// The players that are out, each with the game that took it out.
    pub fn quarantined(&self) -> impl Iterator<Item = (usize, usize)> {
        self.out.iter().enumerate().filter_map(|(player, out)| out.map(|index| (player, index)))
    }

    fn advance(&mut self) {
        while self.frontier < self.len() {
            let mark = self.marks[self.frontier];
            let void = self.is_void(self.frontier);
            if !mark.done && !void {
                return;
            }
            if !void {
                self.count(self.frontier, mark);
            }
            self.frontier += 1;
        }
    }

    fn count(&mut self, index: usize, mark: Mark) {
        let players = self.fixture(index).players;
        for seat in Seat::BOTH {
            let player = players[seat];
            self.streak[player] = if mark.faults[seat] { self.streak[player] + 1 } else { 0 };
            if self.limit > 0 && self.streak[player] == self.limit {
                self.out[player] = Some(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fault::FaultCode;
    use crate::rating::tally::tests::{faulty, game};

    const NAMES: [&str; 4] = ["bee", "ant", "dog", "cat"];

    fn ledger(pairs: u32, limit: u32) -> Ledger {
        Ledger::new(NAMES.map(str::to_owned).to_vec(), pairs, limit)
    }

    /// The record of the game at `index`, with faults where `faults` says so.
    fn record(ledger: &Ledger, index: usize, faults: BySeat<bool>) -> GameRecord {
        let Fixture { players, pair, game: number } = ledger.fixture(index);
        let plain = game(ledger.name(players.first), ledger.name(players.second), "white");
        let codes = [(Seat::First, "white"), (Seat::Second, "black")];
        let made: Vec<_> = codes
            .into_iter()
            .filter(|&(seat, _)| faults[seat])
            .map(|(_, name)| (name, FaultCode::Crash))
            .collect();
        let plain = GameRecord { id: ledger.id(index), pair, game: number, ..plain };
        if made.is_empty() { plain } else { faulty(plain, &made) }
    }

    /// Who is out by which game, and which games count.
    fn state(ledger: &Ledger) -> (Vec<(usize, usize)>, Vec<bool>) {
        let counts = |index| ledger.is_done(index) && !ledger.is_void(index);
        (ledger.quarantined().collect(), (0..ledger.len()).map(counts).collect())
    }

    /// Faults by game, and an order in which the games are finished.
    fn course() -> impl Strategy<Value = (u32, u32, Vec<(bool, bool)>, Vec<usize>)> {
        (1_u32..4, 0_u32..4).prop_flat_map(|(pairs, limit)| {
            let games = ledger(pairs, limit).len();
            let faults = prop::collection::vec((any::<bool>(), any::<bool>()), games);
            let order = Just((0..games).collect::<Vec<_>>()).prop_shuffle();
            (Just(pairs), Just(limit), faults, order)
        })
    }

    proptest! {
        #[test]
        fn the_order_of_finishing_decides_nothing((pairs, limit, faults, order) in course()) {
            let of = |ledger: &Ledger, index: usize| {
                record(ledger, index, BySeat::new(faults[index].0, faults[index].1))
            };
            // In the order of the schedule nothing is played that does not count.
            let mut one_by_one = ledger(pairs, limit);
            let mut from = 0;
            while let Some(index) = one_by_one.next_due(from) {
                prop_assert_eq!(one_by_one.add(&of(&one_by_one, index)), Ok(index));
                from = index + 1;
            }
            prop_assert_eq!(one_by_one.due(), 0);

            // All games, and only those still due when their turn comes.
            let (mut all, mut due) = (ledger(pairs, limit), ledger(pairs, limit));
            for &index in &order {
                prop_assert_eq!(all.add(&of(&all, index)), Ok(index));
                if !due.is_void(index) {
                    prop_assert_eq!(due.add(&of(&due, index)), Ok(index));
                }
            }
            prop_assert_eq!(all.played(), all.len());
            prop_assert_eq!(due.next_due(0), None);
            prop_assert_eq!(state(&all), state(&one_by_one));
            prop_assert_eq!(state(&due), state(&one_by_one));
            if limit == 0 {
                prop_assert_eq!(all.quarantined().count(), 0);
            }
        }
    }

    #[test]
    fn a_clean_game_ends_a_streak() {
        let (pairs, bad) = (6, 0);
        let mut ledger = ledger(pairs, 3);
        let games: Vec<usize> =
            (0..ledger.len()).filter(|&at| ledger.fixture(at).seat_of(bad).is_some()).collect();
        let faults = [true, true, false, true, true, true];
        for (&index, &fault) in games.iter().zip(&faults) {
            let by = BySeat::from_fn(|seat| ledger.fixture(index).players[seat] == bad && fault);
            ledger.add(&record(&ledger, index, by)).expect("it belongs");
        }
        for index in 0..ledger.len() {
            if !ledger.is_done(index) && !ledger.is_void(index) {
                let clean = record(&ledger, index, BySeat::new(false, false));
                ledger.add(&clean).expect("it belongs");
            }
        }
        assert_eq!(ledger.quarantined().collect::<Vec<_>>(), [(bad, games[5])]);
    }

    #[test]
    fn what_does_not_belong_is_told_apart() {
        let mut ledger = ledger(1, 5);
        let one = record(&ledger, 0, BySeat::new(false, false));
        assert_eq!(ledger.add(&one), Ok(0));
        assert_eq!(ledger.add(&one), Err(Misfit::Double));
        for foreign in [
            GameRecord { id: "3f9a1c07be52-1".into(), ..one.clone() },
            GameRecord { pair: 2, ..one.clone() },
            GameRecord { game: 3, ..one.clone() },
            game("ant", "stranger", "white"),
        ] {
            assert_eq!(ledger.add(&foreign), Err(Misfit::Foreign));
        }
        assert_eq!((ledger.played(), ledger.due()), (1, ledger.len() - 1));
    }
}
