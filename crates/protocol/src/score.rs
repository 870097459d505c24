//! Scores as numbers in the shortest form.

use serde::{Deserialize, Serialize, Serializer};

/// A score: 0, 0.5 or 1, written in the shortest form. If both players failed, both score 0; older
/// logs have 0.5 there.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Deserialize)]
#[serde(from = "f64")]
pub struct Score(pub f64);

impl From<f64> for Score {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0.0 => serializer.serialize_u8(0),
            1.0 => serializer.serialize_u8(1),
            other => serializer.serialize_f64(other),
        }
    }
}
