//! Whole numbers in JSON from programs in any language.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number. JSON does not tell 1 from 1.0 or 1e0, and libraries that read every number as a
/// floating-point one send 1 back as 1.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct WholeNumber<T>(pub T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for WholeNumber<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeNumberVisitor(PhantomData)).map(Self)
    }
}

struct WholeNumberVisitor<T>(PhantomData<T>);

impl<T: TryFrom<i128>> WholeNumberVisitor<T> {
    fn convert<E: de::Error>(number: i128) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::custom(format!("{number} is out of range")))
    }
}

impl<T: TryFrom<i128>> Visitor<'_> for WholeNumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        Self::convert(number.into())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        Self::convert(number.into())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        /// From here on, a floating-point number stands for several whole ones.
        const AMBIGUOUS: f64 = 9_007_199_254_740_992.0;
        if number.fract() != 0.0 || number.abs() >= AMBIGUOUS {
            return Err(E::invalid_value(de::Unexpected::Float(number), &self));
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        Self::convert(number as i128)
    }
}
