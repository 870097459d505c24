//! One game of a schedule.

use referee_games::{BySeat, SEATS, Seat};
use serde::{Deserialize, Serialize};

/// One game of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// The players by seat.
    pub players: Lineup,
    /// The number of its deal among the deals of these players, from 1: with two seats, of its pair.
    /// Numbers may have gaps.
    pub pair: u32,
    /// The game's number in its deal, from 1 to the number of seats.
    pub game: u8,
}

impl Fixture {
    /// The seat of the player with this number, if it plays.
    pub fn seat_of(self, player: usize) -> Option<Seat> {
        self.players.seats().find(|&seat| self.players.at(seat) == player)
    }
}

/// The players of a game by seat, by their numbers in the order of the header.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "BySeat<u16>", into = "BySeat<u16>")]
pub struct Lineup {
    players: [u16; *SEATS.end()],
    seats: u8,
}

impl Lineup {
    /// The player at `seat`.
    pub fn at(self, seat: Seat) -> usize {
        self.players[..usize::from(self.seats)][seat.index()].into()
    }

    /// The players of a game for two, in order of the seats.
    pub fn two(self) -> [usize; 2] {
        [self.at(Seat::FIRST), self.at(Seat::SECOND)]
    }

    /// As many players as a game has seats, before it is known who they are.
    pub fn unknown(seats: usize) -> Self {
        std::iter::repeat_n(0, seats).collect()
    }

    /// The same players in the order of their numbers.
    #[must_use]
    pub fn sorted(self) -> Self {
        self.sorted_by_key(|player| player)
    }

    /// The same players in another order.
    #[must_use]
    pub fn sorted_by_key<K: Ord>(mut self, key: impl Fn(usize) -> K) -> Self {
        let players = &mut self.players[..usize::from(self.seats)];
        players.sort_by_key(|&player| key(player.into()));
        self
    }

    /// Whether no player has two seats.
    pub fn are_different(self) -> bool {
        self.sorted().players().is_sorted_by(|one, other| one < other)
    }

    /// The seats, in order.
    pub fn seats(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone {
        Seat::all(self.seats.into())
    }

    /// The players, in order of the seats.
    pub fn players(self) -> impl Iterator<Item = usize> + Clone {
        self.seats().map(move |seat| self.at(seat))
    }
}

impl FromIterator<usize> for Lineup {
    /// The players in order of the seats.
    ///
    /// # Panics
    /// There are more players than a game has seats, or a number is larger than any log has.
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut lineup = Self { players: [0; *SEATS.end()], seats: 0 };
        for number in numbers {
            lineup.players[usize::from(lineup.seats)] =
                u16::try_from(number).expect("a tournament has far fewer players");
            lineup.seats += 1;
        }
        lineup
    }
}

impl<const N: usize> From<[usize; N]> for Lineup {
    fn from(players: [usize; N]) -> Self {
        players.into_iter().collect()
    }
}

impl From<(usize, usize)> for Lineup {
    fn from((first, second): (usize, usize)) -> Self {
        Self::from([first, second])
    }
}

impl From<BySeat<u16>> for Lineup {
    fn from(players: BySeat<u16>) -> Self {
        players.into_iter().map(usize::from).collect()
    }
}

impl From<Lineup> for BySeat<u16> {
    fn from(lineup: Lineup) -> Self {
        lineup.players[..usize::from(lineup.seats)].iter().copied().collect()
    }
}

/// The numbers by seat, for example `[3, 0]`.
impl std::fmt::Debug for Lineup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.players()).finish()
    }
}
