//! The round-robin, computed and not stored: which game stands at which place.
//!
//! Pair numbers are outermost, so that whatever is finished is balanced; within them the rounds
//! of the circle method; within a round its pairings; then the two games of a pair.

use crate::rules::{BySeat, Seat};

/// A round-robin of some players with `pairs` pairs a pairing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    players: usize,
    pairs: u32,
    /// The place of each player when all are sorted by name.
    by_name: Vec<usize>,
}

/// One game of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fixture {
    /// The players' numbers by seat.
    pub players: BySeat<usize>,
    /// The number of its pair among the pairs of these two, from 1.
    pub pair: u32,
    /// Which game of the pair: 1 or 2.
    pub game: u8,
}

impl Schedule {
    /// The schedule for players of these names, with so many pairs a pairing.
    pub fn new<S: AsRef<str>>(names: &[S], pairs: u32) -> Self {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by_key(|&player| names[player].as_ref());
        let mut by_name = vec![0; names.len()];
        for (place, player) in sorted.into_iter().enumerate() {
            by_name[player] = place;
        }
        Self { players: names.len(), pairs, by_name }
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        2 * self.pairings() * self.pairs as usize
    }

    /// There is nothing to play.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game at `index`.
    ///
    /// Who has the first seat depends on the two names and on the pair's number alone.
    #[expect(clippy::cast_possible_truncation, reason = "a pair's number is a u32 by construction")]
    pub fn fixture(&self, index: usize) -> Fixture {
        let (rest, game) = (index / 2, index % 2);
        let (pair, pairing) = (rest / self.pairings(), rest % self.pairings());
        let (one, other) = self.pairing(pairing);
        let in_order = self.by_name[one] < self.by_name[other];
        let swap = in_order == ((pair + game) % 2 == 1);
        let seats = if swap { BySeat::new(other, one) } else { BySeat::new(one, other) };
        Fixture { players: seats, pair: pair as u32 + 1, game: game as u8 + 1 }
    }

    /// Where a game stands, if it belongs to this schedule.
    pub fn index(&self, fixture: Fixture) -> Option<usize> {
        let BySeat { first, second } = fixture.players;
        let (low, high) = (first.min(second), first.max(second));
        if high >= self.players || low == high || !(1..=self.pairs).contains(&fixture.pair) {
            return None;
        }
        let pairing = self.place(low, high);
        let pair = fixture.pair as usize - 1;
        let index =
            2 * (pair * self.pairings() + pairing) + usize::from(fixture.game.checked_sub(1)?);
        (fixture.game <= 2 && self.fixture(index) == fixture).then_some(index)
    }

    fn pairings(&self) -> usize {
        self.players * self.players.saturating_sub(1) / 2
    }

    /// Players of the circle: an even number, the last a bye where the players are odd.
    fn circle(&self) -> usize {
        self.players + self.players % 2
    }

    /// Pairings a round: one fewer where a bye takes a place.
    fn tables(&self) -> usize {
        self.players / 2
    }

    /// The two players of a pairing, the lower number first.
    fn pairing(&self, place: usize) -> (usize, usize) {
        let (round, table) = (place / self.tables(), place % self.tables());
        let last = self.circle() - 1;
        // Table 0 seats the fixed last player, unless that is the bye.
        let table = if self.players % 2 == 1 { table + 1 } else { table };
        let (one, other) = match table {
            0 => (last, round),
            _ => ((round + table) % last, (round + last - table) % last),
        };
        (one.min(other), one.max(other))
    }

    /// The place of the pairing of two players: the inverse of [`Self::pairing`].
    fn place(&self, low: usize, high: usize) -> usize {
        let last = self.circle() - 1;
        if high == last {
            return low * self.tables();
        }
        // low = round + table and high = round - table, or the other way round, modulo `last`,
        // which is odd: so the round is half of the sum.
        let sum = low + high;
        let twice = if sum.is_multiple_of(2) { sum } else { sum + last };
        let round = twice / 2 % last;
        let away = (low + last - round) % last;
        let table = away.min(last - away);
        round * self.tables() + table - self.players % 2
    }
}

impl Fixture {
    /// The seat of player number `player`, if it plays.
    pub fn seat_of(&self, player: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.players[seat] == player)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|player| format!("player {}", (player * 7 + 3) % 24)).collect()
    }

    proptest! {
        #[test]
        fn everyone_meets_everyone_in_both_seats(players in 0_usize..24, pairs in 1_u32..4) {
            let schedule = Schedule::new(&names(players), pairs);
            let mut met: HashMap<(usize, usize), u32> = HashMap::new();
            for index in 0..schedule.len() {
                let fixture = schedule.fixture(index);
                prop_assert_eq!(schedule.index(fixture), Some(index));
                *met.entry((fixture.players.first, fixture.players.second)).or_default() += 1;
            }
            for one in 0..players {
                for other in (0..players).filter(|&other| other != one) {
                    prop_assert_eq!(met.get(&(one, other)), Some(&pairs));
                }
            }
        }

        #[test]
        fn a_round_has_nobody_twice(players in 2_usize..24) {
            let schedule = Schedule::new(&names(players), 1);
            let round = 2 * (players / 2);
            for start in (0..schedule.len()).step_by(round) {
                let mut seen = vec![0; players];
                for index in start..start + round {
                    let fixture = schedule.fixture(index);
                    seen[fixture.players.first] += 1;
                    seen[fixture.players.second] += 1;
                }
                prop_assert!(seen.iter().all(|&count| count == 0 || count == 2));
            }
        }

        #[test]
        fn the_games_of_a_pair_swap_the_seats(players in 2_usize..24, pairs in 1_u32..4) {
            let schedule = Schedule::new(&names(players), pairs);
            for index in (0..schedule.len()).step_by(2) {
                let (one, two) = (schedule.fixture(index), schedule.fixture(index + 1));
                prop_assert_eq!(one.players.first, two.players.second);
                prop_assert_eq!(one.players.second, two.players.first);
                prop_assert_eq!((one.pair, one.game, two.game), (two.pair, 1, 2));
            }
        }
    }

    #[test]
    fn what_does_not_belong_has_no_place() {
        let schedule = Schedule::new(&names(3), 2);
        let fixture = schedule.fixture(0);
        for bad in [
            Fixture { pair: 3, ..fixture },
            Fixture { pair: 0, ..fixture },
            Fixture { game: 3, ..fixture },
            Fixture { game: 0, ..fixture },
            Fixture { players: BySeat::new(0, 3), ..fixture },
            Fixture {
                players: BySeat::new(fixture.players.second, fixture.players.first),
                ..fixture
            },
        ] {
            assert_eq!(schedule.index(bad), None, "{bad:?}");
        }
    }
}
