//! The places of a game's seats.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::num::NonZeroU8;

use super::seat::{BySeat, Seat, SeatSet};

/// The place of each seat at the end of a game, 0 being the best. Seats that are level share the
/// better place, so that places are for example 0, 1, 1, 3.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Places {
    /// Four bits for each seat.
    digits: u64,
    seats: NonZeroU8,
}

impl Places {
    /// All of `count` seats are level.
    ///
    /// # Panics
    /// If `count` is 0.
    #[expect(clippy::cast_possible_truncation, reason = "a game has at most 16 seats")]
    pub const fn level(count: usize) -> Self {
        Self { digits: 0, seats: NonZeroU8::new(count as u8).expect("a game has seats") }
    }

    /// The winner is ahead of all others, who are level.
    pub fn won_by(winner: Seat, count: usize) -> Self {
        Self::ordered(count, |one, other| (other == winner).cmp(&(one == winner)))
    }

    /// `losers` are behind all others; within each of the two, all are level.
    pub fn lost_by(losers: SeatSet, count: usize) -> Self {
        Self::ordered(count, |one, other| losers.contains(one).cmp(&losers.contains(other)))
    }

    /// The places in this order of seats, in which `Less` is the better place.
    pub fn ordered(count: usize, order: impl Fn(Seat, Seat) -> Ordering) -> Self {
        let mut places = Self::level(count);
        for seat in Seat::all(count) {
            let ahead = Seat::all(count).filter(|&other| order(other, seat).is_lt()).count();
            places.digits |= (ahead as u64) << (4 * seat.index());
        }
        places
    }

    /// The places that are listed by seat, if they are such as a game can end with: each is the
    /// number of seats ahead.
    pub fn from_listed(places: &BySeat<u8>) -> Option<Self> {
        let order = |one: Seat, other: Seat| places[one].cmp(&places[other]);
        let ordered = Self::ordered(places.len(), order);
        places.seats().all(|seat| ordered.place_of(seat) == places[seat]).then_some(ordered)
    }

    /// The number of seats.
    pub const fn seats(self) -> usize {
        self.seats.get() as usize
    }

    /// The place of `seat`.
    pub const fn place_of(self, seat: Seat) -> u8 {
        (self.digits >> (4 * seat.index()) & 15) as u8
    }

    /// The place of each seat as people count: from 1.
    pub fn counted_from_one(self) -> BySeat<u8> {
        BySeat::from_fn(self.seats(), |seat| self.place_of(seat) + 1)
    }

    /// Whether `one` is ahead of `other` (`Less`), level with it, or behind it.
    pub fn compare(self, one: Seat, other: Seat) -> Ordering {
        self.place_of(one).cmp(&self.place_of(other))
    }

    /// The seat that is ahead of all others, if one is.
    pub fn winner(self) -> Option<Seat> {
        let mut first = Seat::all(self.seats()).filter(|&seat| self.place_of(seat) == 0);
        first.next().filter(|_| first.next().is_none())
    }

    /// The result of a game for two: the name of the seat that won, or `draw`. `None` if the game
    /// has more seats.
    pub fn result<N: AsRef<str>>(self, seats: &BySeat<N>) -> Option<&str> {
        if self.seats() != 2 {
            return None;
        }
        Some(self.winner().map_or("draw", |seat| seats[seat].as_ref()))
    }

    /// The seats in the order of their places, by these names, for example `1 red, 2 green and blue`.
    pub fn in_words(self, name: impl Fn(Seat) -> String) -> String {
        if self.digits == 0 {
            return "all level".to_owned();
        }
        let mut groups: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for seat in Seat::all(self.seats()) {
            groups.entry(self.place_of(seat) + 1).or_default().push(name(seat));
        }
        let group = |(place, names): (u8, Vec<String>)| format!("{place} {}", names.join(" and "));
        groups.into_iter().map(group).collect::<Vec<_>>().join(", ")
    }

    /// The score of `seat`: the share of the others that it is ahead of, those that are level with
    /// it counted half. With two seats, 1 for a win, 0.5 for a draw and 0 for a loss.
    pub fn score(self, seat: Seat) -> f64 {
        let others = Seat::all(self.seats()).filter(|&other| other != seat);
        let halves: u8 = others.map(|other| self.half_points(seat, other)).sum();
        f64::from(halves) / f64::from(2 * (self.seats.get() - 1))
    }

    /// The half points of `seat` in its comparison with `other`: 2 if it is ahead, 1 if they are
    /// level, else 0.
    pub fn half_points(self, seat: Seat, other: Seat) -> u8 {
        match self.compare(seat, other) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        }
    }
}

/// The places by seat, for example `[0, 1]`.
impl std::fmt::Debug for Places {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(Seat::all(self.seats()).map(|seat| self.place_of(seat))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(list: &[u8]) -> Option<Places> {
        Places::from_listed(&list.iter().copied().collect())
    }

    #[test]
    fn level_seats_share_the_better_place() {
        let scores = [7, 9, 7, 3];
        let order = |one: Seat, other: Seat| scores[other.index()].cmp(&scores[one.index()]);
        let by_score = Places::ordered(4, order);
        assert_eq!(Some(by_score), places(&[1, 0, 1, 3]));
        assert_eq!(by_score.winner(), Some(Seat::SECOND));
        let scores = Seat::all(4).map(|seat| by_score.score(seat)).collect::<Vec<_>>();
        assert_eq!(scores, [0.5, 1.0, 0.5, 0.0]);
        assert_eq!(
            by_score.in_words(|seat| seat.to_string()),
            "1 second seat, 2 first seat and third seat, 4 fourth seat"
        );
        for impossible in [[1, 1], [0, 2], [0, 3]] {
            assert_eq!(places(&impossible), None, "{impossible:?}");
        }
    }

    #[test]
    fn two_seats_win_draw_and_lose() {
        let lost = Places::lost_by(Seat::FIRST.into(), 2);
        assert_eq!(lost, Places::won_by(Seat::SECOND, 2));
        assert_eq!((lost.score(Seat::FIRST), lost.winner()), (0.0, Some(Seat::SECOND)));
        assert_eq!((Places::level(2).score(Seat::FIRST), Places::level(2).winner()), (0.5, None));
    }

    #[test]
    fn sixteen_seats_have_sixteen_places() {
        let last = Places::ordered(16, |one, other| one.cmp(&other));
        assert_eq!((last.place_of(Seat::new(15)), last.winner()), (15, Some(Seat::FIRST)));
    }
}
