//! The seats of a game, and one value for each of them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::safe_text::Text;

/// The least and the largest number of seats of a game.
pub const SEATS: std::ops::RangeInclusive<usize> = 2..=16;

const ORDINALS: [&str; 16] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
];

/// A seat in a game, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seat(u8);

impl Seat {
    /// The first seat.
    pub const FIRST: Self = Self(0);
    /// The second seat.
    pub const SECOND: Self = Self(1);

    /// The seat with this number, from 0.
    ///
    /// # Panics
    /// No game has that many [seats](SEATS).
    pub fn new(index: usize) -> Self {
        assert!(index < *SEATS.end(), "no game has that many seats");
        #[expect(clippy::cast_possible_truncation, reason = "it is below 16")]
        Self(index as u8)
    }

    /// The seat's number, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The seat's number, from 0, as data for pages has it.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The seat's number in words, for example `first`.
    pub const fn ordinal(self) -> &'static str {
        ORDINALS[self.index()]
    }

    /// The seats of a game with `count` seats, in order.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count).map(Self::new)
    }
}

/// For example, `first seat`.
impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} seat", self.ordinal())
    }
}

/// Some of the seats of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SeatSet(u16);

impl SeatSet {
    /// No seat.
    pub const EMPTY: Self = Self(0);

    /// Whether `seat` is among them.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// The number of seats.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// These seats and those.
    #[must_use]
    pub const fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// These seats without those.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Adds a seat.
    pub fn insert(&mut self, seat: Seat) {
        self.0 |= 1 << seat.0;
    }

    /// The seats, in order.
    pub fn iter(self) -> impl Iterator<Item = Seat> + Clone {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = left.trailing_zeros();
            // Removes the lowest seat.
            left &= left.wrapping_sub(1);
            #[expect(clippy::cast_possible_truncation, reason = "it is below 16")]
            (next < u16::BITS).then_some(Seat(next as u8))
        })
    }
}

impl From<Seat> for SeatSet {
    fn from(seat: Seat) -> Self {
        Self(1 << seat.0)
    }
}

impl FromIterator<Seat> for SeatSet {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        let mut set = Self::EMPTY;
        seats.into_iter().for_each(|seat| set.insert(seat));
        set
    }
}

/// One value for each seat.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BySeat<T>(SmallVec<[T; 2]>);

impl<T> BySeat<T> {
    /// Calls `f` for each of `count` seats and collects the values.
    pub fn from_fn(count: usize, f: impl FnMut(Seat) -> T) -> Self {
        Self(Seat::all(count).map(f).collect())
    }

    /// The number of seats.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no seats.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The seats, in order.
    pub fn seats(
        &self,
    ) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone + use<T> {
        Seat::all(self.len())
    }

    /// Every seat but this one, in order.
    pub fn others(&self, seat: Seat) -> impl Iterator<Item = Seat> + Clone + use<T> {
        self.seats().filter(move |&other| other != seat)
    }

    /// Applies `f` to every value.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat(self.0.into_iter().map(f).collect())
    }

    /// A value of another kind for each seat.
    pub fn map_seats<U>(&self, f: impl FnMut(Seat) -> U) -> BySeat<U> {
        BySeat::from_fn(self.len(), f)
    }

    /// References to the values.
    pub fn as_ref(&self) -> BySeat<&T> {
        self.0.iter().collect()
    }

    /// The values, in order of the seats.
    pub fn values(&self) -> &[T] {
        &self.0
    }

    /// The values, in order of the seats, to change them.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// The values with their seats, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Seat, &T)> {
        self.seats().zip(&self.0)
    }

    /// The values with their seats, in order, to change them.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (Seat, &mut T)> {
        self.seats().zip(&mut self.0)
    }
}

impl<T: Default> BySeat<T> {
    /// The default value for each of `count` seats.
    pub fn default_for(count: usize) -> Self {
        Self::from_fn(count, |_| T::default())
    }
}

