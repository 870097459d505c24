//! The fields of lines from players.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The value of a field, or the JSON text in its place if that is something else. It is checked
/// alone, so that an invalid one does not hide the rest of the line.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum LenientField<'a, T> {
    /// A value of the right type.
    Value(T),
    /// Anything else.
    Other(&'a RawValue),
}

impl<T> LenientField<'_, T> {
    /// The value, if it is of the right type.
    pub(crate) fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for LenientField<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&'de RawValue>::deserialize(deserializer)?;
        Ok(serde_json::from_str(text.get()).map_or(Self::Other(text), Self::Value))
    }
}
