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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_written_in_its_shortest_form() {
        let text = |score| serde_json::to_string(&Score(score)).expect("plain data");
        assert_eq!([0.0, 0.5, 1.0].map(text), ["0", "0.5", "1"]);
    }

    #[test]
    fn a_score_is_read_in_any_form() {
        for (text, score) in [("1", 1.0), ("1.0", 1.0), ("0", 0.0), ("0.5", 0.5)] {
            assert_eq!(serde_json::from_str::<Score>(text).expect("a number"), Score(score));
        }
        assert!(serde_json::from_str::<Score>("\"1\"").is_err());
    }
}