impl<N: AsRef<str>> BySeat<N> {
    /// The names as part of a sentence, for example `red, green and blue`.
    pub fn in_words(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(AsRef::as_ref).collect();
        match &names[..] {
            [others @ .., last] if !others.is_empty() => {
                format!("{} and {last}", others.join(", "))
            }
            names => names.join(", "),
        }
    }

    /// The seat called `name`.
    pub fn seat(&self, name: &str) -> Option<Seat> {
        self.seats().find(|&seat| self[seat].as_ref() == name)
    }
}

impl<T, const N: usize> From<[T; N]> for BySeat<T> {
    fn from(values: [T; N]) -> Self {
        values.into_iter().collect()
    }
}

impl<T> FromIterator<T> for BySeat<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// As a list.
impl<T: Serialize> Serialize for BySeat<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.values())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySeat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Vec::deserialize(deserializer)?;
        if !SEATS.contains(&values.len()) {
            return Err(de::Error::invalid_length(
                values.len(),
                &"a value for each of 2 to 16 seats",
            ));
        }
        Ok(Self(values.into()))
    }
}

impl<T> IntoIterator for BySeat<T> {
    type Item = T;
    type IntoIter = smallvec::IntoIter<[T; 2]>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// One value for each seat, keyed by the seats' names: in JSON `{"white":1,"black":0}`, in seat
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatMap<T> {
    /// The seats' names.
    pub names: BySeat<Text>,
    /// The values.
    pub values: BySeat<T>,
}

impl<T> SeatMap<T> {
    /// Creates a map from the seats' `names` to `values`.
    pub fn new(names: BySeat<impl Into<Text>>, values: BySeat<T>) -> Self {
        Self { names: names.map(Into::into), values }
    }

    /// The number of seats.
    #[expect(clippy::len_without_is_empty, reason = "every game has seats")]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The seats, in order.
    pub fn seats(
        &self,
    ) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator + Clone + use<T> {
        self.values.seats()
    }
}

impl<T> Index<Seat> for SeatMap<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.values[seat]
    }
}

impl<T: Serialize> Serialize for SeatMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (seat, value) in self.values.iter() {
            map.serialize_entry(&self.names[seat], value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SeatMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SeatMapVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SeatMapVisitor<T> {
            type Value = SeatMap<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with one value for each seat")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<SeatMap<T>, M::Error> {
                let (mut names, mut values) = (SmallVec::new(), SmallVec::new());
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    if names.len() == *SEATS.end() {
                        return Err(de::Error::custom("expected at most 16 seats"));
                    }
                    let name = Text::from(name);
                    if names.contains(&name) {
                        return Err(de::Error::custom("a seat is named twice"));
                    }
                    names.push(name);
                    values.push(value);
                }
                if names.len() < *SEATS.start() {
                    return Err(de::Error::custom("expected at least two seats"));
                }
                Ok(SeatMap { names: BySeat(names), values: BySeat(values) })
            }
        }
        deserializer.deserialize_map(SeatMapVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seat_maps_keep_the_order_of_seats() {
        for text in [r#"{"white":1,"black":2}"#, r#"{"red":3,"green":2,"blue":1}"#] {
            let map: SeatMap<u8> = serde_json::from_str(text).expect("seats");
            assert_eq!(map[Seat::SECOND], 2);
            assert_eq!(serde_json::to_string(&map).expect("plain"), text);
        }
        let many: Vec<String> = (0..17).map(|seat| format!("\"{seat}\":1")).collect();
        for bad in [
            r#"{"white":1}"#,
            r#"{"white":1,"white":1,"black":2}"#,
            &format!("{{{}}}", many.join(",")),
        ] {
            assert!(serde_json::from_str::<SeatMap<u8>>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_set_lists_its_seats_in_order() {
        let set: SeatSet = [Seat::new(15), Seat::FIRST, Seat::new(3)].into_iter().collect();
        assert_eq!(set.iter().map(Seat::index).collect::<Vec<_>>(), [0, 3, 15]);
        assert_eq!((set.len(), set.contains(Seat::SECOND)), (3, false));
    }
}
