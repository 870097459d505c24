//! The two seats of a game, and one value for each of them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Not};

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::text::Text;

/// A seat in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    /// The first-named seat (White, Grunkle).
    First,
    /// The other seat (Black, Charge).
    Second,
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

impl Not for Seat {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// One value for each seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct BySeat<T> {
    /// The first seat's.
    pub first: T,
    /// The second seat's.
    pub second: T,
}

impl<T> BySeat<T> {
    /// A value for each seat, first seat first.
    pub const fn new(first: T, second: T) -> Self {
        Self { first, second }
    }

    /// Calls `f` for each seat and collects the values.
    pub fn from_fn(mut f: impl FnMut(Seat) -> T) -> Self {
        Self { first: f(Seat::First), second: f(Seat::Second) }
    }

    /// Applies `f` to both values.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat { first: f(self.first), second: f(self.second) }
    }

    /// References to both values.
    pub fn as_ref(&self) -> BySeat<&T> {
        BySeat { first: &self.first, second: &self.second }
    }

    /// Mutable references to both values.
    pub fn as_mut(&mut self) -> BySeat<&mut T> {
        BySeat { first: &mut self.first, second: &mut self.second }
    }

    /// Mutable references to the value of `seat` and to the other one.
    pub fn pick_mut(&mut self, seat: Seat) -> (&mut T, &mut T) {
        match seat {
            Seat::First => (&mut self.first, &mut self.second),
            Seat::Second => (&mut self.second, &mut self.first),
        }
    }

    /// Both values with their seats, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        [(Seat::First, &self.first), (Seat::Second, &self.second)].into_iter()
    }
}

impl<N: AsRef<str>> BySeat<N> {
    /// The seat called `name`.
    pub fn seat(&self, name: &str) -> Option<Seat> {
        Seat::BOTH.into_iter().find(|&seat| self[seat].as_ref() == name)
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::First => &self.first,
            Seat::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::First => &mut self.first,
            Seat::Second => &mut self.second,
        }
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
}

impl<T> Index<Seat> for SeatMap<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.values[seat]
    }
}

impl<T: Serialize> Serialize for SeatMap<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        for seat in Seat::BOTH {
            map.serialize_entry(&self.names[seat], &self.values[seat])?;
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
                f.write_str("an object with one value for each of the two seats")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<SeatMap<T>, M::Error> {
                let mut next = || map.next_entry::<String, T>();
                let (Some(first), Some(second), None) = (next()?, next()?, next()?) else {
                    return Err(de::Error::custom("expected exactly two seats"));
                };
                Ok(SeatMap {
                    names: BySeat::new(first.0.into(), second.0.into()),
                    values: BySeat::new(first.1, second.1),
                })
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
        let map: SeatMap<u8> = serde_json::from_str(r#"{"white":1,"black":2}"#).expect("two seats");
        assert_eq!(map[Seat::Second], 2);
        assert_eq!(serde_json::to_string(&map).expect("plain"), r#"{"white":1,"black":2}"#);
        for bad in [r#"{"white":1}"#, r#"{"white":1,"white":1,"black":2}"#] {
            assert!(serde_json::from_str::<SeatMap<u8>>(bad).is_err(), "{bad}");
        }
    }
}
