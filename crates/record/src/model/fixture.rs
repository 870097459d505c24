//! One game of a schedule.

use referee_games::{BySeat, Seat};
use serde::{Deserialize, Serialize};

/// One game of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// The players' numbers by seat, in the order of the header.
    pub players: BySeat<usize>,
    /// The pair's number among the pairs of these two players, from 1. Numbers may have gaps.
    pub pair: u32,
    /// The game's number in its pair: 1 or 2.
    pub game: u8,
}

impl Fixture {
    /// The seat of the player with this number, if it plays.
    pub fn seat_of(self, player: usize) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self.players[seat] == player)
    }
}
